// What tools get from schemas, of libraries and in JSON.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { McpServer } from 'mcplite';
import * as v from 'valibot';
import * as z from 'zod';
import * as mini from 'zod/mini';

import { Peer } from './support/peer.mjs';

/** A client of a server whose one tool, `echo`, gives back its arguments as they reach the handler. */
function echo(inputSchema) {
  const server = new McpServer({ name: 'schemas' });
  server.registerTool('echo', { inputSchema }, (args) => args);
  return new Peer(server);
}

async function listed(inputSchema) {
  return (await echo(inputSchema).tool('echo')).inputSchema;
}

async function received(inputSchema, args) {
  const { isError, structuredContent, content } = await echo(inputSchema).call('echo', args);
  assert.notEqual(isError, true, content[0]?.text);
  return structuredContent;
}

async function refused(inputSchema, args) {
  const { isError, content } = await echo(inputSchema).call('echo', args);
  assert.equal(isError, true);
  return content[0].text;
}

const LIBRARIES = {
  zod: z.object({
    city: z.string().describe('where'),
    days: z.int().min(1).default(3),
    note: z.string().optional(),
    size: z.string().transform((text) => text.length),
  }),
  valibot: toStandardJsonSchema(
    v.object({
      city: v.pipe(v.string(), v.description('where')),
      days: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 3),
      note: v.optional(v.string()),
      size: v.pipe(v.string(), v.transform((text) => text.length)),
    }),
  ),
  'a raw shape': {
    city: z.string().describe('where'),
    days: z.int().min(1).default(3),
    note: z.string().optional(),
    size: z.string().transform((text) => text.length),
  },
};

for (const [library, schema] of Object.entries(LIBRARIES)) {
  test(`${library}: clients see what goes in`, async () => {
    assert.deepEqual(await listed(schema), {
      type: 'object',
      properties: {
        city: { type: 'string', description: 'where' },
        days: { type: 'integer', minimum: 1, default: 3 },
        note: { type: 'string' },
        size: { type: 'string' },
      },
      required: ['city', 'size'],
    });
  });

  test(`${library}: handlers get what comes out, and nothing that is not in the schema`, async () => {
    assert.deepEqual(await received(schema, { city: 'Rome', size: 'large', other: 1 }), { city: 'Rome', days: 3, size: 5 });
  });

  test(`${library}: the engine refuses what the JSON Schema does`, async () => {
    assert.equal(await refused(schema, { city: 5, size: '' }), 'Invalid arguments: /city: must be a string, but is 5');
  });
}

test('arktype: schemas are functions', async () => {
  const schema = type({ city: 'string', 'note?': 'string', unit: "'C' | 'F' = 'C'", size: ['string', '=>', (text) => text.length] });
  assert.deepEqual((await listed(schema)).required, ['city', 'size']);
  assert.deepEqual(await received(schema, { city: 'Rome', size: 'large' }), { city: 'Rome', unit: 'C', size: 5 });
});

test('libraries refuse what JSON Schema cannot, with the place', async () => {
  const even = (number) => number % 2 === 0;
  assert.equal(
    await refused(z.object({ pair: z.array(z.number().refine(even, 'must be even')) }), { pair: [2, 3] }),
    'Invalid arguments: /pair/1: must be even',
  );
  assert.equal(
    await refused({ 'a/b': z.object({ n: z.number().refine(even, 'must be even') }) }, { 'a/b': { n: 1 } }),
    'Invalid arguments: /a~1b/n: must be even',
  );
  assert.equal(
    await refused(type({ n: type('number').narrow((n, ctx) => even(n) || ctx.mustBe('even')) }), { n: 1 }),
    'Invalid arguments: /n: must be even (was 1)',
  );
  assert.equal(
    await refused(toStandardJsonSchema(v.object({ n: v.pipe(v.number(), v.check(even, 'must be even')) })), { n: 1 }),
    'Invalid arguments: /n: must be even',
  );
  const whole = v.pipe(v.object({ a: v.number(), b: v.number() }), v.check(({ a, b }) => a < b, 'a must be less than b'));
  assert.equal(await refused(toStandardJsonSchema(whole), { a: 2, b: 1 }), 'Invalid arguments: /: a must be less than b');
});

test('the branches of a union that does not fit are told', async () => {
  const short = z.string().refine((text) => text.length < 3, 'too long');
  const positive = z.string().refine((text) => Number(text) > 0, 'not positive');
  assert.equal(
    await refused({ size: z.union([short, positive]) }, { size: 'large' }),
    'Invalid arguments: /size: Invalid input (/size: too long, or /size: not positive)',
  );
});

test('patterns that the engine cannot match are left to the library', async () => {
  const schema = type({ at: 'string.date.iso' });
  assert.deepEqual(await received(schema, { at: '2026-07-28' }), { at: '2026-07-28' });
  assert.match(await refused(schema, { at: 'today' }), /\/at: must be an ISO 8601/);
  const password = z.object({ word: z.string().regex(/^(?=.*\d)\w+$/, 'needs a digit') });
  assert.equal(await refused(password, { word: 'sesame' }), 'Invalid arguments: /word: needs a digit');
});

