// What careless handlers give, and what clients send to them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { McpServer, ToolError } from 'mcplite';

import { Client, ERAS, call, messages, modernMeta, request, shakenHands, turn } from './support/client.mjs';

/** A server with every kind of handler, all of which do the same. */
function giving(give) {
  const server = new McpServer({ name: 'careless', onError() {} });
  server.registerTool('now', {}, give);
  server.registerTool('later', {}, async () => give());
  server.registerTool('structured', { outputSchema: { type: 'object' } }, give);
  server.registerPrompt('p', { arguments: [{ name: 'a' }], complete: { a: give } }, give);
  server.registerResource('r', 'r:1', {}, give);
  server.on('own/method', give);
  return server;
}

const REQUESTS = [
  ['tools/call', { name: 'now' }],
  ['tools/call', { name: 'later' }],
  ['tools/call', { name: 'structured' }],
  ['prompts/get', { name: 'p' }],
  ['resources/read', { uri: 'r:1' }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } }],
  ['own/method', {}],
];

/** Whether an answer tells that a handler failed: in a tool's result, or as an error. */
function isFailure({ error, result }) {
  return error !== undefined ? error.code === -32603 : result.isError === true;
}

const trap = () => {
  throw new Error('sprung');
};

/** An object of whose members these throw. */
function trapped(...names) {
  return Object.defineProperties({}, Object.fromEntries(names.map((name) => [name, { get: trap, enumerable: true }])));
}

const everyTrap = Object.fromEntries(Reflect.ownKeys(Reflect).filter((name) => typeof Reflect[name] === 'function').map((name) => [name, trap]));

for (const [name, make] of Object.entries({
  'a proxy of an object': () => new Proxy({}, everyTrap),
  'a proxy of an array': () => new Proxy([], everyTrap),
  'a proxy of a function': () => new Proxy(() => 1, everyTrap),
  'a proxy that was revoked': () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  'a member': () => trapped('a'),
  'a deep member': () => ({ a: [trapped('b')] }),
  'toJSON': () => ({ toJSON: trap }),
  'then': () => trapped('then'),
  'content': () => trapped('content', 'contents', 'messages', 'values'),
  'type': () => trapped('type', 'role', 'a'),
  'an iterator': () => Object.assign(trapped('a'), { [Symbol.iterator]: trap }),
})) {
  test(`what throws when it is looked at is an error answer: ${name}`, async () => {
    for (const [method, params] of REQUESTS) {
      const client = new Client(giving(make));
      assert.ok(isFailure(await client.answer(method, params)), inspect([method, params]));
      assert.equal(client.session.openCalls, 0);
    }
  });
}

test('what throws when it is thrown is an error answer', async () => {
  for (const thrown of [new Proxy(new Error('x'), everyTrap), new Proxy(() => 1, everyTrap), trapped('message'), Object.create(null)]) {
    const server = giving(() => {
      throw thrown;
    });
    for (const [method, params] of REQUESTS) assert.ok(isFailure(await new Client(server).answer(method, params)), method);
  }
});

test('what uses the session while it is written does no harm', () => {
  const found = [];
  let session;
  const meddlers = {
    get a() {
      found.push(...messages(session.handle(request('inner', 'ping'))));
      return 1;
    },
    toJSON() {
      found.push(...messages(session.handle(call('deep', 'plain'))));
      return { a: 1 };
    },
  };
  for (const name of ['a', 'toJSON']) {
    const value = Object.defineProperties({}, { [name]: { ...Object.getOwnPropertyDescriptor(meddlers, name), enumerable: true } });
    const server = giving(() => value);
    server.registerTool('plain', {}, () => 'plain');
    session = shakenHands(server);
    found.length = 0;
    const output = messages(session.handle(call(1, 'now')));
    assert.deepEqual([...found, ...output].map(({ id }) => id), [name === 'a' ? 'inner' : 'deep', 1]);
    assert.deepEqual(output.at(-1).result.structuredContent, { a: 1 });
  }
});

test('what closes the session or the server while it is written does no harm', async () => {
  for (const what of ['session', 'server']) {
    const closing = {};
    const server = giving(() => ({
      toJSON() {
        closing[what].close();
        return { a: 1 };
      },
    }));
    Object.assign(closing, { server, session: shakenHands(server) });
    assert.equal(closing.session.handle(call(1, 'now')), null);
    await turn();
    assert.ok(closing.session.isClosed);
  }
});

test('promises that break their word are answered once', async () => {
  for (const then of [
    (resolve, reject) => {
      resolve('first');
      resolve('second');
      reject(new Error('third'));
    },
    (resolve) => {
      resolve('first');
      throw new Error('after');
    },
    (resolve) => {
      setImmediate(resolve, 'first');
      setImmediate(resolve, 'second');
    },
  ]) {
    const session = shakenHands(giving(() => ({ then })));
    const output = messages(session.receive(`${call(1, 'now')}\n${call(2, 'later')}\n`));
    for (let turns = 0; turns < 5; turns += 1) {
      await turn();
      output.push(...messages(session.drain()));
    }
    assert.deepEqual(output.map(({ id }) => id).sort(), [1, 2]);
    for (const { result } of output) assert.equal(result.content[0].text, 'first');
  }
});

test('what JSON has no word for is an error or what JSON.stringify makes of it', async () => {
  const cyclic = [];
  cyclic.push(cyclic);
  for (const [value, said] of [
    [10n, null], [{ a: 10n }, null], [cyclic, null], [() => 1, null], [Symbol('a'), null],
    [NaN, 'null'], [Infinity, 'null'], [[undefined], '[null]'], [{ a: undefined, b() {}, c: NaN }, '{"c":null}'],
    [new Date(0), '1970-01-01T00:00:00.000Z'], [new Date(NaN), 'null'], [new Map([[1, 2]]), '{}'], [new Set([1]), '{}'], [/x/, '{}'],
    [new Error('given, not thrown'), '{}'], [Object(1), '1'], [Object('a'), 'a'], [new Float32Array([1.5]), '{"0":1.5}'],
  ]) {
    const { content, isError } = await new Client(giving(() => value)).call('now');
    if (said === null) assert.equal(isError, true, inspect(value));
    else assert.equal(content[0].text, said, inspect(value));
  }
});

