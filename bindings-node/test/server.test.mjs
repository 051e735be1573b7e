// What a server offers, from the methods of McpServer to the wire.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';

import mcplite, { McpServer, MisuseError, PROTOCOL_VERSIONS, version } from 'mcplite';

import { Client, ERAS, MODERN, REVISIONS, turn } from './support/client.mjs';

const require = createRequire(import.meta.url);
const NUMBER = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

function made(options) {
  return new McpServer({ name: 'offers', version: '1.2', ...options });
}

/** A MisuseError of that code whose message has those words. */
function misuse(code, words) {
  return (error) => error instanceof MisuseError && error.code === `ERR_MCPLITE_${code}` && words.test(error.message);
}

test('both kinds of modules have the same instance', () => {
  const required = require('mcplite');
  assert.equal(required, mcplite);
  assert.equal(required.McpServer, McpServer);
  assert.deepEqual(Object.keys(required).sort(), Object.keys(mcplite).sort());
});

test('the package says what it is and speaks', () => {
  assert.equal(version, require('mcplite/package.json').version);
  assert.deepEqual(PROTOCOL_VERSIONS, REVISIONS);
  assert.ok(Object.isFrozen(PROTOCOL_VERSIONS));
});

for (const revision of REVISIONS) {
  test(`a tool is listed and called in ${revision}`, async () => {
    const server = made();
    server.registerTool('add', { description: 'Adds.', inputSchema: NUMBER }, ({ n }) => String(n + 1));
    const client = new Client(server, { revision });
    const [tool] = (await client.request('tools/list')).tools;
    assert.deepEqual(tool, { name: 'add', description: 'Adds.', inputSchema: NUMBER });
    assert.equal(await client.text('add', { n: 1 }), '2');
  });
}

test('options of the server reach clients', async () => {
  const server = made({
    title: 'T', description: 'D', instructions: 'Do.', websiteUrl: 'https://example.com', icons: [{ src: 'https://example.com/i.png' }],
    experimental: { mine: {} }, extensions: { 'com.example/ext': {} }, logging: false, declare: { prompts: true },
  });
  const { serverInfo, instructions, capabilities } = new Client(server).initialized;
  assert.deepEqual(serverInfo, {
    name: 'offers', title: 'T', version: '1.2', description: 'D', websiteUrl: 'https://example.com',
    icons: [{ src: 'https://example.com/i.png' }],
  });
  assert.equal(instructions, 'Do.');
  assert.deepEqual(capabilities.experimental, { mine: {} });
  assert.deepEqual(capabilities.prompts, { listChanged: true });
  assert.ok(!('logging' in capabilities) && !('tools' in capabilities));
  assert.equal(server.name, 'offers');
  assert.equal(server.version, '1.2');
});

test('options may come in two parts, as other libraries have it', () => {
  const server = new McpServer({ name: 'two', version: '3' }, { instructions: 'Do.' });
  const { serverInfo, instructions } = new Client(server).initialized;
  assert.deepEqual(serverInfo, { name: 'two', version: '3' });
  assert.equal(instructions, 'Do.');
});

for (const [options, words] of [
  [{ revisions: ['2020-01-01'] }, /no revision "2020-01-01"; those are 2024-11-05/],
  [{ errors: 'modern' }, /errors is "spec", "classic" or "gateway"/],
  [{ limits: { mesageBytes: 1 } }, /no option "mesageBytes"/],
  [{ declare: { tool: true } }, /no option "tool"/],
  [{ sealKeys: [Buffer.from('short')] }, /32 bytes/],
  [{ colour: 'red' }, /no option "colour"; there are: title, /],
  [{ version: '' }, /version/],
  [{ name: '' }, /name/],
  [{ timeout: -1 }, /timeout is a number, and not below 0/],
  [{ timeout: 'soon' }, /timeout is a number/],
  [{ pageSize: 'all' }, /pageSize is a number/],
  [{ logging: 'yes' }, /logging is true or false/],
  [{ icons: 'none' }, /./],
]) {
  test(`the options ${JSON.stringify(options)} are refused`, () => {
    assert.throws(() => made(options), misuse('MISUSE', words));
  });
}

