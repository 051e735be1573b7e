// A connection fed by hand: bytes in, bytes out.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { McpServer, MisuseError, Session } from 'mcplite';

import { call, hello, messages, notification, request, shakenHands, soon, turn } from './support/client.mjs';

const TEXT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

function made(options) {
  const server = new McpServer({ name: 's', ...options });
  server.registerTool('echo', { inputSchema: TEXT }, ({ text }) => text);
  server.registerTool('later', { inputSchema: TEXT }, async ({ text }) => text);
  server.registerTool('hang', {}, () => new Promise(() => {}));
  server.registerTool('log', {}, (args, ctx) => {
    ctx.info('working');
    return 'worked';
  });
  return server;
}

const isMisuse = (code, words = /./) => (error) => error instanceof MisuseError && error.code === `ERR_MCPLITE_${code}` && words.test(error.message);
const ids = (output) => messages(output).map(({ id }) => id);

const STREAM = Buffer.from([
  call(1, 'echo', { text: 'one' }), call(2, 'echo', { text: 'zwölf €\u{1f600}' }), '\r', `${call(3, 'echo', { text: 'three' })}\r`, '',
].join('\n'));

describe('messages', () => {
  test('are answered at once where they can be', () => {
    const session = shakenHands(made());
    const answer = session.handle(request(1, 'ping'));
    assert.ok(Buffer.isBuffer(answer));
    assert.equal(String(answer), '{"jsonrpc":"2.0","id":1,"result":{}}');
    assert.equal(session.handle(notification('notifications/own')), null);
    assert.equal(session.poll(), null);
    assert.deepEqual(session.drain(), Buffer.alloc(0));
    assert.deepEqual(ids(session.handle(call(2, 'echo', { text: 'x' }))), [2]);
    assert.ok(session instanceof Session);
  });

  test('come with everything that waits', () => {
    const session = shakenHands(made());
    session.handle(request(1, 'logging/setLevel', { level: 'debug' }));
    const output = session.handle(call(2, 'log'));
    assert.deepEqual(messages(output).map(({ id, method }) => id ?? method), ['notifications/message', 2]);
    assert.ok(!String(output).endsWith('\n'));
  });

  for (const [name, make] of [
    ['text', String], ['a Buffer', Buffer.from], ['a Uint8Array', (text) => new TextEncoder().encode(text)],
    ['a part of a buffer', (text) => Buffer.from(`##${text}##`).subarray(2, -2)],
  ]) {
    test(`may be ${name}`, () => {
      const session = shakenHands(made());
      assert.deepEqual(ids(session.handle(make(request(1, 'ping')))), [1]);
      assert.deepEqual(ids(session.receive(make(`${request(2, 'ping')}\n`))), [2]);
    });
  }

  for (const wrong of [undefined, null, 7, {}, [1], new ArrayBuffer(2), new Uint16Array(2)]) {
    test(`are neither ${Object.prototype.toString.call(wrong)} nor its like`, () => {
      const session = shakenHands(made());
      for (const use of ['handle', 'receive']) {
        assert.throws(() => session[use](wrong), { name: 'TypeError', message: 'a message is a string or bytes' });
      }
      assert.deepEqual(ids(session.handle(request(1, 'ping'))), [1]);
    });
  }

  for (const garbage of ['', '{', '\u00ff', '[]', '7', '{"id":1}', Uint8Array.of(255, 254), '\ud800']) {
    test(`may be garbage: ${JSON.stringify(garbage)}`, () => {
      const session = shakenHands(made());
      for (const { error } of messages(session.handle(garbage))) assert.ok([-32700, -32600].includes(error.code));
      assert.deepEqual(ids(session.handle(request(1, 'ping'))), [1]);
    });
  }

  test('may be large', () => {
    const text = 'ä'.repeat(500_000);
    const [answer] = messages(shakenHands(made()).handle(call(1, 'echo', { text })));
    assert.equal(answer.result.content[0].text, text);
  });

  test('of a batch are answered together', () => {
    const session = shakenHands(made(), '2025-03-26');
    const batch = `[${request(1, 'ping')},${notification('notifications/own')},${call(2, 'echo', { text: 'x' })}]`;
    const [answers] = messages(session.handle(batch));
    assert.deepEqual(answers.map(({ id }) => id), [1, 2]);
  });
});

