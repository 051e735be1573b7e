// What a handler knows of its request, and can tell the client.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { McpServer } from 'mcplite';

import { Client, ERAS, LEGACY, MODERN, REVISIONS, call, messages, notification, request, shakenHands, soon, turn } from './support/client.mjs';

function made(options) {
  return new McpServer({ name: 's', state: { of: 'server' }, ...options });
}

/** A tool that hangs until the test lets it go, and what happens to it. It has begun when it waits. */
function hanging(server, config = {}) {
  const seen = { contexts: [], aborted: [] };
  seen.began = new Promise((resolve) => {
    server.registerTool('hang', config, (args, ctx) => {
      seen.contexts.push(ctx);
      const { signal } = ctx;
      signal.addEventListener('abort', () => seen.aborted.push(signal.reason));
      setImmediate(resolve, ctx);
      return new Promise((finish, fail) => Object.assign(seen, { finish, fail }));
    });
  });
  return seen;
}

for (const revision of ERAS) {
  describe(`in ${revision}`, () => {
    test('progress is told with total and message, to whoever wants to know', async () => {
      const server = made();
      const work = (args, ctx) => {
        ctx.progress(1);
        ctx.progress(1.5, 2);
        ctx.progress(2, 2, 'done');
      };
      server.registerTool('now', {}, work);
      server.registerTool('later', {}, async (args, ctx) => {
        await turn();
        work(args, ctx);
      });
      const client = new Client(server, { revision });
      for (const name of ['now', 'later']) {
        await client.call(name);
        assert.deepEqual(client.notifications, []);
        await client.call(name, {}, { _meta: { progressToken: 'p' } });
        assert.deepEqual(client.all('notifications/progress'), [
          { progressToken: 'p', progress: 1 },
          { progressToken: 'p', progress: 1.5, total: 2 },
          { progressToken: 'p', progress: 2, total: 2, message: 'done' },
        ]);
        client.notifications = [];
      }
    });

    test('log messages have a level and any data', async () => {
      const server = made();
      server.registerTool('log', {}, (args, ctx) => {
        ctx.debug('d');
        ctx.info({ a: [1, null] });
        ctx.warning(3);
        ctx.error('e');
        ctx.log('emergency', 'x', 'mine');
        ctx.info(undefined);
        ctx.info('half \ud800');
      });
      const client = new Client(server, { revision, logLevel: 'info' });
      await client.call('log');
      assert.deepEqual(client.all('notifications/message').map(({ level, data, logger }) => [level, data, logger]), [
        ['info', { a: [1, null] }, undefined],
        ['warning', 3, undefined],
        ['error', 'e', undefined],
        ['emergency', 'x', 'mine'],
        ['info', null, undefined],
        ['info', 'half \ufffd', undefined],
      ]);
    });

    test('handlers know their client and their request', async () => {
      const server = made();
      const look = (args, ctx) => ({
        method: ctx.method, name: ctx.name, id: typeof ctx.requestId, arguments: ctx.arguments, meta: ctx.meta['my/own'],
        headers: ctx.headers, session: ctx.sessionId, cancelled: ctx.cancelled, aborted: ctx.signal.aborted, revision: ctx.revision,
        info: ctx.clientInfo, capabilities: ctx.clientCapabilities, principal: ctx.principal, state: ctx.state, server: ctx.server === server,
      });
      const inputSchema = { type: 'object' };
      server.registerTool('now', { inputSchema }, look);
      server.registerTool('later', { inputSchema }, async (args, ctx) => {
        await turn();
        return look(args, ctx);
      });
      const clientInfo = { name: 'editor', version: '7' };
      const client = new Client(server, { revision, clientInfo, capabilities: { sampling: {} } });
      for (const name of ['now', 'later']) {
        const { structuredContent } = await client.call(name, { key: 1 }, { _meta: { 'my/own': [1] } });
        assert.deepEqual(structuredContent, {
          method: 'tools/call', name, id: 'number', arguments: { key: 1 }, meta: [1], headers: {}, session: null, cancelled: false,
          aborted: false, revision, info: clientInfo, capabilities: { sampling: {} }, principal: null, state: { of: 'server' }, server: true,
        });
      }
    });

    test('a cancelled call aborts its signal, and nobody is answered', async () => {
      const server = made();
      const seen = hanging(server);
      const client = new Client(server, { revision });
      const { id } = client.begin('tools/call', { name: 'hang' });
      const ctx = await soon(seen.began);
      assert.equal(client.session.openCalls, 1);
      client.cancel(id, 'the user has left');
      assert.equal(client.session.openCalls, 0);
      assert.equal(ctx.cancelled, true);
      assert.equal(ctx.signal.aborted, true);
      assert.equal(seen.aborted.length, 1);
      const [reason] = seen.aborted;
      assert.equal(reason.name, 'AbortError');
      assert.match(reason.message, /the user has left/);
      // Too late for anything.
      ctx.progress(1);
      ctx.info('late');
      seen.finish('late');
      await turn();
      await client.request('tools/list');
      assert.deepEqual(client.notifications, []);
      assert.deepEqual([ctx.name, ctx.method, ctx.requestId], ['hang', 'tools/call', id]);
      assert.throws(() => ctx.signal.throwIfAborted(), { name: 'AbortError' });
    });

    test('a signal that is looked at late is aborted already', async () => {
      const server = made();
      let late;
      const began = new Promise((resolve) => {
        server.registerTool('hang', {}, (args, ctx) => {
          late = ctx;
          setImmediate(resolve);
          return new Promise(() => {});
        });
      });
      const client = new Client(server, { revision });
      const { id } = client.begin('tools/call', { name: 'hang' });
      await soon(began);
      client.cancel(id);
      assert.equal(late.signal.aborted, true);
      assert.equal(late.signal, late.signal);
    });

    test('a cancelled handler that rejects is nobody\'s business', async () => {
      const reports = [];
      const server = made({ onError: (error) => reports.push(error) });
      const seen = hanging(server);
      const client = new Client(server, { revision });
      const { id } = client.begin('tools/call', { name: 'hang' });
      await soon(seen.began);
      client.cancel(id);
      seen.fail(new Error('aborted'));
      await turn();
      assert.deepEqual(reports, []);
    });

    test('a call that takes too long is answered and aborted', async () => {
      const server = made();
      const seen = hanging(server, { timeout: 20 });
      const client = new Client(server, { revision });
      const { result } = await client.answer('tools/call', { name: 'hang' });
      assert.equal(result.isError, true);
      assert.match(result.content[0].text, /Timed out/);
      const [ctx] = seen.contexts;
      assert.deepEqual([ctx.cancelled, seen.aborted.length], [true, 1]);
      assert.match(seen.aborted[0].message, /./);
      seen.finish('late');
      await client.request('tools/list');
    });

    test('the time that the server gives holds where the tool says nothing', async () => {
      const server = made({ timeout: 20 });
      hanging(server);
      server.registerTool('patient', { timeout: 60_000 }, () => new Promise((resolve) => setTimeout(resolve, 60, 'done')));
      const client = new Client(server, { revision });
      const [hung, patient] = await Promise.all([client.text('hang'), client.text('patient')]);
      assert.match(hung, /^failed: Timed out/);
      assert.equal(patient, 'done');
    });

    test('a context tells nothing after the answer', async () => {
      const server = made();
      let kept;
      server.registerTool('a', {}, (args, ctx) => {
        kept = ctx;
        return ctx.name;
      });
      const client = new Client(server, { revision, logLevel: 'debug' });
      await client.call('a', {}, { _meta: { progressToken: 1 } });
      kept.progress(1);
      kept.info('late');
      await client.request('tools/list');
      assert.deepEqual(client.notifications, []);
      assert.deepEqual([kept.name, kept.cancelled, kept.closeStream(), kept.canSample()], ['a', false, false, false]);
      await assert.rejects(kept.elicit('Well?'), { name: 'Suspended' });
    });
  });
}