test('a server has a name', () => {
  for (const given of [undefined, {}, { name: 7 }, 'demo']) {
    assert.throws(() => new McpServer(given), { name: 'TypeError', message: /a server has a name: new McpServer\(\{ name: 'demo'/ });
  }
});

describe('handlers', () => {
  test('are functions', () => {
    const server = made();
    const message = 'registerTool(name, config, handler) needs a function, and has undefined';
    assert.throws(() => server.registerTool('a', {}), { name: 'TypeError', message });
    assert.throws(() => server.registerPrompt('a', {}, 'x'), { name: 'TypeError', message: /has string/ });
    assert.throws(() => server.on('a/b', null), { name: 'TypeError', message: /has null/ });
    assert.throws(() => server.use({}), { name: 'TypeError', message: /use\(middleware\) needs a function/ });
    assert.throws(() => server.observe('x'), { name: 'TypeError' });
    assert.throws(() => server.mount('a', {}), { name: 'TypeError', message: /McpServer/ });
    assert.throws(() => server.registerResource('a', 'a:b', {}, 7), { name: 'TypeError', message: /needs its contents, or a function/ });
    assert.throws(() => server.registerResource('a', 'a:{b}', {}, 'x'), { name: 'TypeError', message: /stands for many resources/ });
    assert.throws(() => server.registerResource('a', 7, {}, () => ''), { name: 'TypeError', message: /the URI is a string/ });
    assert.deepEqual(server.offers, { tools: [], resources: [], resourceTemplates: [], prompts: [] });
  });

  test('need no configuration', async () => {
    const server = made();
    server.registerTool('a', undefined, () => 'tool');
    server.registerResource('b', 'b:c', undefined, () => 'resource');
    server.registerPrompt('p', undefined, () => 'prompt');
    const client = new Client(server);
    assert.equal(await client.text('a'), 'tool');
    assert.equal((await client.request('resources/read', { uri: 'b:c' })).contents[0].text, 'resource');
    assert.equal((await client.request('prompts/get', { name: 'p' })).messages[0].content.text, 'prompt');
  });

  test('of tools without an input schema take nothing', async () => {
    const server = made();
    server.registerTool('a', {}, (args) => JSON.stringify(args));
    const client = new Client(server);
    assert.equal(await client.text('a'), '{}');
    assert.match(await client.text('a', { b: 1 }), /^failed: .*b/);
    const [{ inputSchema }] = server.offers.tools;
    assert.deepEqual(inputSchema, { type: 'object', properties: {}, additionalProperties: false });
  });

  test('get arguments that fit the schema, and no others', async () => {
    const server = made();
    const seen = [];
    server.registerTool('n', { inputSchema: NUMBER }, ({ n }) => {
      seen.push(n);
      return 'ok';
    });
    const client = new Client(server);
    assert.match(await client.text('n', { n: 'x' }), /^failed: .*\/n/);
    assert.match(await client.text('n', {}), /^failed: .*n/);
    assert.equal(await client.text('n', { n: 3 }), 'ok');
    assert.deepEqual(seen, [3]);
  });

  for (const serverCoerces of [true, false]) {
    for (const toolCoerces of [true, false, undefined]) {
      test(`get texts as numbers where the server says ${serverCoerces} and the tool ${toolCoerces}`, async () => {
        const server = made({ coerce: serverCoerces });
        server.registerTool('n', { inputSchema: NUMBER, coerce: toolCoerces }, ({ n }) => `${typeof n} ${n}`);
        const text = await new Client(server).text('n', { n: '5' });
        if (toolCoerces ?? serverCoerces) assert.equal(text, 'number 5');
        else assert.match(text, /^failed: /);
      });
    }
  }
});

test('options of a tool reach clients', async () => {
  const server = made();
  const config = {
    title: 'A title', description: 'Better.', inputSchema: NUMBER, outputSchema: { type: 'object' },
    annotations: { readOnlyHint: true }, icons: [{ src: 'https://example.com/a.png' }], _meta: { 'my/own': 1 },
  };
  server.registerTool('described', config, ({ n }) => ({ n }));
  const client = new Client(server, { revision: MODERN });
  const { tools } = await client.request('tools/list');
  assert.deepEqual(tools, [{ name: 'described', ...config }]);
  assert.deepEqual(server.offers.tools, tools);
  assert.deepEqual((await client.call('described', { n: 1 })).structuredContent, { n: 1 });
});

test('a hidden tool can be called', async () => {
  const server = made();
  server.registerTool('secret', { hidden: true }, () => 'found');
  const client = new Client(server);
  assert.deepEqual(await client.tools(), []);
  assert.equal(await client.text('secret'), 'found');
});

test('a schema of many steps takes what the limits say', async () => {
  const server = made({ limits: { definitionBytes: 200 } });
  const inputSchema = { type: 'object', properties: { a: { type: 'string', description: 'x'.repeat(500) } } };
  assert.throws(() => server.registerTool('big', { inputSchema }, () => ''), MisuseError);
  assert.deepEqual(server.offers.tools, []);
});

for (const [config, words] of [
  [{ inputSchema: { type: 'objekt' } }, /type/],
  [{ inputSchema: { type: 'string' } }, /object/],
  [{ inputSchema: { type: 'object', properties: { a: { pattern: '(' } } } }, /pattern/],
  [{ annotations: 'none' }, /annotations/],
  [{ _meta: [] }, /_meta/],
  [{ title: 7 }, /title/],
]) {
  test(`a tool with ${JSON.stringify(config)} is refused`, () => {
    const server = made();
    assert.throws(() => server.registerTool('a', config, () => ''), misuse('DEFINITION', words));
    assert.deepEqual(server.offers.tools, []);
    server.registerTool('a', {}, () => '');
  });
}

test('a tool without a usable name is refused', () => {
  for (const name of ['', 'with space', 'x'.repeat(300)]) {
    assert.throws(() => made().registerTool(name, {}, () => ''), MisuseError, JSON.stringify(name));
  }
  for (const name of [undefined, null, 7]) {
    assert.throws(() => made().registerTool(name, {}, () => ''), Error, String(name));
  }
});

for (const [kind, register] of [
  ['tool', (server, config, text) => server.registerTool('x', config, () => text)],
  ['prompt', (server, config, text) => server.registerPrompt('x', config, () => text)],
  ['resource', (server, config, text) => server.registerResource('x', 'x:y', config, () => text)],
  ['template', (server, config, text) => server.registerResource('x', 'x:{y}', config, () => text)],
]) {
  test(`a second ${kind} of the same name is refused unless it replaces`, async () => {
    const server = made();
    const first = register(server, {}, 'first');
    assert.throws(() => register(server, {}, 'second'), misuse('EXISTS', new RegExp(`there is a ${kind} .* already.*replace: true`)));
    const says = async () => {
      const client = new Client(server);
      if (kind === 'tool') return client.text('x');
      if (kind === 'prompt') return (await client.request('prompts/get', { name: 'x' })).messages[0].content.text;
      return (await client.request('resources/read', { uri: 'x:y' })).contents[0].text;
    };
    assert.equal(await says(), 'first');
    const second = register(server, { replace: true }, 'second');
    assert.equal(await says(), 'second');
    assert.deepEqual([first.enabled, second.enabled], [false, true]);
    // What took its place is not taken away by what was there before.
    first.remove();
    assert.equal(await says(), 'second');
    second.remove();
    await assert.rejects(says);
  });
}

describe('what is registered', () => {
  test('can be disabled, enabled, and removed', async () => {
    const server = made();
    server.registerTool('other', {}, () => '');
    const tool = server.registerTool('a', {}, () => 'a');
    assert.deepEqual([tool.name, tool.enabled], ['a', true]);
    const client = new Client(server);
    tool.disable();
    assert.equal(tool.enabled, false);
    assert.deepEqual(await client.tools(), ['other']);
    assert.match((await client.refusal('tools/call', { name: 'a' })).message, /a/);
    tool.disable();
    tool.enable();
    tool.enable();
    assert.equal(await client.text('a'), 'a');
    tool.remove();
    tool.remove();
    assert.deepEqual([tool.enabled, await client.tools()], [false, ['other']]);
    server.registerTool('a', {}, () => 'anew');
    assert.throws(() => tool.enable(), misuse('EXISTS', /already/));
    assert.equal(await client.text('a'), 'anew');
  });

  test('can be changed, also while it is disabled', async () => {
    const server = made();
    const tool = server.registerTool('a', { title: 'A', description: 'before' }, () => 'a');
    const client = new Client(server);
    const listed = async () => (await client.request('tools/list')).tools.map(({ title, description }) => [title, description]);
    tool.update({ description: 'after' });
    assert.deepEqual(await listed(), [['A', 'after']]);
    tool.disable();
    tool.update({ title: 'B' });
    assert.deepEqual(await listed(), []);
    tool.enable();
    assert.deepEqual(await listed(), [['B', 'after']]);
    assert.throws(() => tool.update({ annotations: 'none' }), misuse('DEFINITION', /annotations/));
    assert.deepEqual(await listed(), [['B', 'after']]);
    tool.update({ title: undefined });
    assert.deepEqual(await listed(), [[undefined, 'after']]);
    assert.equal(await client.text('a'), 'a');
  });

  test('and was refused a change is what it was', async () => {
    const server = made();
    const tool = server.registerTool('a', { description: 'before' }, () => 'a');
    assert.throws(() => tool.update({ annotations: 'none' }));
    assert.ok(tool.enabled);
    tool.update({ title: 'T' });
    assert.deepEqual(server.offers.tools.map(({ title, description }) => [title, description]), [['T', 'before']]);
    tool.remove();
    assert.deepEqual(server.offers.tools, []);
  });

  test('takes its completions with it', async () => {
    const server = made();
    const argument = [{ name: 'style' }];
    const prompt = server.registerPrompt('p', { arguments: argument, complete: { style: () => ['one'] } }, () => '');
    const client = new Client(server);
    const complete = async () => {
      const params = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'style', value: '' } };
      return (await client.request('completion/complete', params)).completion.values;
    };
    assert.deepEqual(await complete(), ['one']);
    prompt.update({ complete: { style: () => ['two'] } });
    assert.deepEqual(await complete(), ['two']);
    prompt.update({ complete: {} });
    assert.deepEqual(await complete(), []);
    prompt.remove();
    server.registerPrompt('p', { arguments: argument, complete: { style: () => ['three'] } }, () => '');
    assert.deepEqual(await complete(), ['three']);
  });

  test('finishes calls that are under way', async () => {
    const server = made();
    let finish;
    const tool = server.registerTool('slow', {}, () => new Promise((resolve) => {
      finish = resolve;
    }));
    const client = new Client(server);
    const { answer } = client.begin('tools/call', { name: 'slow' });
    tool.remove();
    finish('done');
    assert.equal((await answer).result.content[0].text, 'done');
  });

  test('may go away from inside of its own handler', async () => {
    const server = made();
    const tool = server.registerTool('vanish', {}, () => {
      tool.remove();
      server.registerTool('late', {}, () => 'late');
      return 'gone';
    });
    const client = new Client(server);
    assert.equal(await client.text('vanish'), 'gone');
    assert.equal(await client.text('late'), 'late');
    assert.deepEqual(await client.tools(), ['late']);
  });
});

