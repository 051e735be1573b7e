// The server of the SDK's API at the edges: what handlers get, return and throw, and everything that is not a request.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';

import {
  CallToolRequestSchema, ErrorCode, InitializedNotificationSchema, ListToolsRequestSchema, McpError, PingRequestSchema,
  RootsListChangedNotificationSchema, Server, SetLevelRequestSchema,
} from 'mcplite/compat/sdk';

import { ERAS, WITHIN, connected, latch, plain, serverWith } from './compat_sdk_support.mjs';

const INFO = { name: 'edges', version: '1' };

test('whatever is thrown is an error', WITHIN, async () => {
  const hostile = new Proxy({}, { get() { throw new Error('do not touch'); } });
  const cases = [
    [new Error('plain'), { code: -32603, message: 'plain' }],
    [new Error(''), { code: -32603, message: 'Internal error' }],
    [Object.assign(new Error('own'), { code: 7, data: [1] }), { code: 7, message: 'own', data: [1] }],
    [Object.assign(new Error('no such file'), { code: 'ENOENT' }), { code: -32603, message: 'no such file' }],
    [new McpError(ErrorCode.InvalidParams, 'wrong'), { code: -32602, message: 'wrong' }],
    [{ code: 9, message: 'an object' }, { code: 9, message: 'an object' }],
    [{ code: 2 ** 40, message: 'too big' }, { code: -32603, message: 'too big' }],
    ['text', { code: -32603, message: 'text' }],
    [undefined, { code: -32603, message: 'Internal error' }],
    [null, { code: -32603, message: 'Internal error' }],
    [42, { code: -32603, message: 'Internal error' }],
    [hostile, { code: -32603, message: 'Internal error' }],
  ];
  const server = serverWith([
    ['now', ({ params }) => { throw cases[params.place][0]; }],
    ['later', async ({ params }) => { throw cases[params.place][0]; }],
  ]);
  for (const era of [ERAS['2024-11-05'], ERAS['2026-07-28']]) {
    const { ask } = await connected(server, era);
    for (const [place, [, error]] of cases.entries()) {
      await assert.rejects(ask('now', { place }), error);
      await assert.rejects(ask('later', { place }), error);
    }
  }
  await server.close();
});

test('results are objects, and nothing is an empty one', WITHIN, async () => {
  const values = [undefined, null, {}, { a: 1 }];
  const server = serverWith([
    ['own/value', ({ params }) => values[params.place]],
    ['own/wrong', async ({ params }) => params.value],
    [CallToolRequestSchema, () => undefined],
  ]);
  const { ask } = await connected(server);
  for (const [place, value] of values.entries()) assert.deepEqual(await ask('own/value', { place }), value ?? {});
  for (const value of ['text', 5, true, [1]]) {
    await assert.rejects(ask('own/wrong', { value }), { code: -32603, message: /must return an object/ });
  }
  assert.deepEqual(await ask('tools/call', { name: 'x' }), { content: [] });
  await server.close();
});

test('content that is none is an error, and reported', WITHIN, async () => {
  const errors = [];
  const server = serverWith([[CallToolRequestSchema, () => ({ content: [{ type: 'nonsense' }] })]]);
  server.onerror = (error) => errors.push(error);
  const { ask } = await connected(server);
  await assert.rejects(ask('tools/call', { name: 'x' }), { code: -32603 });
  assert.equal(errors.length, 1);
  await server.close();
});

test('unknown methods and malformed messages get precise errors', WITHIN, async () => {
  const server = serverWith([]);
  const { carrier, ask } = await connected(server);
  await assert.rejects(ask('no/such'), { code: -32601 });
  await assert.rejects(ask('prompts/get', { name: 'x' }), { code: -32602 });
  for (const message of [null, 5, [], {}, { jsonrpc: '1.0', method: 'ping' }, '{"jsonrpc"']) {
    carrier.deliver(message);
    const { error } = await carrier.next();
    assert.ok([-32600, -32700].includes(error.code));
  }
  assert.deepEqual(await ask('ping'), {});
  await server.close();
});

