// Programs as processes: when they end, what they print, and clients that do not behave.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { call, hello, messages, notification, request, soon, turn } from './support/client.mjs';
import { run, serving } from './support/process.mjs';

const GREETING = [hello(), notification('notifications/initialized')];

/** The lines of a client that shakes hands first. */
function lines(...own) {
  return [...GREETING, ...own].map((line) => `${line}\n`).join('');
}

/** A program with a server that has some tools, and that serves as the test says. */
function program(serve, tools = '', options = {}) {
  return `
    import { McpServer } from 'mcplite';
    const server = new McpServer({ name: 's', onError() {}, ...${JSON.stringify(options)} });
    const text = { inputSchema: { type: 'object', properties: { text: { type: 'string' } } } };
    server.registerTool('echo', text, ({ text }) => text);
    server.registerTool('later', text, async ({ text }) => text);
    server.registerTool('hang', {}, (args, ctx) => {
      ctx.signal.addEventListener('abort', () => console.error('aborted'));
      console.error('hanging');
      return new Promise(() => {});
    });
    server.registerTool('slow', {}, () => new Promise((resolve) => setTimeout(resolve, 100, 'slow')));
    ${tools}
    ${serve}
  `;
}

const ids = (output) => messages(output).map(({ id }) => id);

describe('a process ends by itself', () => {
  test('when sessions have no work any more', async () => {
    const { code, stdout, took } = await run(program(`
      const session = server.session();
      session.onOutput = () => process.stdout.write(session.drain());
      const lines = ${JSON.stringify([...GREETING, call(1, 'later', { text: 'x' }), call(2, 'slow')])};
      for (const line of lines) process.stdout.write((session.handle(line) ?? '') + '\\n');
    `));
    assert.equal(code, 0);
    assert.deepEqual(ids(stdout).sort(), [1, 2, 'hello']);
    assert.ok(took < 5000);
  });

  test('whatever deadlines there were', async () => {
    const { code, took } = await run(`
      import { McpServer } from 'mcplite';
      const server = new McpServer({ name: 's', timeout: 60_000, questionTtl: 60_000 });
      server.registerTool('later', {}, async () => 'x');
      const session = server.session();
      session.handle(${JSON.stringify(hello())});
      session.handle(${JSON.stringify(call(1, 'later'))});
    `);
    assert.equal(code, 0);
    assert.ok(took < 5000);
  });

  test('when its client is gone, and everything is answered', async () => {
    const input = lines(call(1, 'echo', { text: 'a' }), call(2, 'later', { text: 'b' }), call(3, 'slow'));
    const { code, signal, stdout, stderr } = await run(program('await server.stdio();'), { input });
    assert.deepEqual([code, signal, stderr], [0, null, '']);
    assert.deepEqual(ids(stdout).sort(), [1, 2, 3, 'hello']);
  });

  test('with a last line that has no end', async () => {
    const { stdout } = await run(program('await server.stdio();'), { input: lines() + call(1, 'echo', { text: 'a' }) });
    assert.deepEqual(ids(stdout), ['hello', 1]);
  });

  test('without a client', async () => {
    const { code, stdout } = await run(program('await server.stdio();'));
    assert.deepEqual([code, stdout], [0, '']);
  });

  test('when its client is gone, even if something keeps it alive', async () => {
    const { code, took } = await run(program("setInterval(() => {}, 1000); await server.stdio(); console.error('over');"), { input: lines(call(1, 'slow')) });
    assert.equal(code, 0);
    assert.ok(took < 5000);
  });

  test('but not while the program wants to go on', async () => {
    const { code, stderr } = await run(program(`
      const timer = setInterval(() => {}, 1000);
      await server.stdio({ exit: false });
      console.error('over');
      setTimeout(() => { clearInterval(timer); process.exitCode = 7; console.error('enough'); }, 1500);
    `), { input: lines() });
    assert.deepEqual([code, stderr], [7, 'over\nenough\n']);
  });

  test('with the code that the program has chosen', async () => {
    const { code } = await run(program('process.exitCode = 3; setInterval(() => {}, 1000); await server.stdio();'), { input: lines() });
    assert.equal(code, 3);
  });

  test('when a tool never ends, after its grace', async () => {
    await serving(program('await server.stdio({ grace: 200 });'), async (served) => {
      await served.shakeHands();
      served.send(call(1, 'hang'));
      await served.said(/hanging/);
      const { code, signal, took } = await served.end();
      assert.deepEqual([code, signal], [0, null]);
      assert.ok(took >= 150 && took < 5000);
      await served.said(/aborted/);
    });
  });

  test('when a tool ends within its grace, with its answer', async () => {
    await serving(program('await server.stdio({ grace: 5000 });'), async (served) => {
      await served.shakeHands();
      served.send(call(1, 'slow'));
      const ended = served.end();
      assert.equal((await served.receive()).result.content[0].text, 'slow');
      assert.equal((await ended).code, 0);
    });
  });

  test('when a tool blocks the only thread', { skip: process.platform === 'win32' }, async () => {
    const tools = `server.registerTool('block', {}, () => { console.error('blocking'); for (;;); });`;
    await serving(program('await server.stdio({ grace: 10 });', tools), async (served) => {
      await served.shakeHands();
      served.send(call(1, 'block'));
      await served.said(/blocking/);
      const { signal, took } = await served.end();
      assert.equal(signal, 'SIGKILL');
      assert.ok(took < 8000);
    });
  });

  test('when nobody reads its answers any more', async () => {
    await serving(program('await server.stdio();', "setInterval(() => {}, 1000);"), async (served) => {
      await served.shakeHands();
      served.child.stdout.destroy();
      const feeding = setInterval(() => served.send(call(1, 'echo', { text: 'x' })), 20);
      const { code } = await soon(served.exit);
      clearInterval(feeding);
      assert.equal(code, 0);
    });
  });

  test('when its client is gone and has not read its answers', async () => {
    const tools = `server.registerTool('large', {}, () => 'x'.repeat(1_000_000));`;
    await serving(program('await server.stdio({ grace: 100 });', tools), async (served) => {
      await served.shakeHands();
      served.child.stdout.pause();
      served.send(...Array.from({ length: 20 }, (_, id) => call(id, 'large')));
      const { code, signal, took } = await served.end();
      // What is left in the pipe ends in the middle of a line.
      served.child.stdout.destroy();
      assert.deepEqual([code, signal], [0, null]);
      assert.ok(took < 5000);
    });
  });

  test('when it is told to', { skip: process.platform === 'win32' }, async () => {
    for (const signal of ['SIGTERM', 'SIGINT']) {
      await serving(program('await server.stdio();'), async (served) => {
        await served.shakeHands();
        served.send(call(1, 'hang'));
        await served.said(/hanging/);
        served.child.kill(signal);
        assert.equal((await soon(served.exit)).signal, signal);
      });
    }
  });

  test('in an orderly way, if the program shuts down when it is told to', { skip: process.platform === 'win32' }, async () => {
    await serving(program("process.on('SIGTERM', () => server.shutdown()); await server.stdio();"), async (served) => {
      await served.shakeHands();
      served.send(call(1, 'slow'));
      served.send(call(2, 'echo', { text: 'x' }));
      assert.equal((await served.receive()).id, 2);
      served.child.kill('SIGTERM');
      assert.equal((await served.receive()).id, 1);
      assert.deepEqual(await soon(served.exit), { code: 0, signal: null });
    });
  });

  test('when the server is closed', async () => {
    for (const close of ['server.close()', 'setImmediate(() => server.close())']) {
      await serving(program('await server.stdio();', `server.registerTool('close', {}, () => { ${close}; });`), async (served) => {
        await served.shakeHands();
        served.send(call(1, 'close'));
        assert.equal((await soon(served.exit)).code, 0);
      });
    }
  });
});

