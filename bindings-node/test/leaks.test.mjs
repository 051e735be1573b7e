// What is not needed any more is let go: memory of calls, servers, sessions, handlers.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hello } from './support/client.mjs';
import { run } from './support/process.mjs';

const BEGINNING = `
  import { McpServer } from 'mcplite';
  const HELLO = ${JSON.stringify(hello())};
  const message = (id, method, params) => JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const call = (id, name, args) => message(id, 'tools/call', { name, arguments: args });
  const cancel = (id) => message(undefined, 'notifications/cancelled', { requestId: id });
  const connected = (server, greeting = HELLO) => {
    const session = server.session();
    session.handle(greeting);
    return session;
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const settle = async () => {
    for (let round = 0; round < 3; round += 1) {
      gc();
      await turn();
    }
  };
  /** Does the work several times over; memory may grow at first, and not for ever. */
  const stays = async (work, rounds, allowed) => {
    await work();
    await work();
    await settle();
    const before = process.memoryUsage();
    for (let round = 0; round < rounds; round += 1) await work();
    await settle();
    const after = process.memoryUsage();
    const heap = after.heapUsed - before.heapUsed;
    const rss = after.rss - before.rss;
    if (heap > allowed.heap || rss > allowed.rss) throw new Error('heap +' + heap + ', rss +' + rss);
  };
  /** Makes things that nobody holds then; all but a few of them are collected. */
  const collects = async (count, make) => {
    let collected = 0;
    const registry = new FinalizationRegistry(() => { collected += 1; });
    let made = 0;
    for (let round = 0; round < count; round += 1) {
      for (const thing of await make(round)) {
        registry.register(thing, null);
        made += 1;
      }
    }
    for (let round = 0; round < 50 && collected < made; round += 1) {
      await settle();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    // Of the last one something may still be on a stack.
    if (collected < made * 0.95) throw new Error(collected + ' of ' + made + ' were collected');
  };
`;

// With a small space for what is new, which V8 would let grow for a while.
const FLAGS = ['--expose-gc', '--max-semi-space-size=2'];

async function completes(program) {
  const { code, signal, stdout, stderr } = await run(`${BEGINNING}${program}\nconsole.log('done');`, { flags: FLAGS });
  assert.deepEqual([code, signal, stdout, stderr], [0, null, 'done\n', '']);
}

const MB = 1 << 20;

for (const [kind, rounds, handler] of [
  ['plain', 100, '({ text }) => text'],
  ['async', 100, 'async ({ text }) => text'],
  ['structured', 10, '({ text }) => ({ text, list: [1, 2] })'],
]) {
  test(`${rounds * 10_000} ${kind} calls take no memory`, async () => {
    await completes(`
      const server = new McpServer({ name: 's' });
      server.registerTool('echo', { inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }, ${handler});
      const session = connected(server);
      const stream = Buffer.from(Array.from({ length: 500 }, (_, id) => call(id, 'echo', { text: 'x'.repeat(50) }) + '\\n').join(''));
      await stays(async () => {
        for (let round = 0; round < 20; round += 1) {
          let bytes = session.receive(stream).length;
          while (session.openCalls > 0) {
            await turn();
            bytes += session.drain().length;
          }
          if (bytes < 500 * 50) throw new Error('answers are missing');
        }
      }, ${rounds}, { heap: ${2 * MB}, rss: ${8 * MB} });
      if (server.memoryUsed > ${MB}) throw new Error('the engine holds ' + server.memoryUsed);
    `);
  });
}

test('calls that ask, are cancelled, time out, or fail take no memory', async () => {
  await completes(`
    const server = new McpServer({ name: 's', onError() {} });
    server.registerTool('ask', {}, async (args, ctx) => (await ctx.elicit('Well?')).action);
    server.registerTool('hang', {}, (args, ctx) => new Promise(() => { ctx.signal.addEventListener('abort', () => {}); }));
    server.registerTool('slow', { timeout: 1 }, () => new Promise(() => {}));
    server.registerTool('fail', {}, async () => { throw new Error('a bug'); });
    const session = connected(server, HELLO.replace('"capabilities":{}', '"capabilities":{"elicitation":{}}'));
    const modern = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
    let asked = 0;
    const take = () => {
      for (const line of String(session.drain()).split('\\n').filter(Boolean)) {
        const { id, method } = JSON.parse(line);
        if (method !== 'elicitation/create') continue;
        asked += 1;
        // Every other question is never answered, and its call cancelled.
        if (asked % 2 === 0) session.handle(JSON.stringify({ jsonrpc: '2.0', id, result: { action: 'decline' } }));
      }
    };
    await stays(async () => {
      for (let round = 0; round < 40; round += 1) {
        for (let id = 0; id < 10; id += 1) {
          for (const name of ['ask', 'hang', 'slow', 'fail']) session.handle(call(name + id, name));
          session.handle(message('modern' + id, 'tools/call', { name: 'ask', _meta: modern }));
        }
        await turn();
        await turn();
        take();
        for (let id = 0; id < 10; id += 1) for (const name of ['ask', 'hang']) session.handle(cancel(name + id));
        while (session.openCalls > 0) await new Promise((resolve) => setTimeout(resolve, 1));
        take();
      }
    }, 5, { heap: ${MB}, rss: ${20 * MB} });
  `);
});

