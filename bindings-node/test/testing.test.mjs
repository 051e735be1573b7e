// The client for tests, in every revision.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';

import { ErrorCode, McpError, McpServer, ToolError } from 'mcplite';
import { Client } from 'mcplite/testing';

import { ERAS, REVISIONS, blocked, everything, inquisitive, occasion } from './support/servers.mjs';

const ELICITING = ['2025-06-18', '2025-11-25', '2026-07-28'];

/** Runs a test once for each revision or era. */
function each(revisions, name, body) {
  for (const revision of revisions) test(`${name} (${revision})`, { timeout: 20_000 }, () => body(revision));
}

/** Runs a function with a client, and leaves the server whatever happens. */
async function using(server, options, body) {
  const client = await Client.connect(server, options);
  try {
    return await body(client);
  } finally {
    await client.close();
  }
}

const era = (name) => (REVISIONS.includes(name) ? { revision: name } : { era: name });

each(REVISIONS, 'everything that a server offers is there', async (revision) => {
  const { server } = everything();
  await using(server, { revision }, async (client) => {
    assert.equal(client.revision, revision);
    assert.equal(client.serverInfo.name, 'tested');
    assert.equal(client.serverInfo.version, '2.1');
    assert.equal(client.instructions, 'Be kind.');
    assert.ok(client.serverCapabilities.tools);
    const result = await client.call('add', { a: 1 });
    assert.equal(result.text, '3');
    assert.deepEqual(result.content, [{ type: 'text', text: '3' }]);
    assert.equal(result.raw.content, result.content);
    assert.equal(result.isError, false);
    assert.equal((await client.call('later')).text, 'hi');
    assert.deepEqual((await client.call('echo', {}, { meta: { 'my/key': 7 } })).meta['my/own'], 7);
    await assert.rejects(client.call('fail'), (error) => error instanceof ToolError && error.result.text === 'it broke');
    await assert.rejects(client.call('nothing'), { name: 'McpError', code: ErrorCode.InvalidParams, message: /nothing/ });
    await assert.rejects(client.request('no/such'), { code: ErrorCode.MethodNotFound });
    const read = await client.read('cfg://main');
    assert.deepEqual([read.text, read.mimeType, read.data.toString()], ['on', 'text/plain', 'on']);
    assert.deepEqual((await client.read('raw://x')).data, Buffer.from('\xffx', 'latin1'));
    await assert.rejects(client.read('cfg://none'), McpError);
    const prompt = await client.prompt('greet', { name: 'Ada' });
    assert.deepEqual([prompt.text, prompt.messages[0].role], ['Hello, Ada!', 'user']);
    assert.equal((await client.prompt('greet', { name: [1] })).text, 'Hello, [1]!');
    assert.deepEqual((await client.complete('greet', 'name', 'A')).values, ['Ada', 'Alan']);
    assert.deepEqual((await client.complete('raw://{name}', 'name', '', { context: { a: 'b' } })).values, ['file']);
    assert.equal((await client.request('my/method', { a: 1 })).got, 1);
    client.notify('notifications/mine', { a: 1 });
    await client.ping();
  });
});

test('eras stand for their newest revision, and others are named', async () => {
  const { server } = everything();
  assert.equal((await Client.connect(server)).revision, '2026-07-28');
  assert.equal((await Client.connect(server, { era: 'legacy' })).revision, '2025-11-25');
  await assert.rejects(Client.connect(server, { era: 'newest' }), { name: 'MisuseError', message: /not 'newest'/ });
  const old = new McpServer({ name: 's', revisions: ['2025-11-25'] });
  await assert.rejects(Client.connect(old, { revision: '2025-06-18' }), { code: ErrorCode.UnsupportedRevision });
  server.close();
});

