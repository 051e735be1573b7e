// What a careless program may do; `host_cases.txt` has the list.

import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import vm from 'node:vm';

import { McpServer, ToolError } from 'mcplite';

import { Client, call, hello, messages, shakenHands, turn } from './support/client.mjs';
import { run } from './support/process.mjs';

const require = createRequire(import.meta.url);
const PACKAGE = dirname(require.resolve('mcplite/package.json'));

/** What every program here begins with. */
const BEGINNING = `
  import { McpServer } from 'mcplite';
  const HELLO = ${JSON.stringify(hello())};
  const call = (id, name) => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });
  const connected = (server) => {
    const session = server.session();
    session.handle(HELLO);
    return session;
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
`;

/** Runs a program that ends by itself and says nothing but that it is done. */
async function completes(program, options) {
  const { code, signal, stdout, stderr } = await run(`${BEGINNING}${program}\nconsole.log('done');`, options);
  assert.deepEqual([code, signal, stdout, stderr], [0, null, 'done\n', '']);
}

test('the list names tests that there are', () => {
  const lines = readFileSync(new URL('./host_cases.txt', import.meta.url), 'utf8').split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const cases = lines.filter((line) => !line.startsWith(' '));
  assert.deepEqual(cases, [
    'node.handler-throws', 'node.handler-getter-trap', 'node.bigint', 'node.proto', 'node.worker-terminate', 'node.gc', 'node.multi-context',
  ]);
  for (const line of lines.filter((own) => own.startsWith(' '))) {
    const [file, name] = line.trim().split(': ');
    const source = readFileSync(new URL(`./${file}`, import.meta.url), 'utf8');
    assert.ok(source.includes(`test('${name}`) || source.includes(`test(\`${name}`), line);
  }
});

test('whatever a handler throws is an answer, and nothing is left unhandled', async () => {
  await completes(`
    const server = new McpServer({ name: 's', onError() {} });
    for (const [name, thrown] of Object.entries({ error: new Error('a'), text: 'b', nothing: null, none: undefined, promise: Promise.resolve(1) })) {
      server.registerTool(name, {}, () => { throw thrown; });
      server.registerTool(name + '_later', {}, async () => { throw thrown; });
      server.registerTool(name + '_much_later', {}, () => new Promise((_, reject) => setTimeout(reject, 1, thrown)));
    }
    const session = connected(server);
    const answers = [];
    session.onOutput = () => answers.push(...String(session.drain()).split('\\n').filter(Boolean));
    for (const { name } of server.offers.tools) answers.push(...String(session.handle(call(name, name)) ?? '').split('\\n').filter(Boolean));
    while (session.openCalls > 0) await turn();
    await turn();
    if (answers.length !== 15) throw new Error('answers: ' + answers.length);
    for (const answer of answers) if (!JSON.parse(answer).result.isError) throw new Error(answer);
  `);
});

test('a promise that never settles can be given up, and may settle late', async () => {
  await completes(`
    const server = new McpServer({ name: 's', timeout: 10, onError(error) { throw error; } });
    const settle = [];
    server.registerTool('hang', {}, () => new Promise((resolve, reject) => settle.push(resolve, reject)));
    const session = connected(server);
    for (let id = 0; id < 20; id += 1) session.handle(call(id, 'hang'));
    await turn();
    for (let id = 0; id < 10; id += 1) session.handle(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }));
    let answered = 0;
    for await (const message of session) {
      if (!/Timed out/.test(message)) throw new Error(String(message));
      answered += 1;
      if (answered === 10) break;
    }
    settle.forEach((end) => end(new Error('late')));
    await turn();
    if (session.openCalls !== 0 || session.poll() !== null) throw new Error('something is left');
  `);
});

test('a promise that never settles does not keep the process', async () => {
  await completes(`
    const server = new McpServer({ name: 's' });
    server.registerTool('hang', {}, () => new Promise(() => {}));
    connected(server).handle(call(1, 'hang'));
  `);
});