test('sessions and servers that come and go take no memory', async () => {
  await completes(`
    const server = new McpServer({ name: 's' });
    server.registerTool('a', {}, () => 'a');
    await stays(async () => {
      for (let round = 0; round < 500; round += 1) {
        const session = connected(server);
        session.onOutput = () => {};
        session.handle(call(1, 'a'));
        session.close();
        const other = new McpServer({ name: 'other' });
        other.registerTool('b', {}, () => 'b');
        connected(other).handle(call(1, 'b'));
        other.close();
      }
      await settle();
    }, 6, { heap: ${2 * MB}, rss: ${30 * MB} });
  `);
});

test('tools that are registered and removed take no memory', async () => {
  await completes(`
    const server = new McpServer({ name: 's' });
    const other = new McpServer({ name: 'other' });
    other.mount('s', server);
    await stays(async () => {
      for (let round = 0; round < 500; round += 1) {
        const tool = server.registerTool('a', { inputSchema: { type: 'object', properties: { n: { type: 'integer' } } } }, () => 'a');
        tool.update({ title: String(round) });
        tool.disable();
        tool.enable();
        tool.remove();
      }
      await turn();
    }, 6, { heap: ${MB}, rss: ${20 * MB} });
  `);
});

test('servers, sessions and handlers that nobody holds are collected', async () => {
  await completes(`
    await collects(200, async () => {
      const server = new McpServer({ name: 's', timeout: 20 });
      const handler = async (args, ctx) => ctx.server === server && 'a';
      server.registerTool('a', {}, handler);
      server.use((request, next) => next());
      server.observe(() => server);
      const session = connected(server);
      session.handle(call(1, 'a'));
      await turn();
      return [server, session, handler];
    });
  `);
});

test('sessions that are dropped are collected whatever waits at them', async () => {
  await completes(`
    const server = new McpServer({ name: 's', onError() {} });
    server.registerTool('hang', {}, () => new Promise(() => {}));
    server.registerTool('ask', {}, (args, ctx) => ctx.elicit('Well?'));
    await collects(200, async () => {
      const session = connected(server, HELLO.replace('"capabilities":{}', '"capabilities":{"elicitation":{}}'));
      const state = { of: 'session' };
      session.handle(call(1, 'hang'));
      session.handle(call(2, 'ask'));
      await turn();
      return [session];
    });
    server.close();
  `);
});

test('servers are collected with sessions that somebody listens to', async () => {
  await completes(`
    await collects(200, async () => {
      const server = new McpServer({ name: 's' });
      server.registerTool('hang', {}, () => new Promise(() => {}));
      const session = connected(server);
      session.onOutput = () => session.drain();
      session.handle(call(1, 'hang'));
      await turn();
      return [server, session];
    });
  `);
});

test('handlers of dropped sessions hear that nobody waits any more', async () => {
  await completes(`
    const server = new McpServer({ name: 's' });
    let aborted = 0;
    server.registerTool('hang', {}, (args, ctx) => new Promise(() => { ctx.signal.addEventListener('abort', () => { aborted += 1; }); }));
    for (let round = 0; round < 50; round += 1) {
      connected(server).handle(call(1, 'hang'));
      await turn();
    }
    for (let round = 0; round < 50 && aborted < 45; round += 1) await settle();
    if (aborted < 45) throw new Error('aborted: ' + aborted);
  `);
});

test('handlers that are replaced or removed are let go', async () => {
  await completes(`
    const server = new McpServer({ name: 's' });
    const session = connected(server);
    await collects(200, async (round) => {
      const first = () => 'first';
      const second = () => 'second';
      const third = () => 'third';
      const state = {};
      server.registerTool('a', { replace: true }, first);
      server.registerTool('a', { replace: true }, second);
      server.registerPrompt('p', {}, third).remove();
      server.on('my/own', () => state).remove();
      session.handle(call(round, 'a'));
      await turn();
      return [first, third, state];
    });
  `);
});

test('contexts, arguments and results are let go when the call is over', async () => {
  await completes(`
    const server = new McpServer({ name: 's' });
    const made = [];
    const note = (args, ctx, result) => {
      made.push(args, ctx, result);
      return result;
    };
    server.registerTool('now', {}, (args, ctx) => note(args, ctx, { a: 1 }));
    server.registerTool('later', {}, async (args, ctx) => note(args, ctx, { a: 1 }));
    server.registerTool('hang', {}, (args, ctx) => {
      note(args, ctx, ctx.signal);
      return new Promise(() => {});
    });
    const session = connected(server);
    await collects(300, async (round) => {
      for (const name of ['now', 'later', 'hang']) session.handle(call(name + round, name, {}));
      await turn();
      session.handle(cancel('hang' + round));
      await turn();
      session.drain();
      return made.splice(0);
    });
  `);
});