describe('streams', () => {
  test('may be split anywhere', () => {
    const server = made();
    const whole = shakenHands(server).receive(STREAM);
    assert.deepEqual(ids(whole), [1, 2, 3]);
    for (let place = 0; place <= STREAM.length; place += 1) {
      const session = shakenHands(server);
      const output = Buffer.concat([session.receive(STREAM.subarray(0, place)), session.receive(STREAM.subarray(place))]);
      assert.deepEqual(output, whole);
      assert.ok(String(output).endsWith('\n'));
    }
  });

  test('may come byte by byte', () => {
    const session = shakenHands(made());
    const outputs = [...STREAM].map((byte) => session.receive(Uint8Array.of(byte)));
    const answers = messages(Buffer.concat(outputs));
    assert.deepEqual(answers.map(({ id }) => id), [1, 2, 3]);
    assert.equal(answers[1].result.content[0].text, 'zwölf €\u{1f600}');
  });

  test('end their last line with themselves', () => {
    const session = shakenHands(made());
    assert.deepEqual(session.receive(request(1, 'ping')), Buffer.alloc(0));
    session.end();
    assert.equal(session.isFinished, false);
    assert.deepEqual(ids(session.drain()), [1]);
    assert.equal(session.isFinished, true);
    session.end();
  });

  test('with thousands of messages are answered in their order', () => {
    const session = shakenHands(made());
    const numbers = Array.from({ length: 5000 }, (_, id) => id);
    const output = session.receive(numbers.map((id) => `${call(id, 'echo', { text: 'x' })}\n`).join(''));
    assert.deepEqual(ids(output), numbers);
  });

  test('with large answers are answered', () => {
    const server = made();
    server.registerTool('large', {}, () => 'x'.repeat(1_000_000));
    const session = shakenHands(server);
    const numbers = Array.from({ length: 30 }, (_, id) => id);
    assert.deepEqual(ids(session.receive(numbers.map((id) => `${call(id, 'large')}\n`).join(''))), numbers);
  });

  test('with very large answers are answered, whether they come at once or later', async () => {
    const server = made();
    server.registerTool('now', {}, () => 'x'.repeat(1_000_000));
    server.registerTool('soon', {}, async () => 'x'.repeat(1_000_000));
    for (const name of ['now', 'soon']) {
      const session = shakenHands(server);
      let output = messages(session.receive(Array.from({ length: 100 }, (_, id) => `${call(id, name)}\n`).join('')));
      while (session.openCalls > 0) {
        await turn();
        for (let message = session.poll(); message !== null; message = session.poll()) output = output.concat(messages(message));
      }
      assert.equal(new Set(output.map(({ id }) => id)).size, 100);
      session.end();
      assert.equal(session.isFinished, true);
    }
  });

  test('with thousands of async calls are answered all the same', async () => {
    const session = shakenHands(made({ limits: { openCalls: 100_000 } }));
    const count = 5000;
    let output = messages(session.receive(Array.from({ length: count }, (_, id) => `${call(id, 'later', { text: 'x' })}\n`).join('')));
    while (output.length < count) {
      await turn();
      output = output.concat(messages(session.drain()));
    }
    assert.equal(new Set(output.map(({ id }) => id)).size, count);
    assert.equal(session.openCalls, 0);
  });
});

