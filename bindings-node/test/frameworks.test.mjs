// The handler inside of Express, Fastify and Hono.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { createAdaptorServer } from '@hono/node-server';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { McpServer } from 'mcplite';
import { PATIENCE, soon } from './support/client.mjs';
import { deferred, listen, modern, send, toolCall, Visitor } from './support/web.mjs';

function demo(options) {
  const server = new McpServer({ name: 'mounted', ...options });
  const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  server.registerTool('echo', { inputSchema: text }, ({ text: said }) => said);
  server.registerTool('state', {}, (_, ctx) => JSON.stringify([ctx.principal, ctx.state ?? null]));
  server.registerTool('count', {}, async (_, ctx) => {
    ctx.progress(1, 2);
    await new Promise((resolve) => setImmediate(resolve));
    ctx.progress(2, 2);
    return 'counted';
  });
  const aborted = deferred();
  server.registerTool('wait', {}, async (_, ctx) => {
    ctx.progress(1);
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
    aborted.resolve();
  });
  return { server, aborted: aborted.promise };
}

/** Everything that should be as it is elsewhere: whole answers, streams, sessions, hanging up. */
async function checkAll(port, path, aborted) {
  const reply = await send(port, { ...toolCall('echo', { text: 'Grüße' }), path });
  assert.equal(reply.status, 200);
  assert.equal((await reply.json()).result.content[0].text, 'Grüße');
  const stream = await send(port, { ...toolCall('count', {}, { progressToken: 1 }), path });
  assert.equal((await stream.message()).params.progress, 1);
  assert.equal((await stream.message()).params.progress, 2);
  assert.equal((await stream.message()).result.content[0].text, 'counted');
  assert.equal(await stream.message(), null);
  const visitor = await Visitor.arrive(port, { path });
  const listening = await visitor.get();
  assert.equal(listening.status, 200);
  assert.ok([200, 204].includes((await visitor.leave()).status));
  assert.equal(await listening.message(), null);
  const waiting = await send(port, { ...toolCall('wait', {}, { progressToken: 1 }), path });
  await waiting.message();
  waiting.hangUp();
  await soon(aborted, 'the end of the call');
}

async function text(port, path, more = {}) {
  const reply = await send(port, { method: 'GET', path, ...more });
  return `${reply.status} ${await reply.text()}`;
}

async function callState(port, path, headers = {}) {
  const sent = toolCall('state');
  const reply = await send(port, { ...sent, path, headers: { ...sent.headers, ...headers } });
  return reply.status === 200 ? JSON.parse((await reply.json()).result.content[0].text) : reply.status;
}

