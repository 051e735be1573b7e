// What happens to a server of BMAD-MCP at the edges: odd values, odd messages, failing transports, and the end.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';

import * as bmad from 'mcplite/compat/bmad';

const { McpServer, MemoryTransport, makeError, makeResult } = bmad;
const WITHIN = { timeout: 10_000 };
const INITIALIZE = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'test', version: '1' } };

async function started(handlers, options = {}, transport = new MemoryTransport()) {
  const server = new McpServer(transport, { name: 'edges', ...options });
  for (const [method, handler] of Object.entries(handlers)) server.on(method, handler);
  await server.start();
  return { server, transport };
}

function request(id, method, params) {
  return params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params };
}

/** What comes back at once for a message. */
function exchange(transport, message) {
  transport.inbox.length = 0;
  transport.receive(message);
  return transport.inbox[0];
}

function latch() {
  let open;
  const opened = new Promise((resolve) => { open = resolve; });
  return { open, opened };
}

test('both ways of loading give the same', () => {
  const required = createRequire(import.meta.url)('mcplite/compat/bmad');
  assert.deepEqual(Object.keys(required).sort(), Object.keys(bmad).sort());
  assert.equal(required.McpServer, McpServer);
});

test('results are sent as they are, whatever they are', WITHIN, async () => {
  const values = ['text', 0, -1.5, true, false, null, [], [1, [2]], {}, { deep: { er: [null] } }];
  const { server, transport } = await started({ at: (place) => values[place], later: async (place) => values[place] });
  values.forEach((value, place) => {
    assert.deepEqual(exchange(transport, request(place, 'at', place)), { jsonrpc: '2.0', id: place, result: value });
  });
  transport.inbox.length = 0;
  values.forEach((_, place) => transport.receive(request(place, 'later', place)));
  await server.stop();
  assert.deepEqual(transport.inbox.map((message) => message.result), values);
});

test('nothing is null', WITHIN, async () => {
  const { server, transport } = await started({ nothing: () => {}, later: async () => {} });
  assert.deepEqual(exchange(transport, request(1, 'nothing')), { jsonrpc: '2.0', id: 1, result: null });
  transport.receive(request(2, 'later'));
  await server.stop();
  assert.deepEqual(transport.inbox[1], { jsonrpc: '2.0', id: 2, result: null });
});

test('params are what the client sent, also if that is nothing', WITHIN, async () => {
  const seen = [];
  const { server, transport } = await started({ see: (params) => { seen.push(params); } });
  for (const params of [undefined, null, 'text', 5, [1], { a: 1 }]) transport.receive(request(1, 'see', params));
  assert.deepEqual(seen, [undefined, null, 'text', 5, [1], { a: 1 }]);
  await server.stop();
});

test('ids come back as they were: texts, numbers, zero, and null', WITHIN, async () => {
  const { server, transport } = await started({ echo: (params) => params });
  for (const id of ['a', '', 0, -1, 1.5, 2 ** 53 - 1, null]) assert.equal(exchange(transport, request(id, 'echo', 1)).id, id);
  assert.deepEqual(exchange(transport, request(null, 'unknown')), {
    jsonrpc: '2.0', id: null, error: { code: -32601, message: 'Method not found: unknown' },
  });
  await server.stop();
});

test('whatever is thrown is an error', WITHIN, async () => {
  const missing = Object.assign(new Error('no such file'), { code: 'ENOENT' });
  const hostile = new Proxy({}, { get() { throw new Error('do not touch'); } });
  const cases = [
    [new Error('plain'), { code: -32603, message: 'plain' }],
    [new TypeError(''), { code: -32603, message: 'Internal error' }],
    [Object.assign(new Error('own'), { code: 7, data: [1] }), { code: 7, message: 'own', data: [1] }],
    [missing, { code: -32603, message: 'no such file' }],
    ['text', { code: -32603, message: 'text' }],
    [undefined, { code: -32603, message: 'Internal error' }],
    [null, { code: -32603, message: 'Internal error' }],
    [42, { code: -32603, message: 'Internal error' }],
    [{ code: 1.5, message: 'half a code' }, { code: -32603, message: 'half a code' }],
    [{ code: 9 }, { code: 9, message: 'Internal error' }],
    [{ code: 0, message: 'zero', data: null }, { code: 0, message: 'zero', data: null }],
    [makeError('another id', -32001, 'made', { a: 1 }), { code: -32001, message: 'made', data: { a: 1 } }],
    [hostile, { code: -32603, message: 'Internal error' }],
  ];
  const { server, transport } = await started({
    now: (place) => { throw cases[place][0]; },
    later: async (place) => { throw cases[place][0]; },
  });
  cases.forEach(([, error], place) => {
    assert.deepEqual(exchange(transport, request(place, 'now', place)), { jsonrpc: '2.0', id: place, error });
  });
  transport.inbox.length = 0;
  cases.forEach((_, place) => transport.receive(request(place, 'later', place)));
  await server.stop();
  const errors = new Map(transport.inbox.map((message) => [message.id, message.error]));
  cases.forEach(([, error], place) => assert.deepEqual(errors.get(place), error));
});

