// Who may come in, and what handlers learn of it, by `node:http` and by web requests.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { McpServer } from 'mcplite';
import { PATIENCE, soon } from './support/client.mjs';
import { deferred, listen, modern, send, toolCall, Visitor, WAYS } from './support/web.mjs';

function demo() {
  const reports = [];
  const server = new McpServer({ name: 'guarded', state: 'of the server', onError: (error, where) => reports.push([error.message, where]) });
  let runs = 0;
  server.registerTool('who', {}, (_, ctx) => {
    runs += 1;
    return { principal: ctx.principal, state: ctx.state };
  });
  return { server, reports, runs: () => runs };
}

async function ask(port, headers = {}) {
  const sent = toolCall('who');
  const reply = await send(port, { ...sent, headers: { ...sent.headers, ...headers } });
  const text = await reply.text();
  const result = reply.status === 200 ? JSON.parse(text).result : undefined;
  return { status: reply.status, headers: reply.headers, found: result?.structuredContent ?? (result && JSON.parse(result.content[0].text)) };
}

const bearer = (token) => ({ Authorization: `Bearer ${token}` });

for (const [way, make] of Object.entries(WAYS)) {
  describe(`authorising by ${way}`, { timeout: PATIENCE * 3 }, () => {
    for (const [when, later] of [['at once', (verdict) => verdict], ['later', (verdict) => new Promise((resolve) => setImmediate(resolve, verdict))]]) {
      test(`a verdict ${when} lets in, or refuses`, async (t) => {
        const { server, runs } = demo();
        const verdicts = { granted: true, ada: 'ada', weak: 403, unknown: 401, nobody: false, nothing: undefined, empty: '', null: null };
        const authorize = (request) => {
          const token = request.headers.authorization?.replace('Bearer ', '');
          if (token === 'weak') request.setChallenge('error="insufficient_scope", scope="files:write"');
          return later(verdicts[token]);
        };
        const { port } = await listen(t, make(server, { authorize }));
        assert.deepEqual((await ask(port, bearer('granted'))).found, { principal: null, state: 'of the server' });
        assert.deepEqual((await ask(port, bearer('ada'))).found, { principal: 'ada', state: 'of the server' });
        const before = runs();
        const weak = await ask(port, bearer('weak'));
        assert.equal(weak.status, 403);
        assert.match(weak.headers['www-authenticate'], /^Bearer .*scope="files:write"/);
        for (const token of ['unknown', 'nobody', 'nothing', 'empty', 'null']) {
          const { status, headers } = await ask(port, bearer(token));
          assert.equal(status, 401, token);
          assert.match(headers['www-authenticate'], /^Bearer/);
        }
        assert.equal((await ask(port)).status, 401);
        assert.equal(runs(), before);
      });
    }

    test('whoever cannot decide lets nobody in, and the program is told', async (t) => {
      const { server, reports, runs } = demo();
      const failures = {
        '/thrown': () => {
          throw new Error('thrown');
        },
        '/rejected': async () => {
          throw new Error('rejected');
        },
        '/odd': () => 200,
        '/odder': async () => ({}),
      };
      for (const [path, authorize] of Object.entries(failures)) {
        const { port } = await listen(t, make(server, { path, authorize }));
        assert.equal((await send(port, { ...toolCall('who'), path })).status, 403, path);
        const [message, where] = reports.pop();
        assert.match(message, path.startsWith('/odd') ? /authorize gives true/ : new RegExp(path.slice(1)));
        assert.deepEqual(where, { method: 'authorize', name: path });
      }
      assert.equal(runs(), 0);
    });

    test('the program sees the request', async (t) => {
      const { server } = demo();
      const seen = [];
      const authorize = ({ method, path, headers, raw }) => {
        seen.push([method, path, headers['x-own'], typeof raw.url]);
        return true;
      };
      const { port } = await listen(t, make(server, { authorize }));
      const sent = toolCall('who');
      await send(port, { ...sent, path: '/mcp?secret=1', headers: { ...sent.headers, 'X-Own': 'mine' } });
      await send(port, { method: 'DELETE' });
      assert.deepEqual(seen[0], ['POST', '/mcp', 'mine', 'string']);
      assert.deepEqual(seen[1]?.slice(0, 2), ['DELETE', '/mcp']);
    });

    test('requests that are wrong anyhow are not asked about', async (t) => {
      const { server } = demo();
      let asked = 0;
      const authorize = () => {
        asked += 1;
        return true;
      };
      const { port } = await listen(t, make(server, { authorize }));
      const sent = toolCall('who');
      assert.equal((await send(port, { ...sent, headers: { ...sent.headers, Host: 'evil.example' } })).status, 403);
      assert.equal((await send(port, { ...sent, path: '/none' })).status, way === 'fetch' ? 200 : 404);
      assert.equal(asked, way === 'fetch' ? 1 : 0);
    });

    test('what is wrong with a body is told to those only who may come in', async (t) => {
      const { server } = demo();
      const authorize = async ({ headers }) => headers.authorization === 'Bearer ada';
      const { port } = await listen(t, make(server, { authorize, bodyBytes: 1000 }));
      const sent = toolCall('who');
      const wrong = [[{ 'Content-Type': 'text/plain' }, 415], [{ Accept: 'text/html' }, 406], [{ 'Content-Length': 2000 }, 413]];
      for (const [headers, status] of wrong) {
        const body = 'x'.repeat(headers['Content-Length'] ?? 10);
        assert.equal((await send(port, { body, headers: { ...sent.headers, ...headers } })).status, 401);
        assert.equal((await send(port, { body, headers: { ...sent.headers, ...headers, ...bearer('ada') } })).status, status);
      }
    });

    test('the metadata of the resource is for everybody, and challenges name it', async (t) => {
      const { server } = demo();
      const resourceMetadata = { resource: 'https://example.org/mcp', authorization_servers: ['https://auth.example'] };
      const { port } = await listen(t, make(server, { authorize: () => 401, resourceMetadata }));
      const found = await send(port, { method: 'GET', path: '/.well-known/oauth-protected-resource/mcp' });
      assert.deepEqual(await found.json(), resourceMetadata);
      assert.match((await ask(port)).headers['www-authenticate'], /resource_metadata="https:\/\/example\.org\/\.well-known\/oauth-protected-resource\/mcp"/);
    });

    test('a session belongs to whoever opened it', async (t) => {
      const { server } = demo();
      const authorize = ({ headers }) => headers.authorization?.replace('Bearer ', '') ?? 401;
      const { port } = await listen(t, make(server, { authorize }));
      const ada = await Visitor.arrive(port, { headers: bearer('ada') });
      const { result } = await (await ada.call(1, 'who')).json();
      assert.match(result.content[0].text, /"principal":"ada"/);
      assert.equal((await ada.post({ id: 2, method: 'ping' }, bearer('bob'))).status, 404);
      assert.equal((await ada.post({ id: 3, method: 'ping' })).status, 200);
    });

    test('handlers find what was attached to their request', async (t) => {
      const { server } = demo();
      const state = ({ headers, method }) => (headers['x-own'] ? { own: headers['x-own'], method } : undefined);
      const { port } = await listen(t, make(server, { state }));
      const [first, second] = await Promise.all([ask(port, { 'X-Own': 'a' }), ask(port, { 'X-Own': 'b' })]);
      assert.deepEqual([first.found.state, second.found.state], [{ own: 'a', method: 'POST' }, { own: 'b', method: 'POST' }]);
      assert.equal((await ask(port)).found.state, 'of the server');
    });

    test('a state that cannot be made is an error of the program, and costs nothing', async (t) => {
      const { server, reports } = demo();
      const state = ({ headers }) => {
        if (headers['x-own']) throw new Error('no state');
        return 'fine';
      };
      const { port } = await listen(t, make(server, { state, exchanges: 2 }));
      for (let round = 0; round < 5; round += 1) {
        assert.equal((await ask(port, { 'X-Own': 'a' })).status, 500);
        const [message, where] = reports.pop();
        assert.deepEqual([message, where], ['no state', { method: 'state', name: '/mcp' }]);
      }
      assert.equal((await ask(port)).found.state, 'fine');
    });

    test('a client that leaves while the program decides is let go', async (t) => {
      const { server, runs } = demo();
      const [asked, decided] = [deferred(), deferred()];
      const authorize = ({ headers }) => {
        if (headers.authorization) return true;
        asked.resolve();
        return decided.promise;
      };
      const { port, web } = await listen(t, make(server, { authorize, exchanges: 1 }));
      const closed = new Promise((resolve) => web.once('request', (request) => request.socket.once('close', resolve)));
      const leaving = new AbortController();
      const { headers, body } = toolCall('who');
      const gone = fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body, signal: leaving.signal });
      await soon(asked.promise, 'the question');
      leaving.abort();
      await assert.rejects(gone);
      await soon(closed, 'the end of the connection');
      decided.resolve(true);
      assert.equal((await ask(port, bearer('x'))).status, 200);
      assert.equal(runs(), 1);
    });

    test('several requests are decided about at a time', async (t) => {
      const { server } = demo();
      const waiting = new Map();
      const authorize = ({ headers }) => new Promise((resolve) => {
        waiting.set(headers['x-own'], resolve);
        if (waiting.size === 4) for (const name of ['d', 'b', 'c', 'a']) waiting.get(name)(name === 'b' ? 403 : name);
      });
      const { port } = await listen(t, make(server, { authorize }));
      const replies = await Promise.all(['a', 'b', 'c', 'd'].map((name) => ask(port, { 'X-Own': name })));
      assert.deepEqual(replies.map(({ status }) => status), [200, 403, 200, 200]);
      assert.deepEqual(replies.map(({ found }) => found?.principal), ['a', undefined, 'c', 'd']);
    });
  });
}

test('discovery is guarded as everything else is', async (t) => {
  const { server } = demo();
  const { port } = await listen(t, server.httpHandler({ authorize: () => 401 }));
  assert.equal((await send(port, modern('server/discover'))).status, 401);
});