describe('output', () => {
  test('is polled message by message', () => {
    const session = shakenHands(made());
    for (const name of ['a', 'b']) session.notify('notifications/own', { name });
    session.notify('notifications/bare');
    const polled = [];
    for (let message = session.poll(); message !== null; message = session.poll()) polled.push(JSON.parse(message));
    assert.deepEqual(polled, [
      { jsonrpc: '2.0', method: 'notifications/own', params: { name: 'a' } },
      { jsonrpc: '2.0', method: 'notifications/own', params: { name: 'b' } },
      { jsonrpc: '2.0', method: 'notifications/bare' },
    ]);
  });

  test('that comes later is told of', async () => {
    const session = shakenHands(made());
    let tell;
    const told = () => new Promise((resolve) => {
      tell = resolve;
    });
    session.onOutput = () => tell();
    assert.equal(typeof session.onOutput, 'function');
    for (const id of [1, 2, 3]) {
      const rung = told();
      assert.equal(session.handle(call(id, 'later', { text: 'x' })), null);
      await soon(rung);
      assert.deepEqual(ids(session.drain()), [id]);
    }
    const rung = told();
    session.notify('notifications/own');
    await soon(rung);
    session.onOutput = null;
    assert.equal(session.onOutput, null);
  });

  test('that was there before is told of as well', async () => {
    const session = shakenHands(made());
    session.notify('notifications/own');
    await turn();
    await soon(new Promise((resolve) => {
      session.onOutput = resolve;
    }));
    assert.equal(messages(session.drain()).length, 1);
  });

  test('ends are told of', async () => {
    const session = shakenHands(made());
    let isTold = false;
    session.onOutput = () => {
      isTold = session.isFinished;
    };
    session.end();
    assert.equal(isTold, true);
  });

  test('may be iterated', async () => {
    const session = shakenHands(made());
    session.handle(call(1, 'later', { text: 'a' }));
    session.handle(call(2, 'later', { text: 'b' }));
    session.notify('notifications/own');
    session.end();
    const seen = [];
    for await (const message of session) seen.push(JSON.parse(message));
    assert.deepEqual(seen.map(({ id, method }) => id ?? method).sort(), [1, 2, 'notifications/own']);
    assert.equal(session.isFinished, true);
  });

  test('stops being iterated when the session is closed, or when nobody wants more', async () => {
    const session = shakenHands(made());
    const closed = (async () => {
      const seen = [];
      for await (const message of session) seen.push(message);
      return seen;
    })();
    await turn();
    session.close();
    assert.deepEqual(await soon(closed), []);
    const other = shakenHands(made());
    const own = () => {};
    other.onOutput = own;
    other.notify('notifications/own');
    for await (const message of other) {
      assert.match(String(message), /own/);
      break;
    }
    assert.equal(other.onOutput, own);
  });

  test('what onOutput throws reaches whoever made it happen', () => {
    const session = shakenHands(made());
    session.onOutput = () => {
      throw new Error('broken');
    };
    assert.throws(() => session.end(), /broken/);
    session.onOutput = null;
  });
});

describe('the end', () => {
  test('refuses everything, and can be said twice', () => {
    const server = made();
    const session = shakenHands(server);
    assert.equal(session.isClosed, false);
    session.close();
    assert.equal(session.isClosed, true);
    for (const use of [() => session.handle(request(1, 'ping')), () => session.receive(`${request(1, 'ping')}\n`)]) {
      assert.throws(use, isMisuse('CLOSED'));
    }
    assert.throws(() => session.notify('notifications/own'), isMisuse('CLOSED'));
    assert.equal(session.poll(), null);
    assert.deepEqual(session.drain(), Buffer.alloc(0));
    assert.equal(session.openCalls, 0);
    session.close();
  });

  test('comes when open calls are answered and everything is taken', async () => {
    const session = shakenHands(made());
    session.handle(call(1, 'later', { text: 'x' }));
    session.end();
    assert.equal(session.isFinished, false);
    await turn();
    assert.deepEqual([session.openCalls, session.isFinished], [0, false]);
    session.drain();
    assert.equal(session.isFinished, true);
    assert.throws(() => session.handle(request(2, 'ping')), MisuseError);
  });

  test('of a session is not that of another', () => {
    const server = made();
    const [one, two] = [shakenHands(server), shakenHands(server)];
    one.close();
    assert.deepEqual(ids(two.handle(request(1, 'ping'))), [1]);
  });
});