test('a message that has no text is reported', WITHIN, async () => {
  const errors = [];
  const server = serverWith([]);
  server.onerror = (error) => errors.push(error);
  const { carrier, ask } = await connected(server);
  carrier.deliver({ jsonrpc: '2.0', id: 1n, method: 'ping' });
  assert.equal(errors.length, 1);
  assert.deepEqual(await ask('ping'), {});
  await server.close();
});

test('a handler knows its request and its client', WITHIN, async () => {
  let seen;
  const server = serverWith([[CallToolRequestSchema, (request, extra) => {
    const { requestId, sessionId, _meta, signal, requestInfo, context } = extra;
    seen = { request, requestId, sessionId, _meta, isAborted: signal.aborted, requestInfo, revision: context.revision };
    return { content: [] };
  }]]);
  const { ask } = await connected(server, ERAS['2025-06-18']);
  const params = { name: 'x', arguments: { a: 1 }, _meta: { 'example.org/trace': 'abc' } };
  await ask('tools/call', params);
  assert.deepEqual(seen, {
    request: { method: 'tools/call', params }, requestId: 1, sessionId: undefined, _meta: params._meta, isAborted: false,
    requestInfo: { headers: {} }, revision: '2025-06-18',
  });
  assert.deepEqual(server.getClientVersion(), { name: 'test', version: '1' });
  assert.deepEqual(server.getClientCapabilities(), {});
  await server.close();
});

test('a cancelled request aborts its signal, and is not answered', WITHIN, async () => {
  const aborted = latch();
  const server = serverWith([[CallToolRequestSchema, (_, { signal }) => new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      aborted.open();
      resolve({ content: [] });
    });
  })]]);
  const { carrier, ask } = await connected(server);
  carrier.deliver({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params: { name: 'x' } });
  carrier.deliver({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } });
  await aborted.opened;
  assert.deepEqual(await ask('ping'), {});
  await server.close();
  assert.deepEqual(carrier.sent, []);
});

test('progress and log messages belong to their request', WITHIN, async () => {
  const server = serverWith([[CallToolRequestSchema, async (_, extra) => {
    const { progressToken } = extra._meta;
    await extra.sendNotification({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 2 } });
    await extra.sendNotification({ method: 'notifications/message', params: { level: 'warning', data: { low: true }, logger: 'tank' } });
    await extra.sendNotification({ method: 'notifications/own', params: { a: 1 } });
    return { content: [] };
  }]], { capabilities: { tools: {}, logging: {} } });
  const { carrier, ask } = await connected(server);
  await ask('tools/call', { name: 'x', _meta: { progressToken: 'p' } });
  const told = Object.fromEntries(carrier.sent.map(({ method, params }) => [method, params]));
  assert.deepEqual(told, {
    'notifications/progress': { progressToken: 'p', progress: 1, total: 2 },
    'notifications/message': { level: 'warning', data: { low: true }, logger: 'tank' },
    'notifications/own': { a: 1 },
  });
  await server.close();
});

test('notifications of the program reach all that want them', WITHIN, async () => {
  const server = serverWith([], { capabilities: { tools: {}, resources: {}, prompts: {}, logging: {} } });
  const { carrier } = await connected(server);
  await server.sendToolListChanged();
  await server.sendResourceListChanged();
  await server.sendPromptListChanged();
  await server.sendLoggingMessage({ level: 'info', data: 'hello' });
  await server.notification({ method: 'notifications/own', params: { a: 1 } });
  await server.sendResourceUpdated({ uri: 'memo://nobody-watches' });
  await server.close();
  assert.deepEqual(carrier.sent.map(({ method }) => method).sort(), [
    'notifications/message', 'notifications/own', 'notifications/prompts/list_changed', 'notifications/resources/list_changed',
    'notifications/tools/list_changed',
  ]);
});