test('names of prototypes are names like any other', async () => {
  const nested = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}},"toString":3,"hasOwnProperty":4}';
  const open = { type: 'object' };
  const seen = [];
  const server = new McpServer({ name: 's' });
  const look = (given) => {
    seen.push(given);
    return '';
  };
  server.registerTool('t', { inputSchema: open }, look);
  server.registerTool('meta', { inputSchema: open }, (args, ctx) => look(ctx.meta));
  server.registerTool('info', { inputSchema: open }, (args, ctx) => look(ctx.clientInfo));
  server.registerTool('capabilities', { inputSchema: open }, (args, ctx) => look(ctx.clientCapabilities));
  server.registerTool('middle', { inputSchema: open }, (args, ctx) => look(ctx.arguments));
  server.on('own/method', (params) => {
    look(params);
  });
  const session = server.session();
  const meta = modernMeta({ clientInfo: { name: 'n', version: '1' } });
  const whole = JSON.stringify({ ...meta, MARK: 1 });
  const replaced = (text) => text.replace('"MARK":1', nested.slice(1, -1));
  const info = replaced(JSON.stringify({ ...modernMeta({ clientInfo: { name: 'n', version: '1', MARK: 1 } }) }));
  const capabilities = replaced(JSON.stringify(modernMeta({ capabilities: { experimental: { MARK: 1 } } })));
  const send = (name, args, own) => {
    const params = `{"name":"${name}","arguments":${args},"_meta":${own}}`;
    return session.handle(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`);
  };
  for (const [name, args, own] of [
    ['t', nested, whole], ['meta', '{}', replaced(whole)], ['info', '{}', info], ['capabilities', '{}', capabilities], ['middle', nested, whole],
  ]) {
    const [{ result }] = messages(send(name, args, own));
    assert.ok(result && !result.isError, name);
  }
  session.handle(`{"jsonrpc":"2.0","id":2,"method":"own/method","params":{"_meta":${JSON.stringify(meta)},${nested.slice(1, -1)}}}`);
  assert.equal(seen.length, 6);
  for (const [place, given] of seen.entries()) {
    const object = place === 3 ? given.experimental : given;
    assert.ok(Object.hasOwn(object, '__proto__') && Object.hasOwn(object, 'constructor'), String(place));
    assert.deepEqual(Object.getOwnPropertyDescriptor(object, '__proto__').value, { polluted: 1 });
    assert.equal(Object.getPrototypeOf(object), Object.prototype);
  }
  assert.equal({}.polluted, undefined);
  assert.equal(Object.prototype.polluted, undefined);
});

test('names of prototypes in forms, prompts and templates are names as well', async () => {
  const properties = JSON.parse('{"__proto__":{"type":"integer"},"constructor":{"type":"integer"}}');
  const server = new McpServer({ name: 's' });
  server.registerPrompt('p', { argsSchema: { type: 'object', properties } }, (args) => JSON.stringify(args));
  server.registerResource('r', 'x:{constructor}/{toString}', {}, (uri, variables) => JSON.stringify(variables));
  server.registerTool('ask', {}, async (args, ctx) => JSON.stringify((await ctx.elicit('?', { type: 'object', properties })).data));
  const content = JSON.parse('{"__proto__":1,"constructor":2}');
  for (const revision of ERAS) {
    const client = new Client(server, { revision, answers: { 'elicitation/create': { action: 'accept', content } } });
    assert.equal(await client.text('ask'), '{"__proto__":1,"constructor":2}');
    const read = await client.request('resources/read', { uri: 'x:a/b' });
    assert.equal(read.contents[0].text, '{"constructor":"a","toString":"b"}');
    const args = JSON.parse('{"__proto__":"1","constructor":"2"}');
    const got = await client.request('prompts/get', { name: 'p', arguments: args });
    assert.equal(got.messages[0].content.text, '{"__proto__":1,"constructor":2}');
  }
  assert.equal({}.polluted, undefined);
});

test('tools, prompts and methods may have such names, too', async () => {
  const server = new McpServer({ name: 's' });
  for (const name of ['__proto__', 'constructor', 'toString']) {
    server.registerTool(name, {}, () => name);
    server.registerPrompt(name, {}, () => name);
    server.on(name, () => ({ name }));
  }
  const client = new Client(server);
  for (const name of ['__proto__', 'constructor', 'toString']) {
    assert.equal(await client.text(name), name);
    assert.equal((await client.request('prompts/get', { name })).messages[0].content.text, name);
    assert.equal((await client.request(name)).name, name);
  }
});

test('arguments belong to the handler', async () => {
  const server = new McpServer({ name: 's' });
  server.registerTool('change', { inputSchema: { type: 'object' } }, (args, ctx) => {
    args.a.push(2);
    delete ctx.meta.x;
    return JSON.stringify(ctx.arguments);
  });
  const client = new Client(server);
  for (const turns of [1, 2]) assert.equal(await client.text('change', { a: [turns] }), `{"a":[${turns},2]}`);
});

test('errors may be frozen, and thrown twice', async () => {
  const error = Object.freeze(new ToolError('again'));
  const server = giving(() => {
    throw error;
  });
  const client = new Client(server);
  for (const name of ['now', 'later', 'now']) assert.equal(await client.text(name), 'failed: again');
});