test('responses that handlers return are not wrapped once more, and answer their own request', WITHIN, async () => {
  const { server, transport } = await started({
    result: (_, call) => makeResult(call.id, 'made'),
    error: (_, call) => makeError(call.id, 100, 'made'),
    stranger: () => makeResult('of somebody else', 'made'),
    byHand: (_, call) => ({ jsonrpc: '2.0', id: call.id, result: { data: 'value' } }),
    relayed: () => ({ jsonrpc: '2.0', id: 'of somebody else', result: 1 }),
  });
  assert.deepEqual(exchange(transport, request(1, 'result')), { jsonrpc: '2.0', id: 1, result: 'made' });
  assert.deepEqual(exchange(transport, request(2, 'error')), { jsonrpc: '2.0', id: 2, error: { code: 100, message: 'made' } });
  assert.deepEqual(exchange(transport, request(3, 'stranger')), { jsonrpc: '2.0', id: 3, result: 'made' });
  assert.deepEqual(exchange(transport, request(4, 'byHand')), { jsonrpc: '2.0', id: 4, result: { data: 'value' } });
  const data = { jsonrpc: '2.0', id: 'of somebody else', result: 1 };
  assert.deepEqual(exchange(transport, request(5, 'relayed')), { jsonrpc: '2.0', id: 5, result: data });
  await server.stop();
});

test('malformed messages get precise errors', WITHIN, async () => {
  const { server, transport } = await started({ echo: (params) => params });
  let deep = {};
  for (let level = 0; level < 100; level += 1) deep = { deep };
  const endless = request(1, 'echo');
  endless.params = endless;
  const cases = [
    ['{"jsonrpc":', -32700, null],
    [Buffer.from([0x7b, 0xff, 0x7d]), -32700, null],
    [null, -32600, null],
    [undefined, -32600, null],
    [5, -32600, null],
    [[], -32600, null],
    [{}, -32600, null],
    [{ id: 1, method: 'echo' }, -32600, 1],
    [{ jsonrpc: '1.0', id: 1, method: 'echo' }, -32600, 1],
    [{ jsonrpc: '2.0', id: 1 }, -32600, 1],
    [{ jsonrpc: '2.0', id: 1, method: 5 }, -32600, 1],
    [{ jsonrpc: '2.0', id: {}, method: 'echo' }, -32600, null],
    [{ jsonrpc: '2.0', id: NaN, method: 'echo' }, -32600, null],
    [request('i'.repeat(2000), 'echo'), -32600, null],
    [request(1, 'echo', deep), -32600, 1],
    [endless, -32600, 1],
    [request(1, ''), -32601, 1],
    [request(1, '__proto__'), -32601, 1],
    [request(1, 'constructor/x'), -32601, 1],
  ];
  for (const [message, code, id] of cases) {
    const { error, ...rest } = exchange(transport, message);
    assert.deepEqual([error.code, rest], [code, { jsonrpc: '2.0', id }]);
    assert.equal(transport.inbox.length, 1);
  }
  assert.equal(exchange(transport, request(1, 'echo', 'still here')).result, 'still here');
  assert.equal(exchange(transport, { jsonrpc: '2.0', id: 1, result: {} }), undefined, 'responses to nothing are ignored');
  assert.equal(exchange(transport, { jsonrpc: '2.0', method: 'notifications/big', params: 1n }), undefined, 'notifications are not answered');
  await server.stop();
});

test('messages may come as their text', WITHIN, async () => {
  const { server, transport } = await started({ echo: (params) => params }, { limits: { messageBytes: 1024 } });
  const text = JSON.stringify(request('t', 'echo', ['ü']));
  assert.deepEqual(exchange(transport, text), { jsonrpc: '2.0', id: 't', result: ['ü'] });
  assert.deepEqual(exchange(transport, Buffer.from(text)), { jsonrpc: '2.0', id: 't', result: ['ü'] });
  assert.equal(exchange(transport, JSON.stringify(request('t', 'echo', 'x'.repeat(2000)))).error.code, -32600);
  await server.stop();
});

