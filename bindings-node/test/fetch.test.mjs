// Web requests and responses without a socket in between.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { McpServer } from 'mcplite';
import { PATIENCE, soon, turn } from './support/client.mjs';
import { deferred, modern, toolCall } from './support/web.mjs';

function demo() {
  const server = new McpServer({ name: 'web' });
  const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  server.registerTool('echo', { inputSchema: text }, ({ text: said }) => said);
  const [begun, aborted] = [deferred(), deferred()];
  server.registerTool('wait', {}, async (_, ctx) => {
    ctx.signal.addEventListener('abort', () => aborted.resolve());
    ctx.progress(1);
    begun.resolve();
    await aborted.promise;
  });
  server.registerTool('flood', {}, async (_, ctx) => {
    for (let step = 1; step <= 100; step += 1) {
      ctx.progress(step, 100, 'x'.repeat(1000));
      await turn();
    }
    return 'flooded';
  });
  server.registerTool('silent', {}, async (_, ctx) => {
    ctx.signal.addEventListener('abort', () => aborted.resolve());
    begun.resolve();
    await aborted.promise;
  });
  return { server, begun: begun.promise, aborted: aborted.promise };
}

function request({ headers, body }, { url = 'http://localhost/mcp', method = 'POST', more = {}, ...init } = {}) {
  const usual = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  return new Request(url, { method, headers: { ...usual, ...headers, ...more }, body, ...init });
}

/** A reader of the text of a response, piece by piece. */
function reader(response) {
  const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader();
  return {
    next: () => soon(pieces.read(), 'a piece of the response'),
    cancel: () => pieces.cancel(),
  };
}