test('notifications of clients are heard', WITHIN, async () => {
  const heard = [];
  const done = latch();
  const errors = [];
  const server = new Server(INFO);
  server.oninitialized = () => heard.push('oninitialized');
  server.onerror = (error) => errors.push(error.message);
  server.setNotificationHandler(InitializedNotificationSchema, ({ method }) => { heard.push(method); });
  server.setNotificationHandler(RootsListChangedNotificationSchema, async () => { throw new Error('no roots'); });
  const Own = z.object({ method: z.literal('notifications/own'), params: z.object({ count: z.number() }) });
  server.setNotificationHandler(Own, ({ params }) => {
    heard.push(params.count);
    done.open();
  });
  const { carrier } = await connected(server);
  carrier.deliver({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
  carrier.deliver({ jsonrpc: '2.0', method: 'notifications/own', params: { count: 'many' } });
  carrier.deliver({ jsonrpc: '2.0', method: 'notifications/nobody' });
  carrier.deliver({ jsonrpc: '2.0', method: 'notifications/own', params: { count: 3 } });
  await done.opened;
  assert.deepEqual(heard, ['oninitialized', 'notifications/initialized', 3]);
  assert.equal(errors.length, 2);
  assert.ok(errors.includes('no roots'));
  assert.ok(errors.some((text) => text.includes('params.count')));
  server.removeNotificationHandler('notifications/own');
  carrier.deliver({ jsonrpc: '2.0', method: 'notifications/own', params: { count: 4 } });
  await server.close();
  assert.equal(heard.at(-1), 3);
});

test('handlers can be set, replaced and removed while clients are connected', WITHIN, async () => {
  const server = serverWith([]);
  const { ask } = await connected(server);
  await assert.rejects(ask('own/method'), { code: -32601 });
  server.setRequestHandler('own/method', () => ({ version: 1 }));
  assert.deepEqual(await ask('own/method'), { version: 1 });
  assert.throws(() => server.assertCanSetRequestHandler('own/method'), /already exists/);
  server.setRequestHandler('own/method', () => ({ version: 2 }));
  assert.deepEqual(await ask('own/method'), { version: 2 });
  server.removeRequestHandler('own/method');
  server.assertCanSetRequestHandler('own/method');
  await assert.rejects(ask('own/method'), { code: -32601 });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }));
  assert.deepEqual(await ask('tools/list'), { tools: [] });
  await server.close();
});

test('there can be somebody for everything else', WITHIN, async () => {
  const heard = [];
  const server = serverWith([['own/method', () => ({ by: 'its handler' })]]);
  const { carrier, ask } = await connected(server);
  server.fallbackRequestHandler = ({ method, params }) => ({ by: 'fallback', method, params });
  server.fallbackNotificationHandler = ({ method }) => { heard.push(method); };
  assert.deepEqual(await ask('own/method'), { by: 'its handler' });
  assert.deepEqual(await ask('any/thing', { a: 1 }), { by: 'fallback', method: 'any/thing', params: { a: 1 } });
  carrier.deliver({ jsonrpc: '2.0', method: 'notifications/any' });
  assert.deepEqual(await ask('ping'), {});
  assert.deepEqual(heard, ['notifications/any']);
  server.fallbackRequestHandler = undefined;
  await assert.rejects(ask('any/thing'), { code: -32601 });
  server.fallbackNotificationHandler = undefined;
  await assert.rejects(ask('any/thing'), { code: -32601 });
  await server.close();
});

test('ping and log levels have handlers besides the engine', WITHIN, async () => {
  const levels = [];
  const server = serverWith([
    [PingRequestSchema, () => ({ at: 'once' })],
    [SetLevelRequestSchema, ({ params }) => { levels.push(params.level); }],
    [CallToolRequestSchema, (_, { context }) => {
      context.log('info', 'hidden');
      context.log('error', 'shown');
      return { content: [] };
    }],
  ], { capabilities: { tools: {}, logging: {} } });
  const { carrier, ask } = await connected(server);
  assert.deepEqual(await ask('ping'), { at: 'once' });
  assert.deepEqual(await ask('logging/setLevel', { level: 'warning' }), {});
  await assert.rejects(ask('logging/setLevel', { level: 'loud' }), { code: -32602 });
  assert.deepEqual(levels, ['warning']);
  await ask('tools/call', { name: 'x' });
  await server.sendLoggingMessage({ level: 'notice', data: 'hidden too' });
  await server.sendLoggingMessage({ level: 'alert', data: 'shown too' });
  await server.close();
  assert.deepEqual(carrier.sent.map(({ params }) => params.data), ['shown', 'shown too']);
});

