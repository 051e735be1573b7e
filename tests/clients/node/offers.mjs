// What the server offers, and what it answers when it is asked once.

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLIENT, INVALID_PARAMS, refusal, toolNames } from './conversation.mjs';

const TOOLS = ['echo', 'add', 'countdown', 'wait', 'cancelled', 'part', 'media', 'fail', 'log',
  'ask_name', 'ask_model', 'ask_roots', 'touch', 'slow', 'whoami'];
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const RESOURCE_NOT_FOUND = -32002;

const startOf = (base64, length) => Buffer.from(base64, 'base64').subarray(0, length);

export async function opening(talk) {
  const client = await talk.client();
  const { name, version } = client.getServerVersion();
  assert.deepEqual([name, version], ['everything', '1.0']);
  assert.match(client.getInstructions(), /echo/);
  const offered = client.getServerCapabilities();
  assert.deepEqual(offered.tools, { listChanged: true });
  assert.deepEqual(offered.resources, { subscribe: true, listChanged: true });
  for (const capability of ['prompts', 'logging']) assert.ok(offered[capability], capability);
  assert.equal(Boolean(offered.completions), talk.since('2025-03-26'));
  // The 1.x client does not say what was agreed, but the server does.
  if (client.getNegotiatedProtocolVersion) {
    assert.equal(client.getNegotiatedProtocolVersion(), talk.revision);
  }
}

export async function ping(talk) {
  const client = await talk.client();
  assert.deepEqual(await client.ping(), {});
}

/** When the client goes, the server ends by itself and in peace. */
export async function closing(talk) {
  const folder = await mkdtemp(join(tmpdir(), 'check-'));
  const status = join(folder, 'status');
  try {
    const command = ['/bin/sh', '-c', '"$0"; echo $? > "$1"', talk.binary, status];
    const client = await talk.client({ command });
    assert.equal(await talk.text(client, 'echo', { text: 'bye' }), 'bye');
    await client.close();
    assert.equal((await readFile(status, 'utf8')).trim(), '0');
  } finally {
    await rm(folder, { recursive: true });
  }
}

export async function tools_list(talk) {
  const client = await talk.client();
  const { tools } = await client.listTools();
  const byName = Object.fromEntries(tools.map((tool) => [tool.name, tool]));
  assert.deepEqual(Object.keys(byName).sort(), [...TOOLS].sort());
  assert.equal(byName.echo.inputSchema.properties.text.type, 'string');
  assert.equal(byName.add.outputSchema?.properties.sum.type,
    talk.since('2025-06-18') ? 'number' : undefined);
  const { minimum, maximum } = byName.countdown.inputSchema.properties.from;
  assert.deepEqual([minimum, maximum], [1, 10]);
  assert.deepEqual(tools.filter((tool) => !tool.description), []);
}

/** What is for people to look at: titles, hints and icons, each since the revision that has it. */
export async function adornments(talk) {
  const client = await talk.client();
  const since = (revision, value) => (talk.since(revision) ? value : undefined);
  const server = client.getServerVersion();
  assert.equal(server.title, since('2025-06-18', 'Everything'));
  assert.equal(server.icons?.length, since('2025-11-25', 1));
  const echo = (await client.listTools()).tools.find((tool) => tool.name === 'echo');
  assert.equal(echo.title, since('2025-06-18', 'Echo'));
  assert.equal(echo.annotations?.readOnlyHint, since('2025-03-26', true));
  assert.equal(echo.icons?.[0].mimeType, since('2025-11-25', 'image/svg+xml'));
  assert.deepEqual(echo._meta, since('2025-06-18', { 'com.example/rank': 1 }));
}

export async function resources_list(talk) {
  const client = await talk.client();
  const { resources } = await client.listResources();
  const types = Object.fromEntries(resources.map(({ uri, mimeType }) => [uri, mimeType]));
  assert.deepEqual(Object.keys(types).sort(),
    ['data://pixel', 'file:///readme.txt', 'note://latest']);
  assert.equal(types['data://pixel'], 'image/png');
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.deepEqual(resourceTemplates.map((template) => template.uriTemplate), ['note://{name}']);
}

export async function prompts_list(talk) {
  const client = await talk.client();
  const { prompts } = await client.listPrompts();
  assert.deepEqual(prompts.map((prompt) => prompt.name), ['greet']);
  assert.deepEqual(prompts[0].arguments.map(({ name, required }) => [name, Boolean(required)]),
    [['name', true], ['style', false]]);
}

export async function call(talk) {
  const client = await talk.client();
  const long = 'x'.repeat(100_000);
  for (const text of ['hello', '', 'Grüße, 世界 \u{1f30d}', 'a "quoted"\nline\u2028', long]) {
    assert.equal(await talk.text(client, 'echo', { text }), text);
  }
}

export async function structured_output(talk) {
  const client = await talk.client();
  // The client has the schema from the list and checks the result against it.
  await client.listTools();
  const result = await talk.call(client, 'add', { a: 2, b: 0.5 });
  assert.deepEqual(result.structuredContent, talk.since('2025-06-18') ? { sum: 2.5 } : undefined);
  assert.match(result.content[0].text, /2\.5/);
}