describe('Express', { timeout: PATIENCE * 3 }, () => {
  const places = {
    'as middleware of the application': [(app, handler) => app.use(handler), '/mcp'],
    'mounted at /mcp': [(app, handler) => app.use('/mcp', handler), '/mcp'],
    'mounted elsewhere': [(app, handler) => app.use('/api/v1/tools', handler), '/api/v1/tools'],
    'as a route': [(app, handler) => app.all('/tools', handler), '/tools'],
    'as a route, called by a function': [(app, handler) => app.all('/tools', (request, response) => handler(request, response)), '/tools'],
    'as a route of a router': [(app, handler) => app.use('/api', express.Router().all('/tools', handler)), '/api/tools'],
    'in a router that is mounted': [(app, handler) => app.use('/api', express.Router().use('/tools', handler)), '/api/tools'],
    'in an application that is mounted': [(app, handler) => app.use('/api', express().use('/tools', handler)), '/api/tools'],
    'behind express.json()': [(app, handler) => app.use(express.json()).use('/mcp', handler), '/mcp'],
    'behind express.raw()': [(app, handler) => app.use(express.raw({ type: '*/*' })).use('/mcp', handler), '/mcp'],
    'behind express.text()': [(app, handler) => app.use(express.text({ type: '*/*' })).use('/mcp', handler), '/mcp'],
  };
  for (const [place, [mount, path]] of Object.entries(places)) {
    test(place, async (t) => {
      const { server, aborted } = demo();
      const app = express();
      app.get('/before', (_, response) => void response.send('before'));
      mount(app, server.httpHandler());
      app.get('/after', (_, response) => void response.send('after'));
      const { port } = await listen(t, app);
      await checkAll(port, path, aborted);
      assert.equal(await text(port, '/before'), '200 before');
      assert.equal(await text(port, '/after'), '200 after');
      assert.equal((await send(port, { ...modern('server/discover'), path: `${path}/more` })).status, 404);
      assert.equal((await send(port, { ...modern('server/discover'), path: `${path}?key=1` })).status, 200);
    });
  }

  test('two servers, each at its path', async (t) => {
    const app = express();
    app.use('/one', demo({ state: 1 }).server.httpHandler());
    app.use('/two', demo({ state: 2 }).server.httpHandler());
    const { port } = await listen(t, app);
    assert.deepEqual(await callState(port, '/one'), [null, 1]);
    assert.deepEqual(await callState(port, '/two'), [null, 2]);
  });

  test('a path that is given is the only one', async (t) => {
    const app = express();
    app.use(demo().server.httpHandler({ path: '/tools' }));
    const { port } = await listen(t, app);
    assert.deepEqual(await callState(port, '/tools'), [null, null]);
    assert.equal(await callState(port, '/mcp'), 404);
  });

  test('what was read of the body is what counts', async (t) => {
    const { server } = demo();
    const app = express();
    app.use(express.json());
    app.use('/mcp', server.httpHandler());
    app.use((error, _request, response, _next) => void response.status(error.status).end());
    const { port } = await listen(t, app);
    const reply = await send(port, { ...modern('server/discover'), body: '{"jsonrpc":' });
    assert.equal(reply.status, 400);
    const empty = await send(port, { ...modern('server/discover'), body: '' });
    assert.equal(empty.status, 400);
  });

  test('a body that was read and thrown away is an error of the program', async (t) => {
    const reports = [];
    const { server } = demo({ onError: (error) => reports.push(error.message) });
    const app = express();
    app.use((request, _, next) => void request.resume().once('end', () => next()));
    app.use('/mcp', server.httpHandler());
    const { port } = await listen(t, app);
    assert.equal((await send(port, modern('server/discover'))).status, 500);
    assert.match(reports.join(), /request\.body/);
  });

  test('authorising, with what middleware has found out', async (t) => {
    const { server } = demo();
    const app = express();
    app.use((request, _, next) => {
      request.user = request.headers['x-user'];
      next();
    });
    const authorize = ({ raw }) => raw.user ?? 401;
    const state = ({ raw, path }) => ({ path, by: raw.baseUrl });
    app.use('/api/tools', server.httpHandler({ authorize, state }));
    const { port } = await listen(t, app);
    assert.deepEqual(await callState(port, '/api/tools', { 'X-User': 'ada' }), ['ada', { path: '/api/tools', by: '/api/tools' }]);
    assert.equal(await callState(port, '/api/tools'), 401);
  });

  test('errors of the application are its own', async (t) => {
    const app = express();
    app.use('/mcp', (request, response, next) => next(request.headers['x-fail'] ? new Error('no') : undefined));
    app.use('/mcp', demo().server.httpHandler());
    app.use((error, _request, response, _next) => void response.status(418).send(error.message));
    const { port } = await listen(t, app);
    assert.equal(await callState(port, '/mcp', { 'X-Fail': '1' }), 418);
    assert.deepEqual(await callState(port, '/mcp'), [null, null]);
  });

  test('CORS by the engine', async (t) => {
    const app = express();
    app.use('/mcp', demo().server.httpHandler({ corsOrigins: ['https://app.example'], allowedOrigins: ['https://app.example'] }));
    const { port } = await listen(t, app);
    const headers = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'POST' };
    const preflight = await send(port, { method: 'OPTIONS', headers });
    assert.deepEqual([preflight.status, preflight.headers['access-control-allow-origin']], [204, 'https://app.example']);
  });
});

