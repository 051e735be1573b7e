// Transports that carry messages to a server of the SDK's API, how they begin, fail and end.

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';

import { CallToolRequestSchema, ListToolsRequestSchema, Server, StdioServerTransport } from 'mcplite/compat/sdk';

import { Carrier, ERAS, WITHIN, connected, latch, serverWith } from './compat_sdk_support.mjs';

const official = await Promise.all([
  import('@modelcontextprotocol/sdk/client/index.js'), import('@modelcontextprotocol/sdk/inMemory.js'),
]).catch(() => null);

const PING = { jsonrpc: '2.0', id: 'ping', method: 'ping' };

/** A transport in the SDK's own manner, with members instead of methods. */
class Line {
  sent = [];
  log = [];
  async start() {
    this.log.push('start');
  }
  async send(message) {
    this.sent.push(message);
  }
  async close() {
    this.log.push('close');
    this.onclose?.();
  }
}

test('a transport is listened to before it starts, and closed when all is sent', WITHIN, async () => {
  const log = [];
  class Log extends Carrier {
    async start() { log.push('start'); }
    async send(message) { log.push(message.id); }
    onMessage(handler) {
      log.push('onMessage');
      super.onMessage(handler);
    }
    async close() { log.push('close'); }
  }
  const transport = new Log();
  const server = serverWith([]);
  server.onclose = () => log.push('onclose');
  await server.connect(transport);
  transport.deliver(PING);
  await server.close();
  await server.close();
  assert.deepEqual(log, ['onMessage', 'start', 'ping', 'close', 'onclose']);
  transport.deliver(PING);
  assert.equal(log.length, 5, 'nothing is served any more');
});

test('members are listened to as well, after whoever listens already', WITHIN, async () => {
  const heard = [];
  const line = new Line();
  line.onmessage = (message) => heard.push(message.id);
  line.onerror = (error) => heard.push(error.message);
  line.onclose = () => heard.push('closed');
  const server = serverWith([]);
  server.onerror = (error) => heard.push(`server: ${error.message}`);
  server.onclose = () => heard.push('server: closed');
  await server.connect(line);
  line.onmessage(PING);
  line.onerror(new Error('crackle'));
  await server.close();
  assert.deepEqual(line.sent, [{ jsonrpc: '2.0', id: 'ping', result: {} }]);
  assert.deepEqual(heard, ['ping', 'crackle', 'server: crackle', 'closed', 'server: closed']);
  assert.deepEqual(line.log, ['start', 'close']);
});

test('what a transport knows of a request reaches its handler', WITHIN, async () => {
  const seen = [];
  const line = new Line();
  line.sessionId = 'session-1';
  const server = serverWith([[ListToolsRequestSchema, (_, { authInfo, requestInfo, sessionId }) => {
    seen.push({ authInfo, requestInfo, sessionId });
    return { tools: [] };
  }]]);
  await server.connect(line);
  const request = ERAS['2026-07-28'].request(1, 'tools/list');
  line.onmessage(request, { authInfo: { token: 't' }, requestInfo: { headers: { a: 'b' } } });
  await server.close();
  assert.deepEqual(seen, [{ authInfo: { token: 't' }, requestInfo: { headers: { a: 'b' } }, sessionId: 'session-1' }]);
});

test('a transport that cannot start is not connected, and another one can be', WITHIN, async () => {
  const server = serverWith([]);
  const broken = { start: async () => { throw new Error('port in use'); }, send() {} };
  await assert.rejects(server.connect(broken), /port in use/);
  const { ask } = await connected(server);
  assert.deepEqual(await ask('ping'), {});
  await server.close();
  await assert.rejects(server.connect({}), /start\(\)/);
  await assert.rejects(server.connect(null), TypeError);
});

test('a transport that cannot send is reported, and the rest goes on', WITHIN, async () => {
  const errors = [];
  class Flaky extends Carrier {
    send(message) {
      if (message.id === 'now') throw new Error('broken now');
      return message.id === 'later' ? Promise.reject(new Error('broken later')) : super.send(message);
    }
  }
  const transport = new Flaky();
  const server = serverWith([]);
  server.onerror = (error) => errors.push(error.message);
  await server.connect(transport);
  for (const id of ['now', 'later', 'fine']) transport.deliver({ ...PING, id });
  await server.close();
  assert.deepEqual(errors, ['broken now', 'broken later']);
  assert.deepEqual(transport.sent.map(({ id }) => id), ['fine']);
});

test('a transport that cannot close says so', WITHIN, async () => {
  class Stuck extends Carrier {
    async close() { throw new Error('stuck'); }
  }
  const server = serverWith([]);
  let isClosed = false;
  server.onclose = () => { isClosed = true; };
  await server.connect(new Stuck());
  await assert.rejects(server.close(), /stuck/);
  assert.equal(isClosed, true);
});

