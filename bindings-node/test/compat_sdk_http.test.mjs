// The HTTP transport of the SDK's API.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as send } from 'node:http';
import { test } from 'node:test';

import { CallToolRequestSchema, HttpServerTransport, ListToolsRequestSchema, SubscribeResourceRequestSchema } from 'mcplite/compat/sdk';

import { ERAS, WITHIN, latch, serverWith } from './compat_sdk_support.mjs';

const URI = 'memo://1';
const MODERN = ERAS['2026-07-28'];
const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };

async function listening(handlers, options = {}) {
  const transport = new HttpServerTransport({ port: 0, host: '127.0.0.1', path: '/mcp', ...options });
  const server = serverWith(handlers);
  await server.connect(transport);
  return { server, transport };
}

/** Posts a message; gives status, headers, and the response as a stream of text. */
async function post(transport, message, { headers = {}, host = '127.0.0.1', method = 'POST' } = {}) {
  const modern = message?.params?._meta === undefined ? {} : {
    'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': message.method, ...(message.params.name ? { 'Mcp-Name': message.params.name } : {}),
  };
  const given = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...modern, ...headers };
  const outgoing = send({ host, port: transport.port, path: '/mcp', method, headers: given, agent: false });
  outgoing.end(message === undefined ? '' : JSON.stringify(message));
  const [response] = await once(outgoing, 'response');
  response.setEncoding('utf8');
  return { status: response.statusCode, headers: response.headers, response, outgoing };
}

async function textOf({ response }) {
  let text = '';
  for await (const piece of response) text += piece;
  return text;
}

async function ask(transport, message, options) {
  const answer = await post(transport, message, options);
  const text = await textOf(answer);
  return { ...answer, body: text === '' ? null : JSON.parse(text) };
}

/** The messages of a stream of events, as they come. */
async function* events({ response }) {
  let text = '';
  for await (const piece of response) {
    text += piece;
    for (let end; (end = text.indexOf('\n\n')) >= 0; text = text.slice(end + 2)) {
      const data = text.slice(0, end).split('\n').filter((line) => line.startsWith('data:')).map((line) => line.slice(5).trim()).join('');
      if (data !== '') yield JSON.parse(data);
    }
  }
}

/** Greets as a client with a session; gives the headers of its requests. */
async function greeted(transport) {
  const { headers } = await ask(transport, { jsonrpc: '2.0', id: 0, method: 'initialize', params: INITIALIZE });
  const session = { 'Mcp-Session-Id': headers['mcp-session-id'], 'MCP-Protocol-Version': '2025-11-25' };
  await ask(transport, { jsonrpc: '2.0', method: 'notifications/initialized' }, { headers: session });
  return session;
}

/** News that nobody gives, until they are wanted no more. */
function silence() {
  const ended = latch();
  const iterator = { next: () => new Promise(() => {}), return: async () => { ended.open(); return { done: true }; } };
  return { ended: ended.opened, [Symbol.asyncIterator]: () => iterator };
}

test('clients of both eras are served at the same URL', WITHIN, async () => {
  const { server, transport } = await listening([
    [ListToolsRequestSchema, () => ({ tools: [] })],
    [CallToolRequestSchema, ({ params }, { requestInfo }) => ({ content: [{ type: 'text', text: `${params.name} ${requestInfo.headers['x-own']}` }] })],
  ]);
  assert.equal(transport.address().port, transport.port);
  assert.equal(transport.url, `http://127.0.0.1:${transport.port}/mcp`);
  const modern = await ask(transport, MODERN.request(1, 'tools/list'));
  assert.deepEqual([modern.status, modern.body.result.tools], [200, []]);
  const headers = { ...await greeted(transport), 'X-Own': 'header' };
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'x' } };
  const legacy = await ask(transport, call, { headers });
  assert.deepEqual([legacy.status, legacy.body.result.content], [200, [{ type: 'text', text: 'x header' }]]);
  await server.close();
});

test('connecting resolves when it listens, and fails where nobody can', WITHIN, async () => {
  const { server, transport } = await listening([]);
  const another = serverWith([]);
  await assert.rejects(another.connect(new HttpServerTransport({ port: transport.port })), { code: 'EADDRINUSE' });
  await assert.rejects(another.connect(transport), /already/);
  assert.equal(new HttpServerTransport().address(), null);
  assert.equal(new HttpServerTransport().port, undefined);
  assert.equal(new HttpServerTransport().url, undefined);
  await server.close();
  assert.equal(transport.address(), null);
});

test('a transport can be closed by itself, and connected again', WITHIN, async () => {
  const { server, transport } = await listening([[ListToolsRequestSchema, () => ({ tools: [] })]]);
  let closed = 0;
  server.onclose = () => { closed += 1; };
  await transport.close();
  assert.equal(closed, 1);
  await server.connect(transport);
  assert.equal((await ask(transport, MODERN.request(1, 'tools/list'))).status, 200);
  await server.close();
  assert.equal(closed, 2);
});