test('clients that begin with a handshake get one, with the revision of the server', WITHIN, async () => {
  const handlers = { 'tools/list': () => ({ tools: [] }), 'resources/read': () => ({ contents: [] }) };
  const { server, transport } = await started(handlers, { version: '3' });
  assert.equal(exchange(transport, request(0, 'tools/call', { name: 'x' })).error.code, -32601);
  const { result } = exchange(transport, request(1, 'initialize', { ...INITIALIZE, protocolVersion: '2025-11-25' }));
  assert.equal(result.protocolVersion, '2024-11-05');
  assert.deepEqual(result.serverInfo, { name: 'edges', version: '3' });
  assert.deepEqual(Object.keys(result.capabilities).sort(), ['resources', 'tools']);
  assert.equal(exchange(transport, { jsonrpc: '2.0', method: 'notifications/initialized' }), undefined);
  assert.deepEqual(exchange(transport, request(2, 'tools/list')).result, { tools: [] });
  assert.equal(exchange(transport, request(3, 'tools/call', { name: 'x' })).error.code, -32602);
  assert.deepEqual(exchange(transport, request(4, 'resources/subscribe', { uri: 'a:b' })).result, {});
  assert.equal(exchange(transport, request(5, 'logging/setLevel', { level: 'info' })).error.code, -32601);
  assert.equal(exchange(transport, request(6, 'prompts/list')).error.code, -32601);
  await server.stop();
});

test('a server may have another revision, and its own handshake', WITHIN, async () => {
  const newer = await started({}, { protocolVersion: '2025-06-18' });
  assert.equal(exchange(newer.transport, request(1, 'initialize', INITIALIZE)).result.protocolVersion, '2025-06-18');
  await newer.server.stop();
  const own = await started({ initialize: () => ({ protocolVersion: 'mine' }) });
  assert.deepEqual(exchange(own.transport, request(1, 'initialize', INITIALIZE)).result, { protocolVersion: 'mine' });
  await own.server.stop();
  const newest = await started({ echo: (params) => params }, { protocolVersion: '2026-07-28' });
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
  assert.deepEqual(exchange(newest.transport, request(1, 'server/discover', { _meta })).result.supportedVersions, ['2026-07-28']);
  assert.equal(exchange(newest.transport, request(2, 'echo', 'without _meta')).result, 'without _meta');
  await newest.server.stop();
  await assert.rejects(started({}, { protocolVersion: '1999-12-31' }), /1999-12-31|revision/);
});

test('what is given wrongly is refused at once', () => {
  const transport = new MemoryTransport();
  assert.throws(() => new McpServer({}, { name: 'x' }), /start\(\)/);
  assert.throws(() => new McpServer(undefined, { name: 'x' }), TypeError);
  assert.throws(() => new McpServer(transport, {}), /name/);
  const server = new McpServer(transport, { name: 'x' });
  assert.throws(() => server.on('', () => {}), TypeError);
  assert.throws(() => server.on('echo'), /function/);
});

test('a handler can be replaced, also while the server runs', WITHIN, async () => {
  const { server, transport } = await started({ version: () => 1 });
  server.on('version', () => 2);
  server.on('late', () => 'late');
  assert.equal(exchange(transport, request(1, 'version')).result, 2);
  assert.equal(exchange(transport, request(1, 'late')).result, 'late');
  await server.stop();
});

test('a cancelled request is not answered, and its handler can know', WITHIN, async () => {
  const gate = latch();
  const reasons = [];
  const { server, transport } = await started({
    async slow(_, __, call) {
      call.signal.addEventListener('abort', () => reasons.push(call.signal.reason));
      await gate.opened;
      return 'late';
    },
  });
  transport.receive(request('s', 'slow'));
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 's', reason: 'changed my mind' } };
  transport.receive(cancel);
  transport.receive(cancel);
  assert.deepEqual(reasons, ['changed my mind']);
  transport.receive(request('s', 'slow'));
  gate.open();
  await server.stop();
  assert.deepEqual(transport.inbox, [{ jsonrpc: '2.0', id: 's', result: 'late' }]);
});

test('an id that is still open is refused, and so are too many requests', WITHIN, async () => {
  const gate = latch();
  const { server, transport } = await started({ wait: () => gate.opened }, { limits: { openCalls: 2 } });
  transport.receive(request(1, 'wait'));
  assert.match(exchange(transport, request(1, 'wait')).error.message, /still open/);
  transport.receive(request(null, 'wait'));
  const { error } = exchange(transport, request(3, 'wait'));
  assert.deepEqual([error.code, error.message], [-32600, 'Limit exceeded: 2 requests are open']);
  gate.open('done');
  transport.inbox.length = 0;
  await server.stop();
  assert.deepEqual(transport.inbox.map(({ id, result }) => [id, result]), [[1, 'done'], [null, 'done']]);
});

