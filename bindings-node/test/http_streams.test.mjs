// Answers that are streams, and clients that leave in the middle, by `node:http` and by web requests.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { McpServer } from 'mcplite';
import { PATIENCE, soon, turn } from './support/client.mjs';
import { deferred, listen, modern, send, toolCall, Visitor, WAYS } from './support/web.mjs';

const BLOCK = 'x'.repeat(50_000);

/** A server with a tool that is held until it is let go, and what happened to it. */
function stage() {
  const server = new McpServer({ name: 'streams' });
  const [begun, aborted, release] = [deferred(), deferred(), deferred()];
  server.registerTool('hold', {}, async (_, ctx) => {
    ctx.signal.addEventListener('abort', () => aborted.resolve(ctx.signal.reason));
    ctx.progress(1, 2, 'begun');
    begun.resolve();
    await release.promise;
    ctx.progress(2, 2);
    return 'held';
  });
  server.registerTool('silent', {}, async (_, ctx) => {
    ctx.signal.addEventListener('abort', () => aborted.resolve(ctx.signal.reason));
    begun.resolve();
    await release.promise;
    return 'silent';
  });
  server.registerTool('count', {}, async (_, ctx) => {
    for (let step = 1; step <= 3; step += 1) {
      ctx.progress(step, 3);
      await turn();
    }
    return 'counted';
  });
  return { server, begun: begun.promise, aborted: aborted.promise, release: release.resolve };
}

/** Resolves when a condition holds, which is looked at in every turn. */
async function until(holds, what) {
  const end = Date.now() + PATIENCE;
  while (!(await holds())) {
    assert.ok(Date.now() < end, `waited in vain for ${what}`);
    await turn();
  }
}

