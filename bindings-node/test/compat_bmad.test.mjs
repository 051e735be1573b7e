// What the reference of BMAD-MCP shows: its programs, with the import changed.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { JSON_RPC_ERROR, McpServer, MemoryTransport, isNotification, makeError, makeResult } from 'mcplite/compat/bmad';

const WITHIN = { timeout: 10_000 };

/** A server that has been started, and its transport. */
async function started(handlers, options = {}) {
  const transport = new MemoryTransport();
  const server = new McpServer(transport, { name: 'Test Server', ...options });
  for (const [method, handler] of Object.entries(handlers)) server.on(method, handler);
  await server.start();
  return { server, transport };
}

function request(id, method, params) {
  return params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params };
}

/** Resolves with what was sent, when there are so many messages. */
async function sent(transport, count = 1) {
  while (transport.inbox.length < count) await new Promise(setImmediate);
  return transport.inbox;
}

test('a server is made of a transport, a name, and perhaps versions', () => {
  const transport = new MemoryTransport();
  assert.ok(new McpServer(transport, { name: 'My First MCP Server', version: '1.0.0' }) instanceof McpServer);
  assert.ok(new McpServer(transport, { name: 'With a revision', protocolVersion: '2025-06-18' }) instanceof McpServer);
});

test('an echo, a greeting and a calculator answer at once', WITHIN, async () => {
  const { server, transport } = await started({
    echo: (params) => ({ message: params }),
    greet: (params) => ({ greeting: `Hello, ${params.name || 'friend'}!` }),
    'calculate.add': (params) => ({ result: params.a + params.b }),
  });
  transport.receive(request(1, 'echo', { text: 'hi' }));
  assert.deepEqual(transport.inbox[0], { jsonrpc: '2.0', id: 1, result: { message: { text: 'hi' } } });
  transport.receive(request(2, 'greet', { name: 'Ada' }));
  transport.receive(request(3, 'greet', {}));
  transport.receive(request(4, 'calculate.add', { a: 5, b: 3 }));
  const results = transport.inbox.slice(1).map((message) => message.result);
  assert.deepEqual(results, [{ greeting: 'Hello, Ada!' }, { greeting: 'Hello, friend!' }, { result: 8 }]);
  await server.stop();
});

test('ping is answered by its handler, and by the engine where there is none', WITHIN, async () => {
  const timestamp = 1621234567890;
  const { server, transport } = await started({ ping: () => ({ pong: true, timestamp }) });
  transport.receive(request('123', 'ping', {}));
  assert.deepEqual(transport.inbox[0], { jsonrpc: '2.0', id: '123', result: { pong: true, timestamp } });
  await server.stop();

  const bare = await started({});
  bare.transport.receive(request('123', 'ping', {}));
  assert.deepEqual(bare.transport.inbox, [{ jsonrpc: '2.0', id: '123', result: {} }]);
  await bare.server.stop();
});

test('several scenarios are tested by what is in the inbox', WITHIN, async () => {
  const { server, transport } = await started({
    add: (params) => ({ sum: params.a + params.b }),
    echo: (params) => ({ echo: params.message }),
  });
  transport.receive(request('test1', 'add', { a: 5, b: 3 }));
  transport.receive(request('test2', 'echo', { message: 'Hello, world!' }));
  assert.deepEqual(transport.inbox, [
    { jsonrpc: '2.0', id: 'test1', result: { sum: 8 } },
    { jsonrpc: '2.0', id: 'test2', result: { echo: 'Hello, world!' } },
  ]);
  await server.stop();
});

test('a handler that looks something up answers later, and its errors are errors', WITHIN, async () => {
  const users = new Map([['u1', { name: 'Alice' }]]);
  const database = {
    async findUser(id) {
      if (!users.has(id)) throw new Error('no row');
      return users.get(id);
    },
  };
  const { server, transport } = await started({
    async getUser({ userId }) {
      try {
        return { user: await database.findUser(userId) };
      } catch {
        throw new Error(`User not found: ${userId}`);
      }
    },
  });
  transport.receive(request('a', 'getUser', { userId: 'u1' }));
  transport.receive(request('b', 'getUser', { userId: 'u2' }));
  assert.deepEqual(transport.inbox, []);
  assert.deepEqual(await sent(transport, 2), [
    { jsonrpc: '2.0', id: 'a', result: { user: { name: 'Alice' } } },
    { jsonrpc: '2.0', id: 'b', error: { code: -32603, message: 'User not found: u2' } },
  ]);
  await server.stop();
});