test('stop waits for requests in progress, and refuses others meanwhile', WITHIN, async () => {
  const gate = latch();
  const events = [];
  class Log extends MemoryTransport {
    async stop() {
      events.push('stopped');
    }
    send(message) {
      events.push(message.error?.message ?? message.result);
    }
  }
  const { server, transport } = await started({ slow: () => gate.opened.then(() => 'slow'), note: () => events.push('noted') }, {}, new Log());
  transport.receive(request(1, 'slow'));
  const stopped = server.stop();
  assert.equal(server.stop(), stopped, 'stopping twice is stopping once');
  transport.receive(request(2, 'slow'));
  transport.receive({ jsonrpc: '2.0', method: 'note' });
  gate.open();
  await stopped;
  assert.deepEqual(events, ['the server takes no more requests', 'slow', 'stopped']);
  transport.receive(request(3, 'slow'));
  assert.equal(events.length, 3, 'a stopped server is silent');
});

test('starting twice is starting once, and a stopped server can start again', WITHIN, async () => {
  const calls = [];
  class Counting extends MemoryTransport {
    start() { calls.push('start'); }
    stop() { calls.push('stop'); }
    onMessage(handler) {
      calls.push('onMessage');
      super.onMessage(handler);
    }
  }
  const transport = new Counting();
  const server = new McpServer(transport, { name: 'x' });
  server.on('echo', (params) => params);
  await server.stop();
  await server.start();
  await server.start();
  await server.stop();
  await server.start();
  assert.equal(exchange(transport, request(1, 'echo', 1)).result, 1);
  await server.stop();
  assert.deepEqual(calls, ['onMessage', 'start', 'stop', 'start', 'stop']);
});

test('a transport that cannot start or stop says so to whoever started or stopped it', WITHIN, async () => {
  class Broken extends MemoryTransport {
    attempts = 0;
    async start() {
      this.attempts += 1;
      if (this.attempts === 1) throw new Error('port in use');
    }
    stop() {
      throw new Error('stuck');
    }
  }
  const transport = new Broken();
  const server = new McpServer(transport, { name: 'x' });
  await assert.rejects(server.start(), /port in use/);
  await server.stop();
  await server.start();
  await assert.rejects(server.stop(), /stuck/);
});

test('what cannot be sent is reported, and the server goes on', WITHIN, async () => {
  const errors = [];
  class Flaky extends MemoryTransport {
    send(message) {
      if (message.result === 'now') throw new Error('broken now');
      if (message.result === 'later') return Promise.reject(new Error('broken later'));
      return super.send(message);
    }
  }
  const onError = (error) => errors.push(error.message);
  const { server, transport } = await started({ echo: (params) => params }, { onError }, new Flaky());
  for (const params of ['now', 'later', 'fine']) transport.receive(request(params, 'echo', params));
  await server.stop();
  assert.deepEqual(errors, ['broken now', 'broken later']);
  assert.deepEqual(transport.inbox.map((message) => message.id), ['fine']);
});

test('an answer that is no JSON becomes an error where it is written', WITHIN, async () => {
  class Writing extends MemoryTransport {
    send(message) {
      super.send(JSON.parse(JSON.stringify(message)));
    }
  }
  const circle = {};
  circle.circle = circle;
  const { server, transport } = await started({
    big: () => 1n,
    circle: async () => circle,
    fail: () => { throw { code: 5, message: 'with data', data: circle }; },
  }, {}, new Writing());
  for (const method of ['big', 'fail', 'circle']) transport.receive(request(method, method));
  await server.stop();
  for (const { error } of transport.inbox) {
    assert.equal(error.code, -32603);
    assert.match(error.message, /cannot be written as JSON/);
  }
  assert.deepEqual(transport.inbox.map(({ id }) => id), ['big', 'fail', 'circle']);
});

test('errors of notifications are reported, since nobody else can be told', WITHIN, async () => {
  const errors = [];
  const onError = (error) => errors.push(error.message);
  const { server, transport } = await started({
    now: () => { throw new Error('now'); },
    later: async () => { throw new Error('later'); },
  }, { onError });
  transport.receive({ jsonrpc: '2.0', method: 'now' });
  transport.receive({ jsonrpc: '2.0', method: 'later' });
  await server.stop();
  assert.deepEqual(errors, ['now', 'later']);
  assert.deepEqual(transport.inbox, []);
});

test('a transport that nobody listens to says so', (context) => {
  const warn = context.mock.method(console, 'warn', () => {});
  new MemoryTransport().receive(request(1, 'echo'));
  assert.equal(warn.mock.callCount(), 1);
  assert.match(warn.mock.calls[0].arguments[0], /start/);
});