export async function content_kinds(talk) {
  const client = await talk.client();
  const { content } = await talk.call(client, 'media');
  // What a revision does not have yet arrives as the nearest that it has.
  const sound = talk.since('2025-03-26') ? 'audio' : 'resource';
  const linked = talk.since('2025-06-18') ? 'resource_link' : 'text';
  const kinds = content.map((block) => block.type);
  assert.deepEqual(kinds, ['text', 'image', sound, 'resource', linked]);
  const [, image, audio, embedded, link] = content;
  assert.equal(image.mimeType, 'image/png');
  assert.deepEqual(startOf(image.data, PNG.length), PNG);
  assert.equal(audio.mimeType ?? audio.resource.mimeType, 'audio/wav');
  assert.deepEqual(startOf(audio.data ?? audio.resource.blob, 4), Buffer.from('RIFF'));
  assert.ok(embedded.resource.text);
  assert.ok(linked === 'text' ? link.text : link.uri && link.name);
}

export async function failures(talk) {
  const client = await talk.client();
  assert.equal(await talk.text(client, 'fail'), 'failed: it broke');
  const code = async (request) => (await refusal(request)).code;
  for (const [tool, args] of [['add', { a: 'two', b: 1 }], ['countdown', { from: 11 }]]) {
    // Since 2025-11-25 a model is told what is wrong with its arguments; before, the client was.
    if (talk.since('2025-11-25')) assert.match(await talk.text(client, tool, args), /^failed: /);
    else assert.equal(await code(talk.call(client, tool, args)), INVALID_PARAMS);
  }
  assert.equal(await code(talk.call(client, 'none')), INVALID_PARAMS);
  assert.equal(await code(client.getPrompt({ name: 'none' })), INVALID_PARAMS);
  assert.equal(await code(client.getPrompt({ name: 'greet' })), INVALID_PARAMS);
  const missing = await refusal(client.readResource({ uri: 'file:///none.txt' }));
  const notFound = talk.modern ? INVALID_PARAMS : RESOURCE_NOT_FOUND;
  assert.equal(missing.code, talk.library.codeOf(notFound));
  assert.equal(missing.data.uri, 'file:///none.txt');
  assert.equal(await talk.text(client, 'echo', { text: 'still here' }), 'still here');
}

export async function deadline(talk) {
  const client = await talk.client();
  assert.match(await talk.text(client, 'slow', { ms: 60_000 }), /^failed: Timed out/);
  assert.equal(await talk.text(client, 'echo', { text: 'still here' }), 'still here');
}

export async function who_calls(talk) {
  const client = await talk.client();
  const result = await talk.call(client, 'whoami');
  const found = result.structuredContent ?? JSON.parse(result.content[0].text);
  assert.equal(found.revision, talk.revision);
  assert.equal(found.method, 'tools/call');
  assert.deepEqual(found.client, CLIENT);
}

export async function read(talk) {
  const client = await talk.client();
  const contents = async (uri) => (await client.readResource({ uri })).contents[0];
  const { text, mimeType } = await contents('file:///readme.txt');
  assert.deepEqual([text, mimeType], ['Read me.', 'text/plain']);
  const pixel = await contents('data://pixel');
  assert.equal(pixel.mimeType, 'image/png');
  assert.deepEqual(startOf(pixel.blob, PNG.length), PNG);
  const beta = await contents('note://beta');
  assert.equal(beta.uri, 'note://beta');
  assert.match(beta.text, /beta/);
}

export async function prompt(talk) {
  const client = await talk.client();
  const args = { name: 'Ann', style: 'funny' };
  const { messages } = await client.getPrompt({ name: 'greet', arguments: args });
  assert.deepEqual(messages.map((message) => message.role), ['user', 'assistant']);
  assert.match(messages[0].content.text, /Ann/);
  assert.match(messages[0].content.text, /funny/);
}

export async function completion(talk) {
  const client = await talk.client();
  const complete = async (ref, name, value) =>
    (await client.complete({ ref, argument: { name, value } })).completion.values;
  const greet = { type: 'ref/prompt', name: 'greet' };
  assert.deepEqual(await complete(greet, 'style', 'f'), ['formal', 'friendly', 'funny']);
  assert.deepEqual(await complete(greet, 'style', 'fr'), ['friendly']);
  assert.deepEqual(await complete(greet, 'style', 'x'), []);
  const notes = { type: 'ref/resource', uri: 'note://{name}' };
  assert.deepEqual(await complete(notes, 'name', ''), ['alpha', 'beta', 'gamma']);
  assert.deepEqual(await complete(notes, 'name', 'b'), ['beta']);
}

export async function custom_method(talk) {
  const client = await talk.client();
  const request = { method: 'everything/echo', params: { text: 'hi' } };
  assert.equal((await talk.library.custom(client, request)).text, 'hi');
}

/** Answers find their requests, whatever their order. */
export async function several_at_once(talk) {
  const client = await talk.client();
  const names = Array(8).fill(await toolNames(client)).flat();
  const said = await Promise.all(names.map((text) => talk.text(client, 'echo', { text })));
  assert.deepEqual(said, names);
}