test('structured content is unwrapped, and a failure is a result if that is wanted', async () => {
  const { server } = everything();
  await using(server, { throwOnError: false }, async (client) => {
    const result = await client.call('add', { a: 1 });
    assert.deepEqual(result.structured, { result: 3 });
    assert.equal(result.data, 3);
    const failed = await client.call('fail');
    assert.deepEqual([failed.isError, failed.text], [true, 'it broke']);
    await assert.rejects(client.call('fail', {}, { throwOnError: true }), ToolError);
  });
});

each(ERAS, 'lists are read to the end', async (name) => {
  const server = new McpServer({ name: 's', pageSize: 2 });
  const numbers = [0, 1, 2, 3, 4];
  for (const number of numbers) {
    server.registerTool(`tool${number}`, {}, () => '');
    server.registerPrompt(`prompt${number}`, {}, () => '');
    server.registerResource(`r${number}`, `a:${number}`, {}, '');
    server.registerResource(`t${number}`, `a${number}:{x}`, {}, () => '');
  }
  await using(server, era(name), async (client) => {
    assert.deepEqual((await client.listTools()).map((item) => item.name), numbers.map((number) => `tool${number}`));
    assert.equal((await client.listPrompts()).length, 5);
    assert.deepEqual((await client.listResources()).map((item) => item.uri), numbers.map((number) => `a:${number}`));
    assert.deepEqual((await client.listTemplates()).map((item) => item.uriTemplate), numbers.map((number) => `a${number}:{x}`));
  });
});

each(REVISIONS, 'progress, logs and all notifications are heard', async (revision) => {
  const { server } = everything();
  const [steps, lines, heard] = [[], [], []];
  const listeners = {
    onProgress: (...step) => steps.push(step),
    onLog: (...line) => lines.push(line),
    onNotification: (method) => heard.push(method),
  };
  await using(server, { revision, ...listeners }, async (client) => {
    await client.call('work');
    assert.deepEqual(client.progress.map((step) => step.progress), [1, 2]);
    assert.deepEqual(client.logs, [{ level: 'info', logger: 'worker', data: { step: 1 } }]);
    assert.deepEqual(client.notifications.map((note) => note.method), heard);
  });
  assert.deepEqual(heard, ['notifications/progress', 'notifications/progress', 'notifications/message']);
  assert.deepEqual(steps.map((step) => step.slice(0, 2)), [[1, 2], [2, 2]]);
  assert.deepEqual(lines, [['info', { step: 1 }, 'worker']]);
});

each(ERAS, 'the level of logs can be set, and what a listener throws is thrown by the call', async (name) => {
  const { server } = everything();
  await using(server, { ...era(name), logLevel: 'error' }, async (client) => {
    await client.call('work');
    assert.deepEqual(client.logs, []);
    await client.setLogLevel('info');
    await client.call('work');
    assert.equal(client.logs.length, 1);
  });
  const onLog = () => {
    throw new assert.AssertionError({ message: 'not this' });
  };
  await using(server, { ...era(name), onLog }, async (client) => {
    await assert.rejects(client.call('work'), /not this/);
    assert.equal((await client.call('add', { a: 1 })).text, '3');
  });
});

each(ERAS, 'handlers see principal and state', async (name) => {
  const { server } = everything();
  await using(server, { ...era(name), principal: 'ada', state: 7 }, async (client) => {
    assert.equal((await client.call('who')).text, 'ada 7');
  });
});

each(ERAS, 'changes are heard as long as somebody listens', async (name) => {
  const { server, add } = everything();
  await using(server, era(name), async (client) => {
    const listening = await client.listen({ tools: true, uris: ['cfg://main'] });
    assert.deepEqual(listening.accepted, { toolsListChanged: true, resourceSubscriptions: ['cfg://main'] });
    server.notifyUpdated('cfg://main');
    assert.equal((await client.waitFor('notifications/resources/updated')).uri, 'cfg://main');
    add.remove();
    await client.waitFor('notifications/tools/list_changed');
    await listening.close();
    server.notifyUpdated('cfg://main');
    await client.ping();
    await client.subscribe('cfg://main');
    server.notifyUpdated('cfg://main');
    await client.waitFor('notifications/resources/updated');
    await client.unsubscribe('cfg://main');
    await assert.rejects(client.unsubscribe('cfg://main'), /no subscription/);
    server.notifyUpdated('cfg://main');
    await client.ping();
    const heard = client.notifications.filter((note) => note.method === 'notifications/resources/updated');
    assert.equal(heard.length, 2);
  });
});

