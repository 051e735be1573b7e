// Requests and their whole answers, by `node:http` and by web requests.

import assert from 'node:assert/strict';
import http from 'node:http';
import { describe, test } from 'node:test';
import { McpServer } from 'mcplite';
import { LEGACY, PATIENCE, soon } from './support/client.mjs';
import { deferred, listen, modern, send, toolCall, Visitor, WAYS } from './support/web.mjs';

function demo(options) {
  const server = new McpServer({ name: 'web', ...options });
  const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  server.registerTool('echo', { inputSchema: text }, ({ text: said }) => said);
  server.registerTool('later', { inputSchema: text }, async ({ text: said }) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return said;
  });
  server.registerTool('headers', {}, (_, ctx) => ({ ...ctx.headers }));
  server.registerTool('who', {}, (_, ctx) => ({ revision: ctx.revision, session: ctx.sessionId }));
  return server;
}

const textOf = ({ result }) => result.content[0].text;

for (const [way, make] of Object.entries(WAYS)) {
  describe(`HTTP by ${way}`, { timeout: PATIENCE * 3 }, () => {
    test('a call is answered with JSON, at once or later', async (t) => {
      const { port } = await listen(t, make(demo()));
      for (const tool of ['echo', 'later']) {
        const reply = await send(port, toolCall(tool, { text: 'Grüße, 世界 \u{1f30d}' }, { id: 'ä' }));
        assert.equal(reply.status, 200);
        assert.equal(reply.headers['content-type'], 'application/json');
        const body = await reply.text();
        assert.equal(Number(reply.headers['content-length']), Buffer.byteLength(body));
        assert.equal(textOf(JSON.parse(body)), 'Grüße, 世界 \u{1f30d}');
        assert.equal(JSON.parse(body).id, 'ä');
      }
    });

    test('errors have the status that the specification gives them', async (t) => {
      const { port } = await listen(t, make(demo()));
      const cases = [
        [modern('no/such'), 404, -32601],
        [{ ...toolCall('echo', { text: 'x' }), headers: {} }, 400, undefined],
        [{ headers: modern('x').headers, body: '{' }, 400, -32700],
        [{ ...toolCall('echo', { text: 'x' }), headers: modern('tools/list').headers }, 400, -32020],
        [{ body: '' }, 400, -32700],
      ];
      for (const [sent, status, code] of cases) {
        const reply = await send(port, sent);
        const { error } = await reply.json();
        assert.equal(reply.status, status, JSON.stringify(error));
        if (code !== undefined) assert.equal(error.code, code);
      }
    });

    test('other paths are not found', async (t) => {
      const { port } = await listen(t, make(demo(), { path: '/tools' }));
      assert.equal((await send(port, { ...modern('server/discover'), path: '/tools' })).status, 200);
      assert.equal((await send(port, { ...modern('server/discover'), path: '/tools?a=1' })).status, 200);
      for (const path of ['/mcp', '/', '/tools/more', '/tool']) {
        assert.equal((await send(port, { ...modern('server/discover'), path })).status, 404, path);
      }
    });

    test('methods that there are not are named', async (t) => {
      const { port } = await listen(t, make(demo()));
      for (const method of ['PUT', 'PATCH']) {
        const reply = await send(port, { method });
        assert.equal(reply.status, 405, method);
        assert.match(reply.headers.allow, /POST/);
      }
    });

    test('HEAD has the head of an answer, and no body', async (t) => {
      const { port } = await listen(t, make(demo()));
      const reply = await send(port, { method: 'HEAD' });
      assert.ok(reply.status >= 400 && reply.status < 500, String(reply.status));
      assert.equal(await reply.text(), '');
    });

    test('GET and DELETE belong to sessions', async (t) => {
      const { port } = await listen(t, make(demo({ revisions: ['2026-07-28'] })));
      assert.equal((await send(port, { method: 'GET' })).status, 405);
      assert.equal((await send(port, { method: 'DELETE' })).status, 405);
    });

    test('a session lives from initialize to DELETE', async (t) => {
      const handler = make(demo());
      const { port } = await listen(t, handler);
      const visitor = await Visitor.arrive(port);
      assert.equal(handler.sessions, 1);
      const { structuredContent, content } = (await (await visitor.call(1, 'who')).json()).result;
      const found = structuredContent ?? JSON.parse(content[0].text);
      assert.equal(found.revision, LEGACY);
      assert.equal(found.session, visitor.headers['Mcp-Session-Id']);
      assert.ok([200, 204].includes((await visitor.leave()).status));
      assert.equal(handler.sessions, 0);
      assert.equal((await visitor.call(2, 'who')).status, 404);
    });

    test('sessions can be too many, and can be none', async (t) => {
      const { port } = await listen(t, make(demo(), { sessions: 1 }));
      await Visitor.arrive(port);
      const hello = { id: 1, method: 'initialize', params: { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 'x', version: '1' } } };
      assert.equal((await new Visitor(port).post(hello)).status, 503);
      const stateless = await listen(t, make(demo(), { stateless: true }));
      assert.equal((await new Visitor(stateless.port).post(hello)).headers['mcp-session-id'], undefined);
    });

    test('a body may come in any pieces', async (t) => {
      const { port } = await listen(t, make(demo()));
      const { headers, body } = toolCall('echo', { text: 'ä'.repeat(50_000) });
      const bytes = Buffer.from(body);
      const chunks = [];
      for (let at = 0; at < bytes.length; at += 997) chunks.push(bytes.subarray(at, at + 997));
      // Once with a length, once in chunks.
      for (const more of [{ 'Content-Length': bytes.length }, { 'Transfer-Encoding': 'chunked' }]) {
        const reply = await send(port, { headers: { ...headers, ...more }, chunks });
        assert.equal(textOf(await reply.json()), 'ä'.repeat(50_000));
      }
    });

    test('a body that is too large is refused, whether it says so or not', async (t) => {
      const { port } = await listen(t, make(demo(), { bodyBytes: 100_000 }));
      const { headers, body } = toolCall('echo', { text: 'x'.repeat(200_000) });
      const small = toolCall('echo', { text: 'x' });
      assert.equal((await send(port, { headers, body })).status, 413);
      // Before anything of it is sent.
      assert.equal((await send(port, { headers: { ...headers, 'Content-Length': 200_000 }, isOpen: true })).status, 413);
      assert.equal((await send(port, small)).status, 200);
    });

    test('a body that never ends is refused while it is sent', async (t) => {
      const { port } = await listen(t, make(demo(), { bodyBytes: 100_000 }));
      const { headers } = toolCall('echo');
      const all = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers };
      const outgoing = http.request({ port, host: '127.0.0.1', method: 'POST', path: '/mcp', headers: all, agent: false });
      const answered = deferred();
      outgoing.on('error', () => {});
      outgoing.on('response', answered.resolve);
      const timer = setInterval(() => outgoing.write('x'.repeat(20_000)), 1);
      t.after(() => clearInterval(timer));
      const response = await soon(answered.promise, 'a refusal');
      assert.equal(response.statusCode, 413);
      outgoing.destroy();
    });

    test('a connection serves one request after the other', async (t) => {
      const { port, web } = await listen(t, make(demo()));
      let connections = 0;
      web.on('connection', () => {
        connections += 1;
      });
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      t.after(() => agent.destroy());
      for (let id = 0; id < 20; id += 1) {
        const sent = id % 5 === 4 ? modern('no/such', {}, { id }) : toolCall(id % 2 ? 'echo' : 'later', { text: String(id) }, { id });
        assert.equal((await (await send(port, { ...sent, agent })).json()).id, id);
        const refused = await send(port, { method: ['GET', 'DELETE', 'PUT', 'OPTIONS'][id % 4], agent });
        assert.ok(refused.status >= 400, String(refused.status));
        await refused.text();
      }
      assert.equal(connections, 1);
    });

    test('many clients use the same ids at a time', async (t) => {
      const { port } = await listen(t, make(demo()));
      const visitors = await Promise.all(Array.from({ length: 8 }, () => Visitor.arrive(port)));
      const answers = Array.from({ length: 64 }, async (_, number) => {
        const tool = number % 3 ? 'later' : 'echo';
        const text = `for ${number}`;
        const reply = await (number % 2 ? visitors[number % 8].call(1, tool, { args: { text } }) : send(port, toolCall(tool, { text }, { id: 1 })));
        // A session sees its own requests only, but of one client no two may have the same id at a time.
        const answer = await reply.json();
        return answer.error === undefined ? textOf(answer) : text;
      });
      assert.deepEqual(await Promise.all(answers), Array.from({ length: 64 }, (_, number) => `for ${number}`));
    });

    test('handlers see headers as they came', async (t) => {
      const { port } = await listen(t, make(demo()));
      const { headers, body } = toolCall('headers');
      const utf8 = Buffer.from('Grüße').toString('latin1');
      const reply = await send(port, { headers: { ...headers, 'X-Twice': ['1', '2'], 'X-Utf8': utf8, 'X-Latin1': 'na\xefve', 'X-None': '' }, body });
      const { result } = await reply.json();
      const seen = result.structuredContent ?? JSON.parse(result.content[0].text);
      assert.equal(seen['mcp-method'], 'tools/call');
      assert.equal(seen['x-twice'], '1, 2');
      assert.equal(seen['x-latin1'], 'na\xefve');
      assert.equal(seen['x-none'], '');
      // Each byte is a character, as everywhere in Node.
      assert.equal(Buffer.from(seen['x-utf8'], 'latin1').toString(), 'Grüße');
    });

    test('hosts and origins must be of this machine, or allowed', async (t) => {
      const { port } = await listen(t, make(demo()));
      const status = async (to, headers) => {
        const sent = modern('server/discover');
        return (await send(to, { ...sent, headers: { ...sent.headers, ...headers } })).status;
      };
      assert.equal(await status(port, {}), 200);
      assert.equal(await status(port, { Host: 'localhost:1' }), 200);
      assert.equal(await status(port, { Host: 'evil.example' }), 403);
      assert.equal(await status(port, { Origin: 'http://localhost:5173' }), 200);
      assert.equal(await status(port, { Origin: 'https://evil.example' }), 403);
      const allowing = await listen(t, make(demo(), { allowedHosts: ['mcp.example'], allowedOrigins: ['https://app.example'] }));
      assert.equal(await status(allowing.port, { Host: 'mcp.example', Origin: 'https://app.example' }), 200);
      assert.equal(await status(allowing.port, {}), 403);
    });

    test('scripts of pages that are named may read the answers', async (t) => {
      const { port } = await listen(t, make(demo(), { corsOrigins: ['https://app.example'], allowedOrigins: ['https://app.example'] }));
      const origin = { Origin: 'https://app.example' };
      const asked = { ...origin, 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'content-type, mcp-method' };
      const preflight = await send(port, { method: 'OPTIONS', headers: asked });
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers['access-control-allow-origin'], 'https://app.example');
      assert.match(preflight.headers['access-control-allow-headers'], /mcp-method/i);
      assert.equal(await preflight.text(), '');
      const sent = modern('server/discover');
      const reply = await send(port, { ...sent, headers: { ...sent.headers, ...origin } });
      assert.equal(reply.headers['access-control-allow-origin'], 'https://app.example');
    });

    test('the metadata of the protected resource is where clients look for it', async (t) => {
      const resourceMetadata = { resource: 'https://example.org/mcp', authorization_servers: ['https://auth.example'] };
      const { port } = await listen(t, make(demo(), { resourceMetadata }));
      for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
        const reply = await send(port, { method: 'GET', path, headers: { Accept: 'application/json' } });
        assert.deepEqual(await reply.json(), resourceMetadata);
      }
    });

    test('a handler that is closed is unavailable, and its server is not', async (t) => {
      const server = demo();
      const [handler, other] = [make(server), make(server)];
      const { port } = await listen(t, handler);
      const open = await listen(t, other);
      handler.close();
      const reply = await send(port, toolCall('echo', { text: 'x' }));
      assert.equal(reply.status, 503);
      await reply.text();
      assert.equal((await send(open.port, toolCall('echo', { text: 'x' }))).status, 200);
      server.close();
      assert.equal((await send(open.port, toolCall('echo', { text: 'x' }))).status, 503);
    });
  });
}

test('options that there are not are refused', () => {
  const server = demo();
  assert.throws(() => server.httpHandler({ bodyBites: 1 }), { code: 'ERR_MCPLITE_MISUSE' });
  assert.throws(() => server.fetchHandler({ path: 'no slash' }), /path/);
});