test('workers are terminated while requests are pending', async () => {
  const worker = `
    const { parentPort, workerData } = require('node:worker_threads');
    const { McpServer } = require(workerData);
    const server = new McpServer({ name: 's', timeout: 60_000, onError() {} });
    server.registerTool('hang', {}, () => new Promise(() => {}));
    server.registerTool('later', {}, () => new Promise((resolve) => setTimeout(resolve, 0, 'x')));
    server.registerTool('ask', {}, (args, ctx) => ctx.elicit('Well?'));
    server.observe(() => {});
    const session = server.session();
    session.handle(${JSON.stringify(hello(undefined, { elicitation: {} }))});
    session.onOutput = () => session.drain();
    let id = 0;
    const more = () => {
      for (const name of ['hang', 'later', 'ask']) session.handle(JSON.stringify({ jsonrpc: '2.0', id: id += 1, method: 'tools/call', params: { name } }));
      if (id < 300) setImmediate(more);
    };
    more();
    parentPort.postMessage('begun');
  `;
  await completes(`
    import { once } from 'node:events';
    import { createRequire } from 'node:module';
    import { Worker } from 'node:worker_threads';
    const workerData = createRequire(process.cwd() + '/').resolve('mcplite');
    let count = 0;
    const go = async () => {
      while (count < 500) {
        count += 1;
        const worker = new Worker(${JSON.stringify(worker)}, { eval: true, workerData, execArgv: [] });
        await once(worker, count % 5 === 0 ? 'online' : 'message');
        if (count % 2 === 0) await turn();
        await worker.terminate();
      }
    };
    await Promise.all([go(), go(), go()]);
  `, { patience: 120_000 });
});

test('a server that is dropped with a pending handler is collected once, and the handler may end later', async () => {
  await completes(`
    const collected = [];
    const registry = new FinalizationRegistry((name) => collected.push(name));
    let finish;
    (function () {
      const server = new McpServer({ name: 's', timeout: 50 });
      server.registerTool('hang', {}, () => new Promise((resolve) => { finish = resolve; }));
      const session = connected(server);
      session.handle(call(1, 'hang'));
      registry.register(server, 'server');
      registry.register(session, 'session');
    })();
    await turn();
    for (let round = 0; round < 100 && collected.length < 2; round += 1) {
      gc();
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (round === 1) finish('late');
    }
    gc();
    await turn();
    if (collected.sort().join() !== 'server,session') throw new Error('collected: ' + collected);
  `, { flags: ['--expose-gc'] });
});

test('main thread and workers have instances of their own', async () => {
  const worker = `${BEGINNING}
    import { parentPort, threadId } from 'node:worker_threads';
    const server = new McpServer({ name: 'worker' });
    server.registerTool('who', {}, async () => 'worker ' + threadId);
    const session = connected(server);
    session.onOutput = () => {};
    for (let id = 0; id < 1000; id += 1) session.handle(call(id, 'who'));
    session.end();
    let count = 0;
    for await (const message of session) {
      if (!String(message).includes('worker ' + threadId)) throw new Error(String(message));
      count += 1;
    }
    parentPort.postMessage(count);
  `;
  await completes(`
    import { Worker } from 'node:worker_threads';
    import { once } from 'node:events';
    const source = ${JSON.stringify(worker)}.replace("'mcplite'", JSON.stringify(import.meta.resolve('mcplite')));
    const place = new URL('data:text/javascript,' + encodeURIComponent(source));
    const server = new McpServer({ name: 'main' });
    server.registerTool('who', {}, () => 'main');
    const session = connected(server);
    const workers = [1, 2, 3].map(() => new Worker(place));
    const counts = workers.map((worker) => once(worker, 'message'));
    for (let id = 0; id < 1000; id += 1) if (!String(session.handle(call(id, 'who'))).includes('"main"')) throw new Error('another answered');
    for (const [count] of await Promise.all(counts)) if (count < 900) throw new Error('answers: ' + count);
    await Promise.all(workers.map((worker) => worker.terminate()));
    if (!String(session.handle(call('end', 'who'))).includes('"main"')) throw new Error('the main thread has lost its server');
  `);
});

/** Runs code in a realm of its own. */
function inRealm(code, globals) {
  return vm.runInContext(code, vm.createContext(globals));
}