test('a refused subscription is an error, and each notification is waited for once', async () => {
  const { server } = everything();
  await using(server, { era: 'legacy' }, (client) => assert.rejects(client.listen({ uris: ['cfg://none'] }), McpError));
  await using(server, { timeout: 20 }, async (client) => {
    await client.call('work');
    assert.equal((await client.waitFor('notifications/progress')).progress, 1);
    assert.equal((await client.waitFor('notifications/progress')).progress, 2);
    await assert.rejects(client.waitFor('notifications/progress'), { name: 'TimeoutError', message: /notifications\/progress/ });
  });
});

each(ELICITING, 'forms are filled in', async (revision) => {
  const answers = [
    [{ name: 'Ada' }, 'accept {"name":"Ada"}'],
    [(params) => ({ name: params.message }), 'accept {"name":"Who are you?"}'],
    [async () => ({ action: 'accept', content: { name: 'B' } }), 'accept {"name":"B"}'],
    ['decline', 'decline undefined'],
    ['cancel', 'cancel undefined'],
  ];
  const server = inquisitive();
  for (const [elicit, expected] of answers) {
    await using(server, { revision, elicit }, async (client) => assert.equal((await client.call('form')).text, expected));
  }
  const words = ['one', 'two'];
  await using(server, { revision, elicit: () => words.shift() }, async (client) => {
    assert.equal((await client.call('twice')).text, 'one two');
  });
});

each(REVISIONS, 'samples and roots are given', async (revision) => {
  const server = inquisitive();
  const whole = { role: 'assistant', content: { type: 'text', text: 'a cat' }, model: 'm' };
  const samples = ['a cat', { type: 'text', text: 'a cat' }, () => 'a cat', () => whole];
  const roots = [['file:///a'], () => [{ uri: 'file:///a', name: 'a' }], { roots: [{ uri: 'file:///a' }] }, async () => ['file:///a']];
  for (const [place, sample] of samples.entries()) {
    await using(server, { revision, sample, roots: roots[place] }, async (client) => {
      assert.equal((await client.call('think')).text, 'a cat');
      assert.equal((await client.call('where')).text, 'file:///a');
    });
  }
});

each(['2025-11-25', '2026-07-28'], 'pages are visited or not, and samples may have several blocks', async (revision) => {
  const server = inquisitive();
  const blocks = [{ type: 'text', text: 'a ' }, { type: 'text', text: 'cat' }];
  for (const [elicit, expected] of [[true, 'accept'], [false, 'decline'], ['accept', 'accept'], ['cancel', 'cancel']]) {
    await using(server, { revision, elicit, sample: () => blocks }, async (client) => {
      assert.equal((await client.call('page')).text, expected);
      assert.equal((await client.call('think')).text, 'a cat');
    });
  }
});

each(ERAS, 'a client that has no answer, or none of use, says so', async (name) => {
  const server = inquisitive();
  await using(server, era(name), (client) => assert.rejects(client.call('form'), /elicitation/));
  await using(server, { ...era(name), capabilities: { elicitation: { form: {} } } }, (client) => assert.rejects(client.call('form'), McpError));
  const failing = () => {
    throw new assert.AssertionError({ message: 'Who?' });
  };
  await using(server, { ...era(name), elicit: failing }, (client) => assert.rejects(client.call('form'), /Who\?/));
  await using(server, { ...era(name), elicit: 7, sample: 7, roots: 7 }, async (client) => {
    await assert.rejects(client.call('form'), { name: 'TypeError', message: /fields name, age/ });
    await assert.rejects(client.call('think'), { name: 'TypeError', message: /sample gives/ });
    await assert.rejects(client.call('where'), { name: 'TypeError', message: /roots gives/ });
  });
});