test('closing lets requests in progress finish', WITHIN, async () => {
  const began = latch();
  const gate = latch();
  const { server, transport } = await listening([[CallToolRequestSchema, async () => {
    began.open();
    await gate.opened;
    return { content: [] };
  }]]);
  const asked = ask(transport, MODERN.request(1, 'tools/call', { name: 'x' }));
  await began.opened;
  const closed = server.close();
  gate.open();
  assert.deepEqual((await asked).body.result.content, []);
  await closed;
});

test('pages of others are kept out, unless they are named', WITHIN, async () => {
  const cases = [
    [{}, 'https://example.org', 403, undefined],
    [{ cors: true }, 'https://example.org', 200, '*'],
    [{ cors: { origin: '*' } }, 'https://example.org', 200, '*'],
    [{ cors: 'https://example.org' }, 'https://example.org', 200, 'https://example.org'],
    [{ cors: { origin: ['https://example.org'] } }, 'https://example.org', 200, 'https://example.org'],
    [{ cors: { origin: 'https://example.org' } }, 'https://example.com', 403, undefined],
    [{ cors: false }, 'https://example.org', 403, undefined],
  ];
  for (const [options, Origin, status, allowed] of cases) {
    const { server, transport } = await listening([[ListToolsRequestSchema, () => ({ tools: [] })]], options);
    const answer = await post(transport, MODERN.request(1, 'tools/list'), { headers: { Origin } });
    assert.deepEqual([answer.status, answer.headers['access-control-allow-origin']], [status, allowed]);
    answer.response.resume();
    await server.close();
  }
  assert.throws(() => new HttpServerTransport({ cors: { origin: /example/ } }), /https:\/\/example\.org/);
});

test('names by which the server is addressed are checked, except where it listens everywhere', WITHIN, async () => {
  for (const [host, status] of [['127.0.0.1', 403], ['0.0.0.0', 200]]) {
    const { server, transport } = await listening([[ListToolsRequestSchema, () => ({ tools: [] })]], { host });
    const answer = await post(transport, MODERN.request(1, 'tools/list'), { headers: { Host: 'rebound.example.org' } });
    assert.equal(answer.status, status);
    answer.response.resume();
    await server.close();
  }
});

test('options of the endpoint are handed on', WITHIN, async () => {
  const { server, transport } = await listening([], { authorize: ({ headers }) => headers.authorization === 'Bearer t', bodyBytes: 1000 });
  assert.equal((await post(transport, MODERN.request(1, 'tools/list'))).status, 401);
  const headers = { Authorization: 'Bearer t' };
  assert.equal((await post(transport, MODERN.request(1, 'tools/list', { x: 'y'.repeat(2000) }), { headers })).status, 413);
  await server.close();
});

test('a stream of changes has news until it is closed', WITHIN, async () => {
  const iterables = [];
  const { server, transport } = await listening([[SubscribeResourceRequestSchema, ({ params }) => {
    const ended = latch();
    async function* changes() {
      try {
        for (;;) {
          yield { uri: params.uri };
          await new Promise(setImmediate);
        }
      } finally {
        ended.open();
      }
    }
    iterables.push(ended.opened);
    return { subscription: changes() };
  }]]);
  const stream = await post(transport, MODERN.request('s', 'subscriptions/listen', { notifications: { resourceSubscriptions: [URI] } }));
  const methods = [];
  for await (const { method } of events(stream)) {
    methods.push(method);
    if (methods.length === 3) break;
  }
  assert.deepEqual(methods, ['notifications/subscriptions/acknowledged', 'notifications/resources/updated', 'notifications/resources/updated']);
  stream.outgoing.destroy();
  await iterables[0];
  await server.close();
});

test('subscriptions of a session end when it unsubscribes, is deleted, or all is closed', WITHIN, async () => {
  const all = [];
  const { server, transport } = await listening([[SubscribeResourceRequestSchema, () => {
    all.push(silence());
    return { subscription: all.at(-1) };
  }]]);
  const [first, second, third] = [await greeted(transport), await greeted(transport), await greeted(transport)];
  const subscribe = { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: URI } };
  for (const headers of [first, second, third]) {
    assert.deepEqual((await ask(transport, subscribe, { headers })).body.result, {});
  }
  await ask(transport, { ...subscribe, id: 2, method: 'resources/unsubscribe' }, { headers: first });
  await all[0].ended;
  assert.ok((await ask(transport, undefined, { headers: second, method: 'DELETE' })).status < 300);
  await all[1].ended;
  await server.close();
  await all[2].ended;
});

test('subscriptions end with the last session, however it ends', WITHIN, async () => {
  const news = silence();
  const { server, transport } = await listening([[SubscribeResourceRequestSchema, () => ({ subscription: news })]], { sessionIdleMs: 50 });
  const headers = await greeted(transport);
  await ask(transport, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: URI } }, { headers });
  await news.ended;
  await server.close();
});

test('notifications that belong to no request are reported with advice', WITHIN, async () => {
  const errors = [];
  const { server } = await listening([]);
  server.onerror = (error) => errors.push(error.message);
  await server.sendToolListChanged();
  await server.notification({ method: 'notifications/own' });
  await server.sendLoggingMessage({ level: 'info', data: 'hello' });
  await server.close();
  assert.equal(errors.length, 2);
  for (const message of errors) assert.match(message, /sendNotification/);
});
