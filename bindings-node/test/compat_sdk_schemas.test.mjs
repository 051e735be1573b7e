// Schemas of requests: those that come with the package, those of zod, and plain ones.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import * as mini from 'zod/mini';

import * as sdk from 'mcplite/compat/sdk';

import { ERAS, WITHIN, connected, serverWith } from './compat_sdk_support.mjs';

const { CallToolRequestSchema, InitializedNotificationSchema, Server } = sdk;

const OWN = {
  'zod 4': z.object({ method: z.literal('own/double'), params: z.object({ count: z.number() }) }),
  'zod mini': mini.object({ method: mini.literal('own/double'), params: mini.object({ count: mini.number() }) }),
  'zod 3': z3.object({ method: z3.literal('own/double'), params: z3.object({ count: z3.number() }) }),
};

test('both ways of loading give the same', () => {
  const required = createRequire(import.meta.url)('mcplite/compat/sdk');
  assert.deepEqual(Object.keys(required).sort(), Object.keys(sdk).sort());
  for (const name of Object.keys(sdk)) assert.equal(required[name], sdk[name]);
});

for (const [library, schema] of Object.entries(OWN)) {
  test(`${library}: a schema with a literal method is for that method, and validates`, WITHIN, async () => {
    const server = serverWith([[schema, ({ method, params }) => ({ method, doubled: params.count * 2 })]]);
    for (const era of Object.values(ERAS)) {
      const { ask } = await connected(server, era);
      const { method, doubled } = await ask('own/double', { count: 4 });
      assert.deepEqual([method, doubled], ['own/double', 8]);
      await assert.rejects(ask('own/double', { count: 'four' }), ({ code, message }) => code === -32602 && message.includes('params.count'));
    }
    await server.close();
  });
}

test('a method of the protocol may be described by zod as well', WITHIN, async () => {
  const schema = z.object({ method: z.literal('tools/call'), params: z.object({ name: z.enum(['known']) }) });
  const server = serverWith([[schema, ({ params }) => ({ content: [{ type: 'text', text: params.name }] })]]);
  const { ask } = await connected(server);
  assert.equal((await ask('tools/call', { name: 'known' })).content[0].text, 'known');
  await assert.rejects(ask('tools/call', { name: 'other' }), { code: -32602 });
  await server.close();
});

test('a schema may change what the handler gets, and take its time', WITHIN, async () => {
  const params = z.object({ text: z.string().transform(async (text) => text.toUpperCase()) });
  const server = serverWith([[z.object({ method: z.literal('own/shout'), params }), ({ params: { text } }) => ({ text })]]);
  const { ask } = await connected(server);
  assert.equal((await ask('own/shout', { text: 'hey' })).text, 'HEY');
  await server.close();
});

test('plain descriptions name a method and validate nothing', WITHIN, async () => {
  const plain = ['own/text', { method: 'own/member' }, { properties: { method: { const: 'own/json' } } }];
  const server = serverWith(plain.map((schema) => [schema, ({ method, params }) => ({ method, params })]));
  const { ask } = await connected(server);
  for (const method of ['own/text', 'own/member', 'own/json']) {
    assert.deepEqual(await ask(method, { a: [1] }), { method, params: { a: [1] } });
    assert.deepEqual(await ask(method), { method, params: {} });
  }
  await server.close();
});

test('what names no method is refused, with an example', () => {
  const server = new Server({ name: 'x', version: '1' });
  for (const schema of [undefined, null, '', 5, {}, z.object({ name: z.string() }), z.object({ method: z.string() }), z.string()]) {
    assert.throws(() => server.setRequestHandler(schema, () => ({})), /z\.literal/);
  }
  assert.throws(() => server.setRequestHandler(CallToolRequestSchema), /function/);
  assert.throws(() => new Server(), /name/);
});

test('what the engine does for everybody has no handlers, and says what to do', () => {
  const server = new Server({ name: 'x', version: '1' });
  assert.throws(() => server.setRequestHandler(sdk.InitializeRequestSchema, () => ({})), /serverInfo/);
  assert.throws(() => server.setNotificationHandler(sdk.CancelledNotificationSchema, () => {}), /extra\.signal/);
});

test('requests that lack what they need are refused before their handler', WITHIN, async () => {
  const never = () => assert.fail('the handler was called');
  const schemas = [sdk.CallToolRequestSchema, sdk.ReadResourceRequestSchema, sdk.GetPromptRequestSchema, sdk.SubscribeRequestSchema];
  const server = serverWith(schemas.map((schema) => [schema, never]));
  const { ask } = await connected(server);
  await assert.rejects(ask('tools/call', {}), { code: -32602, message: 'Invalid params: params.name: is missing' });
  await assert.rejects(ask('tools/call', { name: 5 }), { code: -32602, message: 'Invalid params: params.name: must be of type string' });
  await assert.rejects(ask('tools/call', { name: 'x', arguments: [] }), { code: -32602, message: 'Invalid params: params.arguments: must be of type object' });
  await assert.rejects(ask('resources/read'), { code: -32602 });
  await assert.rejects(ask('prompts/get', { arguments: {} }), { code: -32602 });
  await assert.rejects(ask('resources/subscribe', { uri: 1 }), { code: -32602 });
  await server.close();
});

test('schemas of the package can be used by themselves', () => {
  const request = { method: 'tools/call', params: { name: 'x' } };
  assert.equal(CallToolRequestSchema.shape.method.value, 'tools/call');
  assert.equal(CallToolRequestSchema.parse(request), request);
  assert.deepEqual(CallToolRequestSchema.safeParse(request), { success: true, data: request });
  assert.equal(CallToolRequestSchema.safeParse({ method: 'tools/list' }).success, false);
  assert.throws(() => CallToolRequestSchema.parse(null), { code: -32602 });
  assert.deepEqual(InitializedNotificationSchema['~standard'].validate({ method: 'notifications/initialized' }).issues, undefined);
  assert.deepEqual(CallToolRequestSchema['~standard'].validate({ method: 'tools/call', params: 5 }).issues, [{ message: 'must be an object', path: ['params'] }]);
});