describe('limits', () => {
  test('of output: a client that does not read is not listened to', () => {
    const session = made({ limits: { outputBytes: 4096 } }).session();
    session.handle(hello());
    assert.throws(() => {
      for (let count = 0; count < 100; count += 1) session.notify('notifications/own', { text: 'x'.repeat(100) });
    }, isMisuse('LIMIT', /output_?bytes/i));
    assert.throws(() => session.handle(request(1, 'ping')), isMisuse('LIMIT'));
    const waiting = messages(session.drain()).length;
    assert.ok(waiting > 10 && waiting < 100);
    assert.deepEqual(ids(session.handle(request(1, 'ping'))), [1]);
  });

  test('of output: receiving takes what waits first', () => {
    const session = made({ limits: { outputBytes: 4096 } }).session();
    session.handle(hello());
    assert.throws(() => {
      for (;;) session.notify('notifications/own', { text: 'x'.repeat(100) });
    });
    const output = messages(session.receive(`${request(1, 'ping')}\n`));
    assert.ok(output.length > 10);
    assert.equal(output.at(-1).id, 1);
  });

  test('of size and depth', () => {
    const session = shakenHands(made({ limits: { messageBytes: 2000, depth: 10 } }));
    const [large] = messages(session.handle(call(1, 'echo', { text: 'x'.repeat(3000) })));
    assert.match(large.error.message, /longer than 2000 bytes/);
    const [deep] = messages(session.handle(`{"jsonrpc":"2.0","id":2,"method":"x","params":${'['.repeat(20)}${']'.repeat(20)}}`));
    assert.match(deep.error.message, /deeper than 10/);
    assert.deepEqual(ids(session.handle(request(3, 'ping'))), [3]);
  });

  test('of open calls', async () => {
    const session = shakenHands(made({ limits: { openCalls: 2 } }));
    assert.equal(session.handle(call(1, 'hang')), null);
    assert.equal(session.handle(call(2, 'hang')), null);
    const [{ id, error }] = messages(session.handle(call(3, 'hang')));
    assert.equal(id, 3);
    assert.match(error.message, /2 requests are open/);
    assert.equal(session.openCalls, 2);
    const [fourth] = messages(session.receive(`${call(4, 'hang')}\n`));
    assert.match(fourth.error.message, /2 requests are open/);
    session.handle(notification('notifications/cancelled', { requestId: 1 }));
    assert.equal(session.openCalls, 1);
    assert.deepEqual(ids(session.handle(call(5, 'echo', { text: 'x' }))), [5]);
  });
});

describe('handlers', () => {
  test('may use another session, and their own', () => {
    const server = made();
    const inner = shakenHands(server);
    const outer = shakenHands(server);
    const found = [];
    server.registerTool('other', {}, () => messages(inner.handle(call(1, 'echo', { text: 'inside' })))[0].result.content[0].text);
    server.registerTool('own', {}, () => {
      found.push(...messages(outer.handle(request(9, 'ping'))));
      return 'done';
    });
    assert.equal(messages(outer.handle(call(1, 'other')))[0].result.content[0].text, 'inside');
    const output = messages(outer.handle(call(2, 'own')));
    assert.deepEqual([...found, ...output].map(({ id }) => id), [9, 2]);
  });

  test('may not go on for ever with that', () => {
    const reports = [];
    const server = made({ onError: (error) => reports.push(error) });
    let deepest = 0;
    server.registerTool('deeper', {}, () => {
      deepest += 1;
      const session = shakenHands(server);
      return messages(session.handle(call(1, 'deeper')))[0].result.content[0].text;
    });
    assert.deepEqual(ids(shakenHands(server).handle(call(1, 'deeper'))), [1]);
    assert.ok(deepest > 2 && deepest < 20);
    assert.ok(reports.some(({ code }) => code === 'ERR_MCPLITE_BUSY'));
    assert.deepEqual(ids(shakenHands(server).handle(call(1, 'echo', { text: 'x' }))), [1]);
  });

  test('may close their own session', async () => {
    const server = made();
    const session = shakenHands(server);
    server.registerTool('close', {}, () => {
      session.close();
      return 'closed';
    });
    session.handle(call(1, 'close'));
    assert.equal(session.isClosed, true);
    await turn();
    assert.equal(session.poll(), null);
  });

  test('may close the server', async () => {
    const server = made();
    const session = shakenHands(server);
    server.registerTool('close', {}, async () => {
      server.close();
      await turn();
      return 'closed';
    });
    session.handle(call(1, 'close'));
    await turn();
    await turn();
    assert.equal(session.isClosed, true);
  });
});

test('a session is made by its server only', () => {
  assert.throws(() => new Session());
});

test('notifications are what JSON can be', () => {
  const session = shakenHands(made());
  assert.throws(() => session.notify('notifications/own', 10n), TypeError);
  assert.throws(() => session.notify('notifications/own', 'text'), isMisuse('DEFINITION', /an object is needed/));
  assert.throws(() => session.notify(7, {}), TypeError);
  assert.equal(session.poll(), null);
});