test('a legacy client may refuse to answer', async () => {
  const elicit = () => {
    throw new McpError(-1, 'not now');
  };
  await using(inquisitive(), { era: 'legacy', elicit }, async (client) => {
    await assert.rejects(client.call('form'), /not now/);
    assert.equal((await client.call('plain')).text, 'still here');
  });
});

each(ERAS, 'many requests are under way at once', async (name) => {
  const { server } = everything();
  const { promise, come } = occasion();
  let arrived = 0;
  server.registerTool('meet', {}, async () => {
    arrived += 1;
    if (arrived === 10) come();
    await promise;
    return 'met';
  });
  await using(server, era(name), async (client) => {
    const results = await Promise.all(Array.from({ length: 10 }, () => client.call('meet')));
    assert.deepEqual(results.map((result) => result.text), Array(10).fill('met'));
  });
});

each(ERAS, 'a request is cancelled by its signal, and by its time', async (name) => {
  const { server } = everything();
  const { called, cancelled } = blocked(server);
  await using(server, era(name), async (client) => {
    const controller = new AbortController();
    const call = client.call('block', {}, { signal: controller.signal });
    await called;
    assert.equal((await client.call('add', { a: 1 })).text, '3');
    controller.abort(new RangeError('enough'));
    await assert.rejects(call, { name: 'RangeError', message: 'enough' });
    await cancelled;
    await assert.rejects(client.call('add', { a: 1 }, { signal: controller.signal }), /enough/);
  });
  await using(server, { ...era(name), timeout: 20 }, async (client) => {
    await assert.rejects(client.call('block'), { name: 'TimeoutError', message: "tools/call of 'block' was not answered within 20 ms" });
    assert.equal((await client.call('add', { a: 1 })).text, '3');
  });
});

each(ERAS, 'whoever leaves ends the waiting, be it the client or the server', async (name) => {
  const { server } = everything();
  const { called, cancelled } = blocked(server);
  const client = await Client.connect(server, era(name));
  const call = client.call('block');
  await called;
  await client.close();
  await client.close();
  await assert.rejects(call, { code: 'ERR_MCPLITE_CLOSED', message: /tools\/call of 'block'/ });
  await cancelled;
  await assert.rejects(client.ping(), { code: 'ERR_MCPLITE_CLOSED', message: /client is closed/ });

  const other = await Client.connect(server, era(name));
  const waiting = other.call('block');
  server.close();
  await assert.rejects(waiting, { code: 'ERR_MCPLITE_CLOSED', message: /tools\/call of 'block'/ });
  await other.close();
});

test('a question that is withdrawn is not waited for', async () => {
  const { promise, come } = occasion();
  const controller = new AbortController();
  const elicit = () => {
    come();
    return new Promise(() => {});
  };
  await using(inquisitive(), { era: 'legacy', elicit }, async (client) => {
    const call = client.call('form', {}, { signal: controller.signal });
    await promise;
    controller.abort();
    await assert.rejects(call, { name: 'AbortError' });
    assert.ok((await client.waitFor('notifications/cancelled')).requestId !== undefined);
    assert.equal((await client.call('plain')).text, 'still here');
  });
});

test('it is one module, however it is imported, and leaves by itself where the language can', async () => {
  const testing = createRequire(import.meta.url)('mcplite/testing');
  assert.equal(testing.Client, Client);
  const { server } = everything();
  const client = await Client.connect(server);
  await client[Symbol.asyncDispose]();
  await assert.rejects(client.ping(), /client is closed/);
});