describe('standard output', () => {
  test('is for messages only, whoever prints', async () => {
    const tools = `
      import { execFileSync, spawnSync } from 'node:child_process';
      import { writeSync } from 'node:fs';
      console.log('before');
      server.registerTool('print', {}, () => {
        console.log('by console.log');
        console.table([{ a: 'by console.table' }]);
        process.stdout.write('by process.stdout\\n');
        writeSync(1, 'by a descriptor\\n');
        spawnSync(process.execPath, ['-e', 'console.log("by a child")'], { stdio: 'inherit' });
        return 'printed';
      });
      server.registerTool('input', {}, () => {
        const reading = 'process.stdin.on("data", () => {}).on("end", () => console.log("no input"))';
        return execFileSync(process.execPath, ['-e', reading], { stdio: ['inherit', 'pipe', 'inherit'], encoding: 'utf8' }).trim();
      });
    `;
    const input = lines(call(1, 'print'), call(2, 'input'), call(3, 'echo', { text: 'x' }));
    const { code, stdout, stderr } = await run(program("console.log('not yet'); await server.stdio(); console.log('over');", tools), { input });
    assert.equal(code, 0);
    const [before, early, ...rest] = stdout.split('\n');
    assert.deepEqual([before, early], ['before', 'not yet']);
    const answers = messages(rest.join('\n'));
    assert.deepEqual(answers.map(({ id }) => id), ['hello', 1, 2, 3]);
    assert.equal(answers[2].result.content[0].text, 'no input');
    for (const words of ['by console.log', 'by console.table', 'by process.stdout', 'by a descriptor', 'by a child', 'over']) {
      assert.ok(stderr.includes(words), words);
    }
  });

  test('is whole, however large messages are', async () => {
    const text = 'ä€\u{1f600}'.repeat(300_000);
    await serving(program('await server.stdio();'), async (served) => {
      await served.shakeHands();
      assert.equal((await served.call(1, 'echo', { text })).result.content[0].text, text);
      assert.equal((await served.call(2, 'later', { text })).result.content[0].text, text);
      assert.equal((await served.end()).code, 0);
    });
  });

  test('is whole, however many large answers come at once', async () => {
    const tools = "server.registerTool('now', {}, () => 'x'.repeat(1_000_000)); server.registerTool('soon', {}, async () => 'x'.repeat(1_000_000));";
    const requests = Array.from({ length: 70 }, (_, id) => [call(`now ${id}`, 'now'), call(`soon ${id}`, 'soon')]).flat();
    const { code, stdout } = await run(program('await server.stdio();', tools), { input: lines(...requests) });
    assert.deepEqual([code, new Set(ids(stdout)).size], [0, 141]);
  });

  test('and input may be files', { skip: process.platform === 'win32' }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcplite-files-'));
    try {
      const [from, to] = ['in', 'out'].map((name) => join(folder, name));
      writeFileSync(from, lines(call(1, 'later', { text: 'x'.repeat(200_000) }), call(2, 'echo', { text: 'y' })));
      const stdio = [openSync(from, 'r'), openSync(to, 'w'), 'inherit'];
      const cwd = dirname(fileURLToPath(import.meta.url));
      const child = spawn(process.execPath, ['--input-type=module', '--eval', program('await server.stdio();')], { cwd, stdio });
      const [code] = await soon(once(child, 'exit'));
      assert.equal(code, 0);
      assert.deepEqual(ids(readFileSync(to)).sort(), [1, 2, 'hello']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a client that does not read', () => {
  const tools = `
    server.registerTool('large', {}, async () => 'x'.repeat(100_000));
    server.registerTool('memory', {}, () => String(process.memoryUsage().rss));
    let last = performance.now();
    let longest = 0;
    setInterval(() => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
      console.error('beat ' + Math.round(process.memoryUsage().rss / 2 ** 20) + ' ' + Math.round(longest));
    }, 20).unref();
  `;

  test('is held back: the loop goes on, and memory does not grow', async () => {
    await serving(program('await server.stdio();', tools), async (served) => {
      await served.shakeHands();
      served.child.stdout.pause();
      const count = 1500;
      for (let id = 0; id < count; id += 1) served.send(call(id, 'large'));
      // 150 MB of answers, none of which is read.
      const before = served.errors.length;
      await served.said(new RegExp(`^[^]{${before}}(beat [^]*){20}`));
      const beats = served.errors.slice(before).trim().split('\n').map((line) => line.split(' ').map(Number));
      const [, memory, longest] = beats.at(-1);
      assert.ok(memory < 150, `${memory} MB`);
      assert.ok(longest < 2000, `${longest} ms`);
      // All of them come once they are read.
      served.child.stdout.resume();
      const seen = new Set();
      while (seen.size < count) seen.add((await served.receive()).id);
      assert.equal((await served.end()).code, 0);
    });
  });

  test('of requests that wait is held back as well', async () => {
    const gate = `
      let open;
      const opened = new Promise((resolve) => { open = resolve; });
      server.registerTool('wait', {}, async () => { await opened; return 'x'; });
      process.on('SIGUSR2', () => open());
      setInterval(() => console.error('beat ' + server.memoryUsed), 20).unref();
    `;
    await serving(program('await server.stdio();', gate), async (served) => {
      await served.shakeHands();
      const count = 20_000;
      served.send(...Array.from({ length: count }, (_, id) => call(id, 'wait')));
      await served.said(/(beat [^]*){5}/);
      const held = Number(served.errors.trim().split(' ').at(-1));
      assert.ok(held < 8 << 20, `${held} bytes`);
      served.child.kill('SIGUSR2');
      const answers = [];
      for (let left = count; left > 0; left -= 1) answers.push(await served.receive());
      assert.ok(answers.every(({ result }) => result !== undefined), 'none was refused');
      assert.equal(new Set(answers.map(({ id }) => id)).size, count);
    });
  });
});

describe('calls that take their time', () => {
  test('hold nothing back for long', async () => {
    await serving(program('await server.stdio();', '', { limits: { openCalls: 8 } }), async (served) => {
      await served.shakeHands();
      served.send(...Array.from({ length: 8 }, (_, id) => call(`hang ${id}`, 'hang')), request('ping', 'ping'));
      assert.equal((await served.receive()).id, 'ping');
      served.send(call('one too many', 'hang'));
      assert.match((await served.receive()).error.message, /8 requests are open/);
      served.send(notification('notifications/cancelled', { requestId: 'hang 0' }), call('again', 'echo', { text: 'x' }));
      assert.equal((await served.receive()).id, 'again');
      await served.said(/aborted/);
    });
  });

  test('hold nothing back that they wait for', async () => {
    const tools = "server.registerTool('ask', {}, async (args, ctx) => (await ctx.elicit('Well?')).action);";
    await serving(program('await server.stdio();', tools), async (served) => {
      served.send(hello(undefined, { elicitation: {} }), notification('notifications/initialized'));
      await served.receive();
      const count = 500;
      served.send(...Array.from({ length: count }, (_, id) => call(`ask ${id}`, 'ask')));
      // The client answers only when it has been asked everything.
      const asked = [];
      while (asked.length < count) asked.push((await served.receive()).id);
      served.send(...asked.map((id) => JSON.stringify({ jsonrpc: '2.0', id, result: { action: 'decline' } })));
      const answered = new Set();
      while (answered.size < count) answered.add((await served.receive()).id);
      assert.ok(answered.has('ask 0') && answered.has('ask 499'));
      assert.equal((await served.end()).code, 0);
    });
  });

  test('do not end the process while its client is there', async () => {
    const tools = `
      const opened = new Promise((resolve) => process.on('SIGUSR2', resolve));
      server.registerTool('wait', {}, async () => { await opened; });
    `;
    await serving(program('await server.stdio();', tools, { limits: { openCalls: 4 } }), async (served) => {
      await served.shakeHands();
      served.send(...Array.from({ length: 4 }, (_, id) => call(id, 'wait')), call('echo', 'echo', { text: 'x' }));
      assert.equal((await served.receive()).id, 'echo');
      served.child.kill('SIGUSR2');
      for (let left = 4; left > 0; left -= 1) assert.ok((await served.receive()).result);
    });
  });
});

describe('accidents of the program', () => {
  test('are not swallowed', async () => {
    const tools = `
      server.registerTool('stray', {}, () => { Promise.reject(new Error('nobody looks')); return 'x'; });
      server.registerTool('uncaught', {}, () => { setImmediate(() => { throw new Error('nobody catches'); }); return 'x'; });
    `;
    for (const [name, words] of [['stray', /nobody looks/], ['uncaught', /nobody catches/]]) {
      await serving(program('await server.stdio();', tools), async (served) => {
        await served.shakeHands();
        served.send(call(1, name));
        assert.equal((await soon(served.exit)).code, 1);
        assert.match(served.errors, words);
      });
    }
  });

  test('are not caused by the package', async () => {
    const tools = `
      process.on('unhandledRejection', (error) => console.error('unhandled', error));
      process.on('uncaughtException', (error) => console.error('uncaught', error));
      process.on('warning', (warning) => console.error('warned', warning));
      server.registerTool('throw', {}, () => { throw new Error('a bug'); });
      server.registerTool('reject', {}, async () => { throw new Error('a bug'); });
      server.registerTool('ask', {}, async (args, ctx) => {
        ctx.elicit('Well?');
        ctx.sample('x');
        ctx.roots();
        ctx.once('a', () => { throw new Error('a bug'); });
        return 'x';
      });
      server.registerTool('asks', {}, async (args, ctx) => { await Promise.all([ctx.elicit('Well?'), ctx.roots()]); return 'x'; });
    `;
    const names = ['throw', 'reject', 'ask', 'asks', 'hang'];
    const input = lines(...names.map((name) => call(name, name)), ...Array.from({ length: 30 }, (_, id) => call(id, 'later', { text: 'x' })),
      notification('notifications/cancelled', { requestId: 'hang' }), '{', '[]', '\u0000', request(99, 'no/such'));
    const { code, stdout, stderr } = await run(program('await server.stdio({ grace: 100 });', tools), { input });
    assert.equal(code, 0);
    assert.doesNotMatch(stderr, /unhandled|uncaught|warned/);
    assert.ok(ids(stdout).length >= 36);
  });

  test('standard input and output are served once, and by the main thread', async () => {
    const { code, stderr } = await run(program(`
      import { Worker } from 'node:worker_threads';
      import { once } from 'node:events';
      const first = server.stdio();
      await server.stdio().catch(({ code, message }) => console.error(code, message));
      const worker = new Worker(\`
        import(process.env.ENTRY).then(({ McpServer }) => new McpServer({ name: 'w' }).stdio()).catch(({ code, message }) => console.error(code, message));
      \`, { eval: true, execArgv: [], env: { ...process.env, ENTRY: import.meta.resolve('mcplite') } });
      await once(worker, 'exit');
      await first;
    `), { input: lines() });
    assert.equal(code, 0);
    assert.match(stderr, /ERR_MCPLITE_BUSY standard input and output are served already/);
    assert.match(stderr, /ERR_MCPLITE_MISUSE standard input and output belong to the main thread/);
  });
});

test('many processes may come and go', async () => {
  const all = await Promise.all(Array.from({ length: 6 }, () => run(program('await server.stdio();'), { input: lines(call(1, 'later', { text: 'x' })) })));
  for (const { code, stdout } of all) assert.deepEqual([code, ids(stdout)], [0, ['hello', 1]]);
  await turn();
});