test('a level that there is not is refused', async () => {
  const server = made();
  server.registerTool('a', {}, (args, ctx) => ctx.log('warn', 'x'));
  const client = new Client(server);
  assert.match(await client.text('a'), /^failed: "warn" is no level; those are debug, info, notice/);
});

test('what is no number is no progress', async () => {
  for (const wrong of ['half', NaN, Infinity, undefined, {}]) {
    const server = made({ onError() {} });
    server.registerTool('a', {}, (args, ctx) => ctx.progress(wrong));
    const text = await new Client(server).text('a', {}, { _meta: { progressToken: 1 } });
    assert.match(text, /^failed: /, String(wrong));
  }
});

test('log messages that cannot be written are refused to the handler', async () => {
  const server = made({ onError() {} });
  server.registerTool('a', {}, (args, ctx) => ctx.info(10n));
  assert.match(await new Client(server).text('a'), /^failed: .*BigInt/);
});

for (const id of [1, -5, 'text', '', 2 ** 53, 1.5]) {
  test(`the id of a request is what the client sent: ${JSON.stringify(id)}`, () => {
    const server = made();
    server.on('my/id', (params, ctx) => ({ id: ctx.requestId }));
    const [answer] = messages(shakenHands(server).handle(request(id, 'my/id')));
    if (typeof id === 'number' && !Number.isInteger(id)) assert.ok(answer.error);
    else assert.deepEqual([answer.id, answer.result.id], [id, id]);
  });
}