test('code of another realm may use the package, and may load it', async () => {
  const server = new McpServer({ name: 's', onError() {} });
  inRealm(`
    server.registerTool('bytes', {}, () => new Uint8Array([0x89, 0x50, 0x4e, 0x47]));
    server.registerTool('data', { inputSchema: { type: 'object', properties: { a: { type: 'integer' } } } }, async (args) => ({ given: [args.a] }));
    server.registerTool('content', {}, () => [{ type: 'text', text: 'x' }]);
    server.registerTool('throw', {}, () => { throw new RangeError('of another realm'); });
    server.registerResource('fixed', 'r:1', {}, new Uint8Array([0, 255]));
  `, { server });
  const client = new Client(server);
  assert.equal((await client.call('bytes')).content[0].mimeType, 'image/png');
  assert.deepEqual((await client.call('data', { a: 1 })).structuredContent, { given: [1] });
  assert.equal(await client.text('content'), 'x');
  assert.equal(await client.text('throw'), 'failed: of another realm');
  assert.equal((await client.request('resources/read', { uri: 'r:1' })).contents[0].blob, 'AP8=');
  const session = shakenHands(server);
  const [answer] = messages(inRealm('session.handle(new Uint8Array(bytes))', { session, bytes: [...Buffer.from(call(1, 'content'))] }));
  assert.equal(answer.id, 1);

  // As test runners load modules: each file once more, in the realm of the test.
  const realm = vm.createContext({
    process, Buffer, URL, console, performance, setImmediate, setTimeout, clearTimeout, queueMicrotask, AbortController, DOMException,
  });
  const loaded = new Map();
  const load = (file) => {
    if (loaded.has(file)) return loaded.get(file).exports;
    const module = { exports: {} };
    loaded.set(file, module);
    if (file.endsWith('.json')) module.exports = JSON.parse(readFileSync(file, 'utf8'));
    else {
      const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'utf8')}\n})`;
      const own = createRequire(file);
      const inside = (id) => (id.startsWith('.') ? load(own.resolve(id)) : own(id));
      vm.runInContext(source, realm, { filename: file })(module.exports, inside, module, file, dirname(file));
    }
    return module.exports;
  };
  const other = load(join(PACKAGE, 'index.cjs'));
  assert.notEqual(other.McpServer, McpServer);
  const inner = new other.McpServer({ name: 'inner', onError() {} });
  inner.registerTool('later', {}, async () => {
    await turn();
    return { a: 1 };
  });
  inner.registerTool('told', {}, () => {
    throw new ToolError('by the other');
  });
  assert.deepEqual((await new Client(inner).call('later')).structuredContent, { a: 1 });
  assert.equal(await new Client(inner).text('told'), 'failed: by the other');
});

test('two copies of the package live side by side', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcplite-copies-'));
  try {
    const copies = ['one', 'two'].map((name) => {
      const place = join(folder, name, 'node_modules', 'mcplite');
      mkdirSync(dirname(place), { recursive: true });
      const isOwn = (file) => !['test', 'src', 'node_modules', 'target'].some((other) => file === join(PACKAGE, other));
      cpSync(PACKAGE, place, { recursive: true, filter: isOwn });
      const program = join(folder, name, 'program.cjs');
      writeFileSync(program, '');
      return createRequire(program)('mcplite');
    });
    const [one, two] = copies;
    assert.notEqual(one.McpServer, two.McpServer);
    const servers = copies.map(({ McpServer: Own }, place) => {
      const server = new Own({ name: `copy ${place}` });
      server.registerTool('who', {}, async () => `copy ${place}`);
      server.registerTool('told', {}, () => {
        throw new copies[1 - place].ToolError('by the other');
      });
      server.registerTool('code', {}, () => {
        throw new copies[1 - place].McpError(4711, 'by the other');
      });
      return server;
    });
    const clients = servers.map((server) => new Client(server));
    assert.deepEqual(await Promise.all(clients.map((client) => client.text('who'))), ['copy 0', 'copy 1']);
    for (const client of clients) {
      assert.equal(await client.text('told'), 'failed: by the other');
      assert.equal((await client.refusal('tools/call', { name: 'code' })).code, 4711);
    }
    assert.throws(() => servers[0].mount('x', servers[1]), { name: 'TypeError', message: /McpServer/ });
    servers[0].close();
    assert.equal(await clients[1].text('who'), 'copy 1');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