test('a transform that fails is a defect, not a mistake of the model', async () => {
  const reported = [];
  const server = new McpServer({ name: 'schemas', onError: (error) => reported.push(error.message) });
  const inputSchema = { url: z.string().transform((text) => new URL(text).host) };
  server.registerTool('host', { inputSchema }, ({ url }) => url);
  const { isError, content } = await new Peer(server).call('host', { url: 'nowhere' });
  assert.deepEqual([isError, content[0].text, reported], [true, 'Invalid URL', ['Invalid URL']]);
});

test('refinements and transforms may take their time', async () => {
  const later = (check) => async (value) => (await new Promise(setImmediate), check(value));
  const object = z.object({ name: z.string().refine(later((name) => name !== 'taken'), 'is taken') });
  assert.equal(await refused(object, { name: 'taken' }), 'Invalid arguments: /name: is taken');
  assert.deepEqual(await received(object, { name: 'free' }), { name: 'free' });
  const shape = { name: z.string().transform(later((name) => name.length)), other: z.string() };
  assert.deepEqual(await received(shape, { name: 'four', other: 'x' }), { name: 4, other: 'x' });
  const valibot = v.objectAsync({ name: v.pipeAsync(v.string(), v.checkAsync(later((name) => name !== 'taken'), 'is taken')) });
  assert.equal(await refused(toStandardJsonSchema(valibot), { name: 'taken' }), 'Invalid arguments: /name: is taken');
});

test('what zod writes is made short', async () => {
  const Point = z.object({ x: z.int(), y: z.int() }).meta({ id: 'Point', title: 'Point' });
  assert.deepEqual(await listed(z.object({ from: Point, to: Point, more: z.record(z.string(), z.number()) })), {
    type: 'object',
    properties: {
      from: { type: 'object', title: 'Point', properties: { x: { type: 'integer' }, y: { type: 'integer' } }, required: ['x', 'y'] },
      to: { type: 'object', title: 'Point', properties: { x: { type: 'integer' }, y: { type: 'integer' } }, required: ['x', 'y'] },
      more: { type: 'object', additionalProperties: { type: 'number' } },
    },
    required: ['from', 'to', 'more'],
  });
});

test('schemas may contain themselves', async () => {
  const Node = z.object({ name: z.string(), get children() { return z.array(Node).optional(); } });
  const Named = z.object({ name: z.string(), get next() { return Named.optional(); } }).meta({ id: 'Named' });
  const tree = { name: 'a', children: [{ name: 'b', children: [{ name: 'c' }] }] };
  for (const schema of [Node, z.object({ tree: Node }), { tree: Node, 'odd/na~me %': Node.optional() }]) {
    const args = schema === Node ? tree : { tree };
    assert.deepEqual(await received(schema, args), args);
    const broken = structuredClone(args);
    (broken.tree ?? broken).children[0].children[0].name = 5;
    assert.match(await refused(schema, broken), /\/children\/0\/children\/0\/name: must be a string, but is 5/);
  }
  assert.match(await refused(Named, { name: 'a', next: { name: 5 } }), /\/next\/name: must be a string/);
  assert.equal((await listed(Named)).type, 'object');
});

test('a choice of objects is an object', async () => {
  const either = z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b'), n: z.number() })]);
  assert.equal((await listed(either)).type, 'object');
  assert.deepEqual(await received(either, { kind: 'b', n: 1 }), { kind: 'b', n: 1 });
  assert.equal((await listed(type({ a: 'string' }).or({ b: 'string' }))).type, 'object');
});

test('dates come as text', async () => {
  const schema = z.object({ at: z.coerce.date() });
  assert.deepEqual((await listed(schema)).properties.at, { type: 'string', format: 'date-time' });
  assert.deepEqual(await received(schema, { at: '2026-07-28T00:00:00Z' }), { at: '2026-07-28T00:00:00.000Z' });
  assert.throws(() => echo(z.object({ at: z.date() })), /a Date cannot come as JSON; take text with z\.coerce\.date\(\) or z\.iso\.datetime\(\)/);
});

test('zod/mini validates through what it writes', async () => {
  const schema = mini.object({ n: mini.pipe(mini.string(), mini.transform(Number)), m: mini.optional(mini.number()) });
  assert.deepEqual(await received(mini.toJSONSchema(schema, { io: 'input' }), { n: '5' }), { n: 5 });
});

test('the members of a shape may be of several libraries', async () => {
  const shape = { a: z.number(), b: type('number > 3'), c: toStandardJsonSchema(v.optional(v.string())), d: toStandardJsonSchema(v.string()) };
  assert.deepEqual((await listed(shape)).required, ['a', 'b', 'd']);
  assert.deepEqual(await received(shape, { a: 1, b: 4, d: '' }), { a: 1, b: 4, d: '' });
});

test('an empty shape takes nothing', async () => {
  assert.deepEqual(await listed({}), { type: 'object', properties: {} });
  assert.deepEqual(await received({}, { a: 1 }), {});
});

test('JSON Schemas are sent as they are written', async () => {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { n: { type: 'integer', minimum: -9007199254740991 }, default: { $ref: '#/definitions/T' } },
    required: ['n'],
    definitions: { T: { type: 'string' } },
  };
  assert.deepEqual(await listed(schema), schema);
  assert.deepEqual(await received(schema, { n: 1, other: 2 }), { n: 1, other: 2 });
  assert.match(await refused(schema, { n: 1.5 }), /\/n: must be an integer/);
});

test('without a schema there are no arguments', async () => {
  assert.match(await refused(undefined, { a: 1 }), /Invalid arguments/);
});
