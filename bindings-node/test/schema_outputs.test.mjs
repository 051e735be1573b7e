// What clients get through output schemas, prompts through the schemas of their arguments, and forms through theirs.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { McpServer } from 'mcplite';
import * as v from 'valibot';
import * as z from 'zod';

import { Peer } from './support/peer.mjs';

/** What a client is told of a tool, and gets from it. */
async function given(outputSchema, value) {
  const reported = [];
  const server = new McpServer({ name: 'schemas', onError: (error) => reported.push(error.message) });
  server.registerTool('give', { outputSchema }, async () => value);
  const peer = new Peer(server);
  const tool = await peer.tool('give');
  return { schema: tool.outputSchema, result: await peer.call('give'), reported };
}

test('clients see what comes out, and get it', async () => {
  const { schema, result } = await given(z.object({ unit: z.string().default('C'), n: z.string().transform(Number).pipe(z.number()) }), {
    n: '5',
    secret: 'left out',
  });
  assert.deepEqual(schema, {
    type: 'object',
    properties: { unit: { type: 'string', default: 'C' }, n: { type: 'number' } },
    required: ['unit', 'n'],
    additionalProperties: false,
  });
  assert.deepEqual(result.structuredContent, { unit: 'C', n: 5 });
});

test('a shape gives an object', async () => {
  const { schema, result } = await given({ a: z.number().optional(), b: z.string().default('x') }, {});
  assert.deepEqual(schema.required, ['b']);
  assert.deepEqual(result.structuredContent, { b: 'x' });
});

test('dates go as text', async () => {
  const { schema, result } = await given(z.object({ at: z.date() }), { at: new Date(0) });
  assert.deepEqual(schema.properties.at, { type: 'string', format: 'date-time' });
  assert.deepEqual(result.structuredContent, { at: '1970-01-01T00:00:00.000Z' });
});

test('what is no object is wrapped', async () => {
  for (const schema of [z.number(), type('number'), toStandardJsonSchema(v.number()), { type: 'number' }]) {
    const { result } = await given(schema, 5);
    assert.deepEqual(result.structuredContent, { result: 5 });
  }
});

test('what is structured in a whole result goes through the schema', async () => {
  const content = [{ type: 'text', text: 'five' }];
  const { result } = await given(z.object({ n: z.coerce.number() }), { content, structuredContent: { n: '5', secret: 'left out' } });
  assert.deepEqual([result.content, result.structuredContent], [content, { n: 5 }]);
  const wrapped = await given(z.coerce.number(), { content, structuredContent: { result: '5' } });
  assert.deepEqual(wrapped.result.structuredContent, { result: 5 });
  const failed = await given(z.object({ n: z.number() }), { content, isError: true });
  assert.deepEqual([failed.result.isError, failed.result.structuredContent], [true, undefined]);
});

test('data that has a list of content is no whole result', async () => {
  const { result } = await given({ content: z.array(z.object({ page: z.coerce.number() })) }, { content: [{ page: '1' }] });
  assert.deepEqual(result.structuredContent, { content: [{ page: 1 }] });
});

test('what was not promised is an error, which the program is told', async () => {
  for (const schema of [{ n: z.number() }, z.object({ n: z.number() }), type({ n: 'number' })]) {
    const { result, reported } = await given(schema, { n: 'five' });
    assert.equal(result.isError, true);
    assert.match(reported[0], /^\/n: /);
  }
});

test('prompts take texts, and handlers what the schema makes of them', async () => {
  const server = new McpServer({ name: 'schemas' });
  const argsSchema = {
    title: z.string().meta({ title: 'Title', description: 'of the book' }),
    stars: z.int().max(5).optional(),
    brief: z.boolean().default(false),
    tags: z.array(z.string()).optional(),
    either: z.union([z.number(), z.string()]).optional(),
  };
  server.registerPrompt('review', { argsSchema }, (args) => JSON.stringify(args));
  const peer = new Peer(server);
  const { prompts } = await peer.request('prompts/list');
  assert.deepEqual(prompts[0].arguments, [
    { name: 'title', title: 'Title', description: 'of the book', required: true },
    { name: 'stars', required: false },
    { name: 'brief', required: false },
    { name: 'tags', required: false },
    { name: 'either', required: false },
  ]);
  const get = async (args) => {
    const { messages } = await peer.request('prompts/get', { name: 'review', arguments: args });
    return JSON.parse(messages[0].content.text);
  };
  assert.deepEqual(await get({ title: '1984', stars: '5', brief: 'yes', tags: '["old"]', either: '5' }), {
    title: '1984', stars: 5, brief: true, tags: ['old'], either: '5',
  });
  // What users leave empty in a form.
  assert.deepEqual(await get({ title: '', stars: '', tags: ' ' }), { title: '', brief: false });
  const rejected = (args, message) => assert.rejects(get(args), { code: -32602, message });
  await rejected({ title: 'x', stars: 'five', brief: 'perhaps' }, /\/stars: must be an integer, but is "five"; \/brief: must be true or false, but is "perhaps"/);
  await rejected({ title: 'x', tags: '{}' }, /\/tags: must be a JSON array, but is "{}"/);
  await rejected({ title: 'x', stars: '6' }, /\/stars: Too big/);
});