for (const revision of ERAS) {
  test(`changes of lists are told in ${revision}`, async () => {
    const server = made();
    server.registerTool('a', {}, () => '');
    const prompt = server.registerPrompt('a', {}, () => '');
    server.registerResource('a', 'a:b', {}, 'x');
    const client = new Client(server, { revision });
    await client.listen({ tools: true, prompts: true, resources: true, uris: ['a:b'] });
    const tools = 'notifications/tools/list_changed';
    const tool = server.registerTool('b', {}, () => '');
    await client.told(tools);
    tool.update({ title: 'B' });
    await client.told(tools);
    tool.disable();
    await client.told(tools);
    prompt.remove();
    await client.told('notifications/prompts/list_changed');
    server.registerResource('c', 'a:c', {}, 'x');
    await client.told('notifications/resources/list_changed');
    server.notifyListChanged('tool');
    await client.told(tools);
    server.notifyUpdated('a:b');
    assert.equal((await client.told('notifications/resources/updated')).uri, 'a:b');
    server.notifyUpdated('a:other');
    await client.request('tools/list');
    assert.deepEqual(client.notifications, []);
  });

  test(`changes that are made together are told once in ${revision}`, async () => {
    const server = made();
    server.registerTool('a', {}, () => '');
    const client = new Client(server, { revision });
    await client.listen({ tools: true });
    server.registerTool('b', {}, () => '');
    server.registerTool('c', {}, () => '').remove();
    await client.told('notifications/tools/list_changed');
    assert.deepEqual(await client.tools(), ['a', 'b']);
    assert.deepEqual(client.notifications, []);
    server.registerTool('d', {}, () => '');
    await client.told('notifications/tools/list_changed');
  });
}

