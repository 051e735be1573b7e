// The handler behind HTTP/2, whose requests and responses Node makes like those of HTTP/1.1.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import http2 from 'node:http2';
import { describe, test } from 'node:test';
import { McpServer } from 'mcplite';
import { PATIENCE, soon, turn } from './support/client.mjs';
import { deferred, modern, toolCall } from './support/web.mjs';

async function started(t, options) {
  const server = new McpServer({ name: 'two' });
  const aborted = deferred();
  server.registerTool('headers', {}, (_, ctx) => JSON.stringify(ctx.headers));
  server.registerTool('flood', {}, async (_, ctx) => {
    for (let step = 1; step <= 50; step += 1) {
      ctx.progress(step, 50, 'x'.repeat(10_000));
      await turn();
    }
    return 'flooded';
  });
  server.registerTool('wait', {}, async (_, ctx) => {
    ctx.progress(1);
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
    aborted.resolve();
  });
  const web = http2.createServer(server.httpHandler(options));
  await once(web.listen(0, '127.0.0.1'), 'listening');
  const client = http2.connect(`http://127.0.0.1:${web.address().port}`);
  t.after(() => {
    client.destroy();
    web.close();
  });
  return { client, aborted: aborted.promise };
}

/** Begins a request; gives its stream, and its head when that is there. */
function begin(client, { headers, body }, more = {}) {
  const usual = { ':method': 'POST', ':path': '/mcp', 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const stream = client.request({ ...usual, ...headers, ...more });
  stream.on('error', () => {});
  stream.end(body);
  return { stream, head: soon(once(stream, 'response'), 'a response').then(([head]) => head) };
}

async function ask(client, sent, more) {
  const { stream, head } = begin(client, sent, more);
  const pieces = [];
  for await (const piece of stream) pieces.push(piece);
  return { status: (await head)[':status'], text: String(Buffer.concat(pieces)) };
}

describe('HTTP/2', { timeout: PATIENCE * 3 }, () => {
  test('a call is answered, and handlers see the headers', async (t) => {
    const { client } = await started(t);
    const { status, text } = await ask(client, toolCall('headers'), { 'x-own': 'mine' });
    assert.equal(status, 200);
    const seen = JSON.parse(JSON.parse(text).result.content[0].text);
    assert.equal(seen['x-own'], 'mine');
    assert.match(seen.host, /^127\.0\.0\.1:\d+$/);
    assert.deepEqual(Object.keys(seen).filter((name) => name.startsWith(':')), []);
  });

  test('hosts are checked', async (t) => {
    const { client } = await started(t);
    assert.equal((await ask(client, modern('server/discover'), { ':authority': 'evil.example' })).status, 403);
    assert.equal((await ask(client, modern('server/discover'), { host: 'evil.example' })).status, 403);
  });

  test('a stream comes whole, and to whom it was meant', async (t) => {
    const { client } = await started(t);
    const [first, second] = await Promise.all([1, 2].map((id) => ask(client, toolCall('flood', {}, { id, progressToken: id }))));
    assert.equal(first.text.match(/"progressToken":1,/g).length, 50);
    assert.equal(second.text.match(/"progressToken":2,/g).length, 50);
  });

  test('a client that closes its stream cancels its call', async (t) => {
    const { client, aborted } = await started(t);
    const { stream, head } = begin(client, toolCall('wait', {}, { progressToken: 1 }));
    await head;
    stream.close(http2.constants.NGHTTP2_CANCEL);
    await soon(aborted, 'the end of the call');
  });

  test('a body that is too large is refused, and the connection goes on', async (t) => {
    const { client } = await started(t, { bodyBytes: 1000 });
    assert.equal((await ask(client, { headers: toolCall('headers').headers, body: 'x'.repeat(5000) })).status, 413);
    assert.equal((await ask(client, toolCall('headers'))).status, 200);
  });
});