describe('fetch', { timeout: PATIENCE * 3 }, () => {
  test('gives a response to a request, wherever it was sent to', async () => {
    const { server } = demo();
    const { fetch } = server;
    for (const url of ['http://localhost/mcp', 'http://127.0.0.1:8080/api/tools', 'http://localhost/']) {
      const response = await fetch(request(toolCall('echo', { text: 'Grüße' }), { url }));
      assert.ok(response instanceof Response);
      assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'application/json']);
      assert.equal((await response.json()).result.content[0].text, 'Grüße');
    }
    assert.equal(server.fetch, fetch);
  });

  test('a path that is given is the only one', async () => {
    const handler = demo().server.fetchHandler({ path: '/tools' });
    assert.equal((await handler(request(modern('server/discover'), { url: 'http://localhost/tools?a=b' }))).status, 200);
    assert.equal((await handler(request(modern('server/discover')))).status, 404);
  });

  test('the host is that of the URL, if no header says otherwise', async () => {
    const { fetch } = demo().server;
    assert.equal((await fetch(request(modern('server/discover'), { url: 'https://evil.example/mcp' }))).status, 403);
    const named = { more: { Host: 'evil.example' } };
    assert.equal((await fetch(request(modern('server/discover'), named))).status, 403);
    const allowing = demo().server.fetchHandler({ allowedHosts: ['mcp.example'] });
    assert.equal((await allowing(request(modern('server/discover'), { url: 'https://mcp.example/mcp' }))).status, 200);
  });

  test('a body may be a stream', async () => {
    const { headers, body } = toolCall('echo', { text: 'ä'.repeat(100_000) });
    const bytes = Buffer.from(body);
    const pieces = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 1999) controller.enqueue(bytes.subarray(at, at + 1999));
        controller.close();
      },
    });
    const response = await demo().server.fetch(request({ headers, body: pieces }, { duplex: 'half' }));
    assert.equal((await response.json()).result.content[0].text.length, 100_000);
  });

  test('a body that never ends is refused while it is sent, and not read on', async () => {
    const handler = demo().server.fetchHandler({ bodyBytes: 100_000 });
    const cancelled = deferred();
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(Buffer.alloc(10_000, 'x')),
      cancel: () => cancelled.resolve(),
    });
    const response = await soon(handler(request({ headers: toolCall('echo').headers, body: endless }, { duplex: 'half' })), 'a refusal');
    assert.equal(response.status, 413);
    await soon(cancelled.promise, 'the end of the body');
  });

  test('a body that breaks off is nobody’s answer, and leaves nothing behind', async () => {
    const handler = demo().server.fetchHandler({ exchanges: 1 });
    for (let round = 0; round < 3; round += 1) {
      const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('broken off')) });
      await assert.rejects(handler(request({ headers: toolCall('echo').headers, body: broken }, { duplex: 'half' })), /broken off/);
    }
    assert.equal((await handler(request(toolCall('echo', { text: 'x' })))).status, 200);
  });

  test('a stream comes as it is made', async () => {
    const response = await demo().server.fetch(request(toolCall('wait', {}, { progressToken: 1 })));
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    const pieces = reader(response);
    assert.match((await pieces.next()).value, /notifications\/progress/);
    await pieces.cancel();
  });

  test('a stream that nobody reads is not taken from the engine', async () => {
    const { server } = demo();
    const response = await server.fetch(request(toolCall('flood', {}, { progressToken: 1 })));
    for (let round = 0; round < 200; round += 1) await turn();
    // What waits, waits where its memory is counted.
    assert.ok(server.memoryUsed > 50_000, String(server.memoryUsed));
    const text = await response.text();
    assert.equal(text.match(/notifications\/progress/g).length, 100);
    assert.match(text, /"flooded"/);
    assert.ok(server.memoryUsed < 50_000, String(server.memoryUsed));
  });

  test('whoever cancels a stream cancels its call', async () => {
    const { server, aborted } = demo();
    const response = await server.fetch(request(toolCall('wait', {}, { progressToken: 1 })));
    await response.body.cancel();
    await soon(aborted, 'the end of the call');
  });

  test('a signal that aborts cancels the call, before the response and during it', async () => {
    for (const tool of ['silent', 'wait']) {
      const { server, begun, aborted } = demo();
      const leaving = new AbortController();
      const answered = server.fetch(request(toolCall(tool, {}, { progressToken: 1 }), { signal: leaving.signal }));
      await soon(begun, 'the call');
      const response = tool === 'wait' ? await answered : null;
      leaving.abort(new Error('gone'));
      await soon(aborted, 'the end of the call');
      if (response === null) await assert.rejects(answered, /gone/);
      else await assert.rejects(response.text(), /gone/);
    }
  });

  test('a request that was given up before is not served', async () => {
    const { server } = demo();
    let runs = 0;
    server.registerTool('run', {}, async () => {
      runs += 1;
      await turn();
    });
    const handler = server.fetchHandler({ authorize: async () => true });
    await assert.rejects(handler(request(toolCall('run'), { signal: AbortSignal.abort(new Error('gone')) })), /gone/);
    assert.equal(runs, 0);
  });

  test('what stands behind the request does not matter', async () => {
    const { fetch } = demo().server;
    const response = await fetch(request(toolCall('echo', { text: 'x' })), { env: {} }, { waitUntil() {} });
    assert.equal(response.status, 200);
  });

  test('a body that was read before is told', async () => {
    const { fetch } = demo().server;
    const read = request(toolCall('echo', { text: 'x' }));
    await read.text();
    await assert.rejects(fetch(read), /read|unusable|disturbed/i);
  });

  test('sessions, and the end of them', async () => {
    const handler = demo().server.fetchHandler();
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const hello = { headers: {}, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }) };
    const id = (await handler(request(hello))).headers.get('mcp-session-id');
    assert.equal(handler.sessions, 1);
    const headers = { 'Mcp-Session-Id': id, 'MCP-Protocol-Version': '2025-11-25' };
    const stream = await handler(request({ headers }, { method: 'GET' }));
    assert.equal(stream.headers.get('content-type'), 'text/event-stream');
    const ended = await handler(request({ headers }, { method: 'DELETE' }));
    assert.ok([200, 204].includes(ended.status));
    assert.equal(handler.sessions, 0);
    assert.doesNotMatch(await soon(stream.text(), 'the end of the stream'), /data: \{/);
  });

  test('a handler that is closed is unavailable', async () => {
    const handler = demo().server.fetchHandler();
    handler.close();
    const response = await handler(request(modern('server/discover')));
    assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '1']);
  });
});