test('a handler sees the whole request', WITHIN, async () => {
  const { server, transport } = await started({
    getMetadata: (params, call) => ({ method: call.method, id: call.id, version: call.jsonrpc, paramsReceived: params }),
  });
  transport.receive(request(456, 'getMetadata', [1, 2]));
  assert.deepEqual(transport.inbox[0].result, { method: 'getMetadata', id: 456, version: '2.0', paramsReceived: [1, 2] });
  await server.stop();
});

test('thrown objects are errors with the codes that they have', WITHIN, async () => {
  const deleted = { userId: 'deleted-user', deletedAt: '2023-05-10T15:30:00Z' };
  const { server, transport } = await started({
    async getUser(params) {
      if (!params.userId) throw { code: -32602, message: 'Missing required parameter: userId' };
      if (params.userId === 'deleted-user') throw { code: 100, message: 'User has been deleted', data: deleted };
      return { user: params.userId };
    },
  });
  transport.receive(request(1, 'getUser', {}));
  transport.receive(request(2, 'getUser', { userId: 'deleted-user' }));
  transport.receive(request(3, 'getUser', { userId: 'u' }));
  assert.deepEqual(await sent(transport, 3), [
    { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'Missing required parameter: userId' } },
    { jsonrpc: '2.0', id: 2, error: { code: 100, message: 'User has been deleted', data: deleted } },
    { jsonrpc: '2.0', id: 3, result: { user: 'u' } },
  ]);
  await server.stop();
});

test('codes of an application and of a server go out as given', WITHIN, async () => {
  const codes = { USER_NOT_FOUND: 100, RATE_LIMIT_EXCEEDED: 102, DATABASE_ERROR: -32000, CACHE_ERROR: -32001, RESERVED: -32099 };
  const { server, transport } = await started({
    fail: ({ name }) => {
      throw { code: codes[name], message: name };
    },
  });
  for (const name of Object.keys(codes)) transport.receive(request(name, 'fail', { name }));
  assert.deepEqual(transport.inbox.map(({ error }) => error.code), Object.values(codes));
  await server.stop();
});

test('middleware around handlers may make the response itself', WITHIN, async () => {
  const database = { findUser: async () => ({ profile: { name: 'Alice' }, settings: { theme: 'dark' } }) };
  const addTimestamp = (handler) => async (params, call) => {
    const result = await handler(params, call);
    return makeResult(call.id, { ...result, timestamp: '2023-04-15T14:30:00Z', requestDuration: 5 });
  };
  const { server, transport } = await started({
    getUserProfile: addTimestamp(async (params) => {
      const user = await database.findUser(params.userId);
      return { profile: user.profile, settings: user.settings };
    }),
  });
  transport.receive(request(7, 'getUserProfile', { userId: 'u' }));
  const [response] = await sent(transport);
  assert.deepEqual(response, {
    jsonrpc: '2.0', id: 7,
    result: { profile: { name: 'Alice' }, settings: { theme: 'dark' }, timestamp: '2023-04-15T14:30:00Z', requestDuration: 5 },
  });
  await server.stop();
});

test('a validation error is thrown as makeError makes it', WITHIN, async () => {
  const required = ['username', 'email', 'password'];
  const { server, transport } = await started({
    createUser(params, call) {
      const missing = required.filter((field) => !params[field]);
      if (missing.length > 0) {
        const data = { required, provided: Object.keys(params), missing };
        throw makeError(call.id, JSON_RPC_ERROR.INVALID_PARAMS, `Missing required fields: ${missing.join(', ')}`, data);
      }
      return { userId: 'user-1', username: params.username };
    },
  });
  transport.receive(request('r', 'createUser', { username: 'alice' }));
  transport.receive(request('s', 'createUser', { username: 'alice', email: 'a@example.com', password: '***' }));
  assert.deepEqual(transport.inbox, [
    {
      jsonrpc: '2.0', id: 'r',
      error: {
        code: -32602, message: 'Missing required fields: email, password',
        data: { required, provided: ['username'], missing: ['email', 'password'] },
      },
    },
    { jsonrpc: '2.0', id: 's', result: { userId: 'user-1', username: 'alice' } },
  ]);
  await server.stop();
});