test('a notification has no id', () => {
  const server = made();
  const ids = [];
  server.on('notifications/own', (params, ctx) => {
    ids.push(ctx.requestId);
  });
  shakenHands(server).handle(notification('notifications/own'));
  assert.deepEqual(ids, [null]);
});

test('who asks and what is attached belong to the connection', async () => {
  const server = made();
  server.registerTool('look', {}, (args, ctx) => `${ctx.principal} ${JSON.stringify(ctx.state)}`);
  const one = new Client(server, { principal: 'ada', state: { of: 'connection' } });
  const two = new Client(server);
  assert.equal(await one.text('look'), 'ada {"of":"connection"}');
  assert.equal(await two.text('look'), 'null {"of":"server"}');
  server.state = 'other';
  assert.equal(await two.text('look'), 'null "other"');
  assert.equal(await new Client(server, { state: null, principal: '' }).text('look'), ' null');
});

test('a context can be written for people', async () => {
  const server = made();
  server.registerTool('a', {}, (args, ctx) => JSON.stringify(ctx));
  assert.equal(await new Client(server).text('a'), '{"method":"tools/call","name":"a","requestId":1}');
});

test('a stream is closed only where there is one', async () => {
  const server = made();
  server.registerTool('a', {}, (args, ctx) => String(ctx.closeStream()));
  assert.equal(await new Client(server).text('a'), 'false');
});

test('a session that is closed cancels what is under way', async () => {
  const server = made();
  const seen = hanging(server);
  const client = new Client(server);
  client.begin('tools/call', { name: 'hang' });
  await soon(seen.began);
  client.close();
  assert.deepEqual([seen.contexts[0].cancelled, seen.aborted.length], [true, 1]);
});

test('what is cancelled as soon as it has begun hears of it', async () => {
  for (const end of [(session) => session.handle(notification('notifications/cancelled', { requestId: 1 })), (session) => session.close()]) {
    const server = made();
    const seen = hanging(server);
    const session = shakenHands(server);
    session.handle(call(1, 'hang'));
    end(session);
    await soon(seen.began);
    assert.deepEqual([seen.contexts[0].cancelled, seen.aborted.length], [true, 1]);
    assert.equal(session.openCalls, 0);
  }
});

test('cancelling in the handler itself is heard by the handler', async () => {
  const server = made();
  let session;
  const seen = [];
  server.registerTool('own', {}, async (args, ctx) => {
    session.handle(notification('notifications/cancelled', { requestId: 5 }));
    await turn();
    seen.push(ctx.cancelled, ctx.signal.aborted);
    return 'late';
  });
  session = shakenHands(server);
  session.handle(call(5, 'own'));
  await turn();
  await turn();
  assert.deepEqual(seen, [true, true]);
  assert.equal(session.poll(), null);
});

test('a notification of cancelling for nobody is ignored', async () => {
  for (const revision of [LEGACY, MODERN]) {
    const server = made();
    server.registerTool('a', {}, () => 'a');
    const client = new Client(server, { revision });
    client.cancel(99);
    client.cancel('x');
    client.notify('notifications/cancelled', {});
    assert.equal(await client.text('a'), 'a');
    assert.deepEqual(client.notifications, []);
  }
});

test('the revision is the one of the request', async () => {
  const server = made();
  server.registerTool('a', {}, (args, ctx) => ctx.revision);
  for (const revision of REVISIONS) assert.equal(await new Client(server, { revision }).text('a'), revision);
});