test('capabilities can be added until somebody is connected', WITHIN, async () => {
  const server = new Server(INFO, { capabilities: { resources: {} } });
  server.registerCapabilities({ tools: {}, resources: { subscribe: true } });
  const { greeting } = await connected(server);
  assert.deepEqual(Object.keys(greeting.capabilities).sort(), ['resources', 'tools']);
  assert.throws(() => server.registerCapabilities({ prompts: {} }), /after connecting/);
  await server.close();
});

test('a logger is told of connections and of errors that nobody expects', WITHIN, async () => {
  const lines = [];
  const logger = { info: (...texts) => lines.push(['info', ...texts]), error: (...texts) => lines.push(['error', ...texts]) };
  const server = serverWith([[CallToolRequestSchema, ({ params }) => {
    throw params.name === 'expected' ? new McpError(1, 'expected') : new Error('unexpected');
  }]], { logger });
  const { carrier, ask } = await connected(server);
  await assert.rejects(ask('tools/call', { name: 'expected' }));
  await assert.rejects(ask('tools/call', { name: 'other' }));
  carrier.fail(new Error('the line crackles'));
  await server.close();
  assert.deepEqual(lines.map(([level, text, error]) => [level, text, error?.message]), [
    ['info', 'example-server is connected', undefined],
    ['error', 'tools/call failed:', 'unexpected'],
    ['error', 'mcplite:', 'the line crackles'],
    ['info', 'example-server is disconnected', undefined],
  ]);
});

test('a request that takes too long is answered for its handler', WITHIN, async () => {
  const server = serverWith([['own/slow', () => new Promise(() => {})]], { timeout: 20 });
  const { ask } = await connected(server);
  await assert.rejects(ask('own/slow'), ({ message }) => /deadline/.test(message));
  await server.close();
});

test('limits hold: nesting, and requests that are open at once', WITHIN, async () => {
  const gate = latch();
  const server = serverWith([['own/wait', () => gate.opened.then(() => ({}))]], { limits: { openCalls: 2, depth: 8 } });
  const { carrier, ask } = await connected(server);
  for (const id of ['a', 'b', 'c']) carrier.deliver({ jsonrpc: '2.0', id, method: 'own/wait' });
  assert.equal((await carrier.next()).error.code, -32600);
  let deep = {};
  for (let level = 0; level < 20; level += 1) deep = { deep };
  await assert.rejects(ask('own/wait', deep), { code: -32600 });
  gate.open();
  await server.close();
  assert.deepEqual(carrier.sent.map(({ id }) => id), ['a', 'b']);
});

test('handlers can ask their client, by the context of mcplite', WITHIN, async () => {
  const server = serverWith([[CallToolRequestSchema, async (_, { context }) => {
    const { data } = await context.elicit('Who are you?', { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] });
    return { content: [{ type: 'text', text: `Hello, ${data.name}!` }] };
  }]]);
  const era = ERAS['2026-07-28'];
  const { carrier } = await connected(server, era);
  const _meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
  const call = (id, more) => {
    const request = era.request(id, 'tools/call', { name: 'greet', ...more });
    Object.assign(request.params._meta, _meta);
    return carrier.ask(request);
  };
  const { result: asked } = await call(1);
  assert.equal(asked.resultType, 'input_required');
  const [key] = Object.keys(asked.inputRequests);
  const inputResponses = { [key]: { action: 'accept', content: { name: 'Ada' } } };
  const { result } = await call(2, { inputResponses, requestState: asked.requestState });
  assert.deepEqual(plain(result), { content: [{ type: 'text', text: 'Hello, Ada!' }] });
  await server.close();
});