test('what makes responses makes them as JSON-RPC has them', () => {
  assert.deepEqual(makeResult('request-123', { username: 'alice' }), { jsonrpc: '2.0', id: 'request-123', result: { username: 'alice' } });
  assert.deepEqual(makeResult(null, false), { jsonrpc: '2.0', id: null, result: false });
  assert.deepEqual(makeResult(1, undefined), { jsonrpc: '2.0', id: 1, result: null });
  const provided = { provided: { password: '***' } };
  assert.deepEqual(makeError('request-123', JSON_RPC_ERROR.INVALID_PARAMS, 'Missing', provided), {
    jsonrpc: '2.0', id: 'request-123', error: { code: -32602, message: 'Missing', data: provided },
  });
  assert.deepEqual(makeError(undefined, 1, 'm'), { jsonrpc: '2.0', id: null, error: { code: 1, message: 'm' } });
});

test('a request without an id is a notification', () => {
  assert.equal(isNotification({ jsonrpc: '2.0', method: 'log', params: { message: 'Hello' } }), true);
  assert.equal(isNotification({ jsonrpc: '2.0', id: '123', method: 'add' }), false);
  assert.equal(isNotification({ jsonrpc: '2.0', id: 0, method: 'add' }), false);
  assert.equal(isNotification({ jsonrpc: '2.0', id: null, method: 'add' }), false);
});

test('the codes are known by name, and their names by code', () => {
  assert.equal(JSON_RPC_ERROR.PARSE_ERROR, -32700);
  assert.equal(JSON_RPC_ERROR.INVALID_REQUEST, -32600);
  assert.equal(JSON_RPC_ERROR.METHOD_NOT_FOUND, -32601);
  assert.equal(JSON_RPC_ERROR.INVALID_PARAMS, -32602);
  assert.equal(JSON_RPC_ERROR.INTERNAL_ERROR, -32603);
  assert.equal(JSON_RPC_ERROR[-32601], 'METHOD_NOT_FOUND');
});

test('notifications are handled, and not answered', WITHIN, async () => {
  const stored = [];
  const { server, transport } = await started({
    logActivity(params) {
      stored.push(params);
      return 'which nobody gets to see';
    },
  });
  transport.receive({ jsonrpc: '2.0', method: 'logActivity', params: { action: 'login' } });
  transport.receive({ jsonrpc: '2.0', method: 'logNothing', params: {} });
  await server.stop();
  assert.deepEqual(stored, [{ action: 'login' }]);
  assert.deepEqual(transport.inbox, []);
});

test('the same handlers serve over any transport', WITHIN, async () => {
  /** A transport of one's own, whose methods are asynchronous and whose messages are text on the way. */
  class SocketTransport {
    log = [];
    answers = [];
    async start() {
      await null;
      this.log.push('start');
    }
    async stop() {
      await null;
      this.log.push('stop');
    }
    async send(message) {
      const text = JSON.stringify(message);
      await null;
      this.answers.push(JSON.parse(text));
    }
    onMessage(handler) {
      this.log.push('onMessage');
      this.messageHandler = handler;
    }
    arrive(text) {
      this.messageHandler(JSON.parse(text));
    }
  }
  const setUp = (server) => {
    server.on('echo', (params) => params);
    server.on('add', ({ a, b }) => ({ result: a + b }));
  };
  const socket = new SocketTransport();
  const production = new McpServer(socket, { name: 'Production Server' });
  const memory = new MemoryTransport();
  const testing = new McpServer(memory, { name: 'Test Server' });
  for (const server of [production, testing]) {
    setUp(server);
    await server.start();
  }
  socket.arrive(JSON.stringify(request(1, 'add', { a: 1, b: 2 })));
  memory.receive(request(1, 'add', { a: 1, b: 2 }));
  await production.stop();
  await testing.stop();
  assert.deepEqual(socket.answers, memory.inbox);
  assert.deepEqual(socket.log, ['onMessage', 'start', 'stop']);
});

test('clients read errors by their codes', WITHIN, async () => {
  const { server, transport } = await started({
    getUser: () => {
      throw { code: 100, message: 'User not found' };
    },
  });
  const call = (method, params) => {
    transport.receive(request('123', method, params));
    const response = transport.inbox.pop();
    return response.error === undefined ? response.result : response.error.code;
  };
  assert.equal(call('getUser', { userId: 'u' }), 100);
  assert.equal(call('getUserProfile', {}), -32601);
  await server.stop();
});