test('prompts are converted for JSON Schemas as well', async () => {
  const server = new McpServer({ name: 'schemas' });
  const argsSchema = {
    type: 'object',
    properties: { n: { type: ['number', 'null'] }, unit: { enum: ['C', 'F'] }, level: { enum: [1, 2] }, at: { $ref: '#/$defs/At' } },
    required: ['n'],
    $defs: { At: { type: 'integer', title: 'When' } },
  };
  server.registerPrompt('p', { argsSchema }, (args) => JSON.stringify(args));
  const peer = new Peer(server);
  const { prompts } = await peer.request('prompts/list');
  assert.equal(prompts[0].arguments[3].title, 'When');
  const get = async (args) => (await peer.request('prompts/get', { name: 'p', arguments: args })).messages[0].content.text;
  assert.equal(await get({ n: '-1.5e3', unit: 'C', level: '2', at: '7' }), '{"n":-1500,"unit":"C","level":2,"at":7}');
  assert.equal(await get({ n: 'null' }), '{"n":null}');
  await assert.rejects(get({ n: '1', unit: 'K', level: '3' }), {
    message: /\/unit: must be one of \["C","F"\], but is "K"; \/level: must be one of \[1,2\], but is "3"/,
  });
});

/** Asks a user who fills in `content`; gives the form that was shown, and what the handler got. */
async function asked(form, content) {
  const server = new McpServer({ name: 'schemas', onError() {} });
  server.registerTool('ask', {}, async (_args, ctx) => {
    const { data } = await ctx.elicit('Well?', form);
    return { data };
  });
  let shown;
  const peer = new Peer(server, {
    elicit: ({ requestedSchema }) => {
      shown = requestedSchema;
      return { action: 'accept', content };
    },
  });
  const result = await peer.call('ask');
  return { shown, data: result.structuredContent?.data, error: result.isError ? result.content[0].text : undefined };
}

test('a form is an object of plain fields', async () => {
  const form = z.strictObject({
    colour: z.union([z.literal('red'), z.literal('blue')]),
    size: z.enum(['S', 'L']).nullable(),
    count: z.int().min(1).nullish(),
    id: z.uuid(),
    mail: z.email(),
    tags: z.array(z.enum(['a', 'b'])),
    sure: z.boolean().default(true),
    text: z.string().transform((text) => text.length),
  });
  const content = { colour: 'red', size: 'S', id: crypto.randomUUID(), mail: 'a@example.org', tags: ['a'], text: 'four' };
  const { shown, data } = await asked(form, content);
  assert.deepEqual(shown, {
    type: 'object',
    properties: {
      colour: { type: 'string', enum: ['red', 'blue'] },
      size: { type: 'string', enum: ['S', 'L'] },
      count: { type: 'integer', minimum: 1 },
      id: { type: 'string' },
      mail: { type: 'string', format: 'email' },
      tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
      sure: { type: 'boolean', default: true },
      text: { type: 'string' },
    },
    required: ['colour', 'size', 'id', 'mail', 'tags', 'text'],
  });
  assert.deepEqual(data, { ...content, sure: true, text: 4 });
});

test('forms of other libraries', async () => {
  const ark = type({ colour: "'red' | 'blue'", when: 'string.date.iso', 'only?': "'x'" });
  const { shown, data } = await asked(ark, { colour: 'red', when: '2026-07-28' });
  assert.deepEqual(shown.properties, {
    colour: { type: 'string', enum: ['red', 'blue'].sort() },
    when: { type: 'string' },
    only: { type: 'string', enum: ['x'] },
  });
  assert.deepEqual(data, { colour: 'red', when: '2026-07-28' });
  const titled = { type: 'object', properties: { c: { type: 'string', oneOf: [{ const: 'r', title: 'Red' }] } }, additionalProperties: false };
  assert.deepEqual((await asked(titled, { c: 'r' })).shown, { type: 'object', properties: titled.properties });
});

test('a single value is asked for as one field', async () => {
  const cases = [
    [z.boolean(), true, { type: 'boolean' }],
    [z.coerce.number(), 5, { type: 'number' }],
    [type("'a' | 'b'"), 'a', { type: 'string', enum: ['a', 'b'] }],
    [toStandardJsonSchema(v.pipe(v.string(), v.email())), 'a@example.org', { type: 'string', format: 'email' }],
    [{ enum: ['a', 'b'] }, 'b', { type: 'string', enum: ['a', 'b'] }],
    [undefined, 'anything', { type: 'string' }],
  ];
  for (const [form, value, field] of cases) {
    const { shown, data } = await asked(form, { value });
    assert.deepEqual(shown, { type: 'object', properties: { value: field }, required: ['value'] });
    assert.equal(data, value);
  }
});

test('the library has the last word on what users fill in', async () => {
  const { error } = await asked(z.string().refine((word) => word === 'sesame', 'wrong word'), { value: 'wheat' });
  assert.match(error, /wrong word/);
});