test('lists that there are not cannot change', () => {
  assert.throws(() => made().notifyListChanged('method'), misuse('MISUSE', /a kind is tool, resource, template or prompt/));
});

describe('the end', () => {
  test('comes when open calls have finished', async () => {
    const server = made();
    let finish;
    server.registerTool('slow', {}, () => new Promise((resolve) => {
      finish = resolve;
    }));
    const client = new Client(server);
    const { answer } = client.begin('tools/call', { name: 'slow' });
    let isOver = false;
    const over = server.shutdown().then(() => {
      isOver = true;
    });
    const refused = await client.refusal('tools/call', { name: 'slow' });
    assert.match(refused.message, /no more requests/);
    assert.equal(isOver, false);
    finish('done');
    assert.equal((await answer).result.content[0].text, 'done');
    await over;
    await server.shutdown();
  });

  test('comes at once to whoever wants that', async () => {
    const server = made();
    const signals = [];
    server.registerTool('slow', {}, (args, ctx) => {
      signals.push(ctx.signal);
      return new Promise(() => {});
    });
    const session = new Client(server).session;
    session.handle('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}');
    server.close();
    assert.equal(session.isClosed, true);
    await turn();
    assert.equal(signals[0].aborted, true);
    assert.throws(() => session.handle('{}'), misuse('CLOSED', /closed/));
    assert.throws(() => server.session(), misuse('CLOSED', /closed/));
    server.close();
  });
});

test('memory is counted', () => {
  const server = made();
  const before = server.memoryUsed;
  server.registerResource('big', 'big:1', {}, 'x'.repeat(100_000));
  assert.ok(server.memoryUsed >= before + 100_000);
});
