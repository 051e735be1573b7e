// Schemas that cannot be used: each refusal says what to do.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { McpServer, MisuseError } from 'mcplite';
import * as v from 'valibot';
import * as z from 'zod';
import * as mini from 'zod/mini';
import * as zod3 from 'zod/v3';

/** What a server says to a schema of a tool. */
function refusal(config) {
  const server = new McpServer({ name: 'schemas' });
  try {
    server.registerTool('t', config, () => null);
  } catch (error) {
    assert.ok(error instanceof MisuseError, String(error));
    assert.equal(error.code, 'ERR_MCPLITE_DEFINITION');
    assert.deepEqual(server.offers.tools, []);
    return error.message;
  }
  return assert.fail('it was taken');
}

const WITHOUT_JSON_SCHEMA = { '~standard': { version: 1, vendor: 'homemade', validate: (value) => ({ value }) } };

const CASES = {
  'a bare valibot schema': [
    v.object({ a: v.number() }),
    /^inputSchema of tool "t": .*npm install @valibot\/to-json-schema.*give toStandardJsonSchema\(schema\)$/,
  ],
  'bare valibot schemas in a shape': [{ a: v.number() }, /^inputSchema of tool "t", "a": .*toStandardJsonSchema/],
  'zod 3': [zod3.object({ a: zod3.number() }), /zod 3 .*use zod 4\.2 or newer \(npm install zod@latest\), or give a JSON Schema$/],
  'zod 3 in a shape': [{ a: zod3.number() }, /^inputSchema of tool "t", "a": .*zod 3/],
  'zod/mini': [mini.object({ a: mini.number() }), /from zod\/mini, give z\.toJSONSchema\(schema\), which still validates with zod$/],
  'any other library': [WITHOUT_JSON_SCHEMA, /schemas of homemade do not know their JSON Schema .* or give a JSON Schema$/],
  'true': [true, /^inputSchema of tool "t": true says nothing of its values; give a schema of zod 4, arktype or valibot, or a JSON Schema$/],
  'null': [null, /null is not a schema/],
  'a list': [[z.string()], /an array is not a schema/],
  'a text': ['string', /a string is not a schema/],
  'a class': [class Point {}, /a function is not a schema/],
  'an instance': [new Map(), /an object of class Map is not a schema/],
  'a shape with something else': [{ a: z.number(), b: { c: z.number() } }, /"b" is not a schema, but other members are; .*z\.object\({ … }\)/],
  'schemas of a library in a JSON Schema': [
    { type: 'object', properties: { a: z.number() } },
    /a library's schema in it, "a"; give the object of schemas by itself/,
  ],
  'what JSON does not have': [z.object({ n: z.bigint() }), /zod cannot write it as JSON Schema: JSON has nothing like bigint$/],
  'no object': [z.string(), /inputSchema must be a JSON Schema with "type": "object"/],
};

for (const [name, [inputSchema, expected]] of Object.entries(CASES)) {
  test(`refused: ${name}`, () => assert.match(refusal({ inputSchema }), expected));
}

test('refused: a transform of which nobody knows what comes out', () => {
  const advice = /^outputSchema of tool "t": .*; say what comes out of a transform: in zod with \.pipe\(z\.number\(\)\)/;
  const length = (text) => text.length;
  assert.match(refusal({ outputSchema: z.object({ n: z.string().transform(length) }) }), advice);
  assert.match(refusal({ outputSchema: toStandardJsonSchema(v.object({ n: v.pipe(v.string(), v.transform(length)) })) }), advice);
});

test('refused: arguments of a prompt that are no object', () => {
  const server = new McpServer({ name: 'schemas' });
  assert.throws(() => server.registerPrompt('p', { argsSchema: z.string() }, () => ''), {
    code: 'ERR_MCPLITE_DEFINITION',
    message: 'argsSchema of prompt "p": the arguments of a prompt are an object, which this schema is not',
  });
});