describe('Fastify', { timeout: PATIENCE * 3 }, () => {
  async function started(t, build) {
    const app = Fastify({ forceCloseConnections: true });
    t.after(() => app.close());
    await build(app);
    app.get('/after', async () => 'after');
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app.server.address().port;
  }

  function answerWith(handler) {
    return (request, reply) => {
      reply.hijack();
      // What was parsed is kept apart from the request that it came with.
      request.raw.body = request.body;
      handler(request.raw, reply.raw);
    };
  }

  test('a route, with the body that Fastify has parsed', async (t) => {
    const { server, aborted } = demo();
    const port = await started(t, (app) => app.all('/mcp', answerWith(server.httpHandler())));
    await checkAll(port, '/mcp', aborted);
    assert.equal(await text(port, '/after'), '200 after');
  });

  test('a plugin below a prefix, which leaves the body alone', async (t) => {
    const { server, aborted } = demo();
    const handler = server.httpHandler({ path: '/api/tools' });
    const port = await started(t, (app) => app.register(async (inner) => {
      inner.removeAllContentTypeParsers();
      inner.addContentTypeParser('*', (_request, _payload, done) => done(null));
      inner.all('/tools', answerWith(handler));
    }, { prefix: '/api' }));
    await checkAll(port, '/api/tools', aborted);
    assert.equal((await send(port, { ...modern('server/discover'), path: '/api/tools', body: '{' })).status, 400);
  });

  test('authorising by a hook of the framework', async (t) => {
    const { server } = demo();
    const port = await started(t, (app) => app.register(async (inner) => {
      inner.addHook('onRequest', async (request, reply) => {
        if (!request.headers['x-user']) return reply.code(401).send();
      });
      inner.all('/mcp', answerWith(server.httpHandler({ authorize: ({ headers }) => headers['x-user'] })));
    }));
    assert.deepEqual(await callState(port, '/mcp', { 'X-User': 'ada' }), ['ada', null]);
    assert.equal(await callState(port, '/mcp'), 401);
  });
});

describe('Hono', { timeout: PATIENCE * 3 }, () => {
  async function started(t, app) {
    const web = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false });
    await once(web.listen(0, '127.0.0.1'), 'listening');
    t.after(() => {
      web.close();
      web.closeAllConnections();
    });
    return web.address().port;
  }

  const places = {
    'a route': [(app, server) => app.all('/mcp', (c) => server.fetch(c.req.raw)), '/mcp'],
    'a route elsewhere': [(app, server) => app.all('/api/tools', (c) => server.fetch(c.req.raw)), '/api/tools'],
    'a route of an application below a path': [(app, server) => app.route('/api', new Hono().all('/tools', (c) => server.fetch(c.req.raw))), '/api/tools'],
    'mounted': [(app, server) => app.mount('/tools', server.fetch), '/tools'],
  };
  for (const [place, [mount, path]] of Object.entries(places)) {
    test(place, async (t) => {
      const { server, aborted } = demo();
      const app = new Hono();
      mount(app, server);
      app.get('/after', (c) => c.text('after'));
      const port = await started(t, app);
      await checkAll(port, path, aborted);
      assert.equal(await text(port, '/after'), '200 after');
    });
  }

  test('behind middleware of the framework', async (t) => {
    const { server } = demo();
    const app = new Hono();
    app.use('/mcp', cors({ origin: 'http://localhost:5173', exposeHeaders: ['Mcp-Session-Id'] }));
    app.use('/mcp', async (c, next) => (c.req.header('X-User') ? next() : c.text('who are you?', 401)));
    const handler = server.fetchHandler({ authorize: ({ headers }) => headers['x-user'], state: ({ raw }) => new URL(raw.url).pathname });
    app.all('/mcp', (c) => handler(c.req.raw));
    const port = await started(t, app);
    const sent = toolCall('state');
    const headers = { ...sent.headers, 'X-User': 'ada', Origin: 'http://localhost:5173' };
    const reply = await send(port, { ...sent, headers });
    assert.equal(reply.headers['access-control-allow-origin'], 'http://localhost:5173');
    assert.deepEqual(JSON.parse((await reply.json()).result.content[0].text), ['ada', '/mcp']);
    assert.equal(await callState(port, '/mcp'), 401);
  });
});

test('node:http beside other listeners of the program', async (t) => {
  const { server, aborted } = demo();
  const handler = server.httpHandler();
  const { port } = await listen(t, (request, response) => {
    if (request.url.startsWith('/mcp')) handler(request, response);
    else response.end('other');
  });
  await checkAll(port, '/mcp', aborted);
  assert.equal(await text(port, '/'), '200 other');
});

test('a listener that is called with a function for the rest', async (t) => {
  const { server } = demo();
  const handler = server.httpHandler();
  const { port } = await listen(t, (request, response) => handler(request, response, () => response.end('rest')));
  assert.deepEqual(await callState(port, '/mcp'), [null, null]);
  assert.equal(await text(port, '/other'), '200 rest');
});