for (const [way, make] of Object.entries(WAYS)) {
  describe(`streams by ${way}`, { timeout: PATIENCE * 3 }, () => {
    test('progress leaves while the tool runs', async (t) => {
      const { server, release } = stage();
      const { port } = await listen(t, make(server));
      const reply = await send(port, toolCall('hold', {}, { id: 7, progressToken: 'p' }));
      assert.equal(reply.status, 200);
      assert.ok(reply.isStream);
      const { method, params } = await reply.message();
      assert.deepEqual([method, params.progress, params.progressToken], ['notifications/progress', 1, 'p']);
      release();
      assert.equal((await reply.message()).params.progress, 2);
      const { id, result } = await reply.message();
      assert.deepEqual([id, result.content[0].text], [7, 'held']);
      assert.equal(await reply.message(), null);
    });

    test('a client that leaves in the middle of a stream cancels its call', async (t) => {
      const { server, aborted } = stage();
      const { port } = await listen(t, make(server));
      const reply = await send(port, toolCall('hold', {}, { progressToken: 1 }));
      await reply.message();
      reply.hangUp();
      assert.equal((await soon(aborted, 'the end of the call')).name, 'AbortError');
    });

    test('a client that leaves before the answer cancels its call', async (t) => {
      const { server, begun, aborted } = stage();
      const { port } = await listen(t, make(server));
      const leaving = new AbortController();
      const { headers, body } = toolCall('silent');
      const asked = fetch(`http://127.0.0.1:${port}/mcp`, {
        method: 'POST', headers: { ...headers, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }, body, signal: leaving.signal,
      });
      await soon(begun, 'the call');
      leaving.abort();
      await assert.rejects(asked);
      await soon(aborted, 'the end of the call');
    });

    test('a client that leaves before the end of its body leaves nothing behind', async (t) => {
      const { server } = stage();
      const { port, web } = await listen(t, make(server, { exchanges: 2 }));
      const { headers } = toolCall('count');
      for (let round = 0; round < 5; round += 1) {
        const arrived = once(web, 'request');
        const unanswered = assert.rejects(send(port, { headers: { ...headers, 'Transfer-Encoding': 'chunked' }, chunks: ['{'], isOpen: true }));
        const [request] = await soon(arrived, 'a request');
        request.socket.destroy();
        await unanswered;
      }
      // There would be no place for another.
      assert.equal((await send(port, toolCall('count'))).status, 200);
    });

    test('a legacy call goes on when its client leaves, which comes back for the answer', async (t) => {
      const { server, release } = stage();
      const { port } = await listen(t, make(server));
      const visitor = await Visitor.arrive(port);
      const reply = await visitor.call(1, 'hold', { progressToken: 'p' });
      let last;
      for (let event = await reply.event(); ; event = await reply.event()) {
        last = event.id ?? last;
        if (event.message !== undefined) break;
      }
      reply.hangUp();
      release();
      const again = await visitor.get({ 'Last-Event-ID': last });
      assert.equal(again.status, 200);
      assert.equal((await again.message()).params.progress, 2);
      assert.equal((await again.message()).result.content[0].text, 'held');
    });

    test('ids of events that nobody gave out are refused', async (t) => {
      const { server } = stage();
      const { port } = await listen(t, make(server));
      const visitor = await Visitor.arrive(port);
      assert.equal((await visitor.get({ 'Last-Event-ID': 'none' })).status, 400);
    });

    test('a session is told of changes on its stream', async (t) => {
      const { server } = stage();
      const { port } = await listen(t, make(server));
      const visitor = await Visitor.arrive(port);
      const stream = await visitor.get();
      assert.equal(stream.status, 200);
      server.registerTool('late', {}, () => 'late');
      assert.equal((await stream.message()).method, 'notifications/tools/list_changed');
      await visitor.leave();
      assert.equal(await stream.message(), null);
    });

    test('a listen stream tells of changes until the client leaves', async (t) => {
      const { server } = stage();
      server.registerResource('note', 'note://one', {}, () => 'a note');
      const { port } = await listen(t, make(server, { exchanges: 1 }));
      const sent = modern('subscriptions/listen', { notifications: { toolsListChanged: true, resourceSubscriptions: ['note://one'] } }, { id: 5 });
      const stream = await send(port, sent);
      assert.equal((await stream.message()).method, 'notifications/subscriptions/acknowledged');
      server.notifyUpdated('note://one');
      assert.equal((await stream.message()).params.uri, 'note://one');
      stream.hangUp();
      // One exchange is all there may be: when there is another, the first is over.
      const again = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
      await until(async () => (await send(port, again)).status === 200, 'the end of the stream');
    });

    test('a client that does not read is waited for', async (t) => {
      const server = new McpServer({ name: 'pressing' });
      const done = deferred();
      let isGone = false;
      server.registerTool('flood', {}, async (_, ctx) => {
        ctx.signal.addEventListener('abort', () => {
          isGone = true;
        });
        for (let step = 0; step < 200; step += 1) {
          ctx.progress(step, 200, BLOCK);
          await turn();
        }
        done.resolve();
        return 'flooded';
      });
      const { port, web } = await listen(t, make(server));
      const connected = deferred();
      web.once('connection', connected.resolve);
      const reply = await send(port, toolCall('flood', {}, { progressToken: 1 }));
      reply.incoming.pause();
      const socket = await connected.promise;
      await soon(done.promise, 'the end of the tool');
      // Ten megabytes are on their way: most of them where memory is counted, not in buffers of sockets.
      assert.ok(socket.writableLength < 2_000_000, String(socket.writableLength));
      let steps = 0;
      let message = await reply.message();
      for (; message?.method !== undefined; message = await reply.message()) steps += 1;
      assert.ok(steps > 0);
      assert.equal(message.result?.content[0].text ?? message.error?.message, 'flooded');
      assert.equal(isGone, false);
    });

    test('silent streams say that they are there', async (t) => {
      const { server } = stage();
      const { port } = await listen(t, make(server, { keepaliveMs: 5 }));
      const visitor = await Visitor.arrive(port);
      const stream = await visitor.get();
      for (;;) {
        const event = await stream.event();
        if (event.comment !== undefined) break;
      }
      stream.hangUp();
    });

    test('sessions that nobody uses end', async (t) => {
      const { server } = stage();
      const handler = make(server, { sessionIdleMs: 10 });
      const { port } = await listen(t, handler);
      await Visitor.arrive(port);
      await until(() => handler.sessions === 0, 'the end of the session');
    });

    test('calls that take too long are ended', async (t) => {
      const server = new McpServer({ name: 'slow', timeout: 20 });
      server.registerTool('never', {}, () => new Promise(() => {}));
      const { port } = await listen(t, make(server));
      const { result } = await (await send(port, toolCall('never'))).json();
      assert.match(result.content[0].text, /Timed out/);
    });

    test('shutdown ends streams properly, and lets calls finish', async (t) => {
      const { server, begun, release } = stage();
      const { port } = await listen(t, make(server));
      const visitor = await Visitor.arrive(port);
      const stream = await visitor.get();
      const listening = await send(port, modern('subscriptions/listen', { notifications: { toolsListChanged: true } }));
      await listening.message();
      const held = await send(port, toolCall('hold', {}, { progressToken: 1 }));
      await soon(begun, 'the call');
      let isDown = false;
      const down = server.shutdown().then(() => {
        isDown = true;
      });
      assert.equal((await send(port, toolCall('count'))).status, 503);
      assert.equal(isDown, false);
      release();
      await soon(down, 'the end of the server');
      for (const reply of [stream, listening]) {
        while ((await reply.message()) !== null);
      }
      assert.equal((await held.message()).params.progress, 1);
      assert.equal((await held.message()).params.progress, 2);
      assert.equal((await held.message()).result.content[0].text, 'held');
      assert.equal(await held.message(), null);
    });

    test('close ends everything at once', async (t) => {
      const { server, begun, aborted } = stage();
      const { port } = await listen(t, make(server));
      const visitor = await Visitor.arrive(port);
      const stream = await visitor.get();
      const silent = send(port, toolCall('silent'));
      await soon(begun, 'the call');
      server.close();
      await soon(aborted, 'the end of the call');
      // Nobody has an answer: the response ends without one.
      assert.equal(await (await silent).message(), null);
      assert.equal(await stream.message(), null);
    });

    test('a handler that is closed ends its streams, and nothing of another', async (t) => {
      const { server } = stage();
      const [first, second] = [make(server), make(server)];
      const ports = [(await listen(t, first)).port, (await listen(t, second)).port];
      const visitors = await Promise.all(ports.map((port) => Visitor.arrive(port)));
      const [ended, open] = await Promise.all(visitors.map((visitor) => visitor.get()));
      first.close();
      assert.equal(await ended.message(), null);
      server.registerTool('late', {}, () => 'late');
      assert.equal((await open.message()).method, 'notifications/tools/list_changed');
    });

    test('a client of 2024-11-05 has its two paths', async (t) => {
      const { server } = stage();
      const { port } = await listen(t, make(server, { path: '/mcp', ssePath: '/sse', ssePostPath: '/messages' }));
      const stream = await send(port, { method: 'GET', path: '/sse' });
      const reader = stream.incoming.setEncoding('utf8')[Symbol.asyncIterator]();
      const { value } = await soon(reader.next(), 'the endpoint');
      const path = /data: (.*)/.exec(value)[1];
      const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
      const reply = await send(port, { path, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }) });
      assert.equal(reply.status, 202);
      assert.match((await soon(reader.next(), 'the answer')).value, /"protocolVersion":"2024-11-05"/);
      stream.hangUp();
    });
  });
}