test('closing waits for requests in progress', WITHIN, async () => {
  const gate = latch();
  const server = serverWith([[CallToolRequestSchema, () => gate.opened.then(() => ({ content: [] }))]]);
  const { carrier } = await connected(server);
  carrier.deliver({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params: { name: 'x' } });
  const closed = server.close();
  carrier.deliver(PING);
  gate.open();
  await closed;
  assert.deepEqual(carrier.sent, [{ jsonrpc: '2.0', id: 'slow', result: { content: [] } }]);
  assert.equal(carrier.isOpen, false);
});

test('a client that hangs up aborts its requests', WITHIN, async () => {
  const aborted = latch();
  const line = new Line();
  const server = serverWith([[CallToolRequestSchema, (_, { signal }) => new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      aborted.open();
      reject(signal.reason);
    });
  })]]);
  await server.connect(line);
  line.onmessage(ERAS['2026-07-28'].request(1, 'tools/call', { name: 'x' }));
  line.onclose();
  await aborted.opened;
  assert.deepEqual(line.sent, []);
  await server.close();
});

test('one server serves several transports, and anew after it was closed', WITHIN, async () => {
  const server = serverWith([[ListToolsRequestSchema, () => ({ tools: [] })]]);
  const clients = [await connected(server, ERAS['2024-11-05']), await connected(server, ERAS['2026-07-28'])];
  for (const { ask } of clients) assert.deepEqual((await ask('tools/list')).tools, []);
  await server.close();
  const again = await connected(server);
  assert.deepEqual(await again.ask('tools/list'), { tools: [] });
  await server.close();
});

test('streams of one\'s own carry lines', WITHIN, async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  const transport = new StdioServerTransport(input, output);
  let isClosed = false;
  transport.onclose = () => { isClosed = true; };
  const gate = latch();
  const server = serverWith([[ListToolsRequestSchema, async () => {
    await gate.opened;
    return { tools: [] };
  }]], { capabilities: { tools: {}, logging: {} } });
  await server.connect(transport);
  await assert.rejects(server.connect(transport), /already/);
  const lines = [];
  output.setEncoding('utf8').on('data', (text) => lines.push(...text.trim().split('\n').map((line) => JSON.parse(line))));
  const text = `${JSON.stringify(PING)}\n${JSON.stringify(ERAS['2026-07-28'].request(2, 'tools/list'))}\n`;
  for (const byte of Buffer.from(text)) input.write(Buffer.of(byte));
  await new Promise(setImmediate);
  await server.sendLoggingMessage({ level: 'info', data: 'hello' });
  gate.open();
  await server.close();
  await new Promise(setImmediate);
  assert.deepEqual(lines.map(({ id, method }) => id ?? method), ['ping', 'notifications/message', 2]);
  assert.equal(isClosed, true);
});

test('a reader that is behind gets everything when it reads', WITHIN, async () => {
  const input = new PassThrough();
  const output = new PassThrough({ highWaterMark: 64 });
  const server = serverWith([['own/long', ({ params }) => ({ text: params.text })]]);
  await server.connect(new StdioServerTransport(input, output));
  const ask = (id) => input.write(`${JSON.stringify(ERAS['2026-07-28'].request(id, 'own/long', { text: 'x'.repeat(200) }))}\n`);
  for (let id = 1; id <= 20; id += 1) ask(id);
  await new Promise(setImmediate);
  const ids = [];
  let text = '';
  output.setEncoding('utf8').on('data', (piece) => { text += piece; });
  await server.close();
  await new Promise(setImmediate);
  for (const line of text.trim().split('\n')) ids.push(JSON.parse(line).id);
  assert.deepEqual(ids, Array.from({ length: 20 }, (_, at) => at + 1));
});

test('the end of the input is the end of the connection, when all is answered', WITHIN, async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  const server = serverWith([['own/slow', async () => {
    await new Promise(setImmediate);
    return { slow: true };
  }]]);
  const closed = latch();
  server.onclose = closed.open;
  await server.connect(new StdioServerTransport(input, output));
  input.end(`${JSON.stringify(ERAS['2026-07-28'].request(1, 'own/slow'))}\n`);
  await closed.opened;
  assert.match(output.read().toString(), /"slow":true/);
});

test('the official client is served', { ...WITHIN, skip: official === null && 'the official SDK is not installed' }, async () => {
  const [{ Client }, { InMemoryTransport }] = official;
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = new Server({ name: 'example-server', version: '1.0.0' }, { capabilities: { tools: {} } });
  const tool = { name: 'add', inputSchema: { type: 'object' } };
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [tool] }));
  server.setRequestHandler(CallToolRequestSchema, ({ params: { arguments: { a, b } } }) => ({ content: [{ type: 'text', text: `${a + b}` }] }));
  const client = new Client({ name: 'client', version: '1' });
  await Promise.all([server.connect(near), client.connect(far)]);
  assert.deepEqual((await client.listTools()).tools, [tool]);
  assert.deepEqual((await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).content, [{ type: 'text', text: '3' }]);
  assert.equal(server.getClientVersion().name, 'client');
  await client.close();
});
