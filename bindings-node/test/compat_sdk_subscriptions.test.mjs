// Resources that clients watch, with the SDK's API: iterables of news, consumed for as long as somebody wants them.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ReadResourceRequestSchema, SubscribeRequestSchema, SubscribeResourceRequestSchema, UnsubscribeRequestSchema } from 'mcplite/compat/sdk';

import { Carrier, ERAS, WITHIN, connected, latch, serverWith } from './compat_sdk_support.mjs';

const URI = 'memo://1';

/** News that a test hands in one by one; tells when it is consumed no more. */
class News {
  #waiting = [];
  #items = [];
  ended = latch();

  give(item) {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#items.push(item);
    else waiting({ done: false, value: item });
  }

  [Symbol.asyncIterator]() {
    return {
      next: () => new Promise((resolve) => {
        if (this.#items.length > 0) resolve({ done: false, value: this.#items.shift() });
        else this.#waiting.push(resolve);
      }),
      return: async () => {
        this.ended.open();
        return { done: true, value: undefined };
      },
    };
  }
}

function isUpdate(message) {
  return message.method === 'notifications/resources/updated';
}

/** A client that watches the resource, and what it is told of. */
async function watching(server, era) {
  const client = await connected(server, era);
  if (!era.isModern) {
    assert.deepEqual(await client.ask('resources/subscribe', { uri: URI }), {});
  } else {
    client.carrier.deliver(era.request('stream', 'subscriptions/listen', { notifications: { resourceSubscriptions: [URI] } }));
    const { params } = await client.carrier.next(({ method }) => method === 'notifications/subscriptions/acknowledged');
    assert.deepEqual(params.notifications, { resourceSubscriptions: [URI] });
  }
  return client;
}

function leave({ carrier, ask }, era) {
  if (!era.isModern) return ask('resources/unsubscribe', { uri: URI });
  return carrier.deliver({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'stream' } });
}

for (const [revision, era] of Object.entries(ERAS)) {
  test(`${revision}: each item of a subscription is told until the client wants no more`, WITHIN, async () => {
    const news = new News();
    const asked = [];
    const server = serverWith([[SubscribeResourceRequestSchema, async (request) => {
      asked.push(request.params.uri);
      return { subscription: news };
    }]]);
    const client = await watching(server, era);
    assert.deepEqual(asked, [URI]);
    for (const text of ['first', 'second', 'third']) {
      news.give({ uri: URI, text });
      const { params } = await client.carrier.next(isUpdate);
      assert.equal(params.uri, URI);
    }
    await leave(client, era);
    await news.ended.opened;
    news.give({ uri: URI, text: 'too late' });
    await server.close();
    assert.equal(client.carrier.sent.find(isUpdate), undefined);
  });

  test(`${revision}: a subscription ends with its connection`, WITHIN, async () => {
    const news = new News();
    const server = serverWith([[SubscribeResourceRequestSchema, () => ({ subscription: news })]]);
    await watching(server, era);
    await server.close();
    await news.ended.opened;
  });

  test(`${revision}: a resource that cannot be watched is refused`, WITHIN, async () => {
    const server = serverWith([[SubscribeResourceRequestSchema, () => {
      throw Object.assign(new Error('not to be watched'), { code: 404 });
    }]]);
    await assert.rejects(async () => {
      const { ask } = await connected(server, era);
      if (!era.isModern) await ask('resources/subscribe', { uri: URI });
      else await ask('subscriptions/listen', { notifications: { resourceSubscriptions: [URI] } });
    }, { code: 404, message: 'not to be watched' });
    await server.close();
  });
}

test('generators are finished: what they have to clean up, they clean up', WITHIN, async () => {
  const cleaned = latch();
  const going = latch();
  async function* changes(uri) {
    try {
      yield { uri };
      yield { uri };
      await going.opened;
      yield { uri };
    } finally {
      cleaned.open();
    }
  }
  const server = serverWith([[SubscribeResourceRequestSchema, ({ params }) => ({ subscription: changes(params.uri) })]]);
  const { carrier, ask } = await connected(server);
  await ask('resources/subscribe', { uri: URI });
  await carrier.next(isUpdate);
  await carrier.next(isUpdate);
  await ask('resources/unsubscribe', { uri: URI });
  going.open();
  await cleaned.opened;
  await server.close();
  assert.equal(carrier.sent.find(isUpdate), undefined);
});

test('an iterable that never waits keeps nobody else waiting', WITHIN, async () => {
  function* endless() {
    for (;;) yield { uri: URI };
  }
  const server = serverWith([[SubscribeResourceRequestSchema, () => ({ subscription: endless() })]]);
  const { carrier, ask } = await connected(server);
  await ask('resources/subscribe', { uri: URI });
  await carrier.next(isUpdate);
  assert.deepEqual(await ask('ping'), {});
  await ask('resources/unsubscribe', { uri: URI });
  await server.close();
});

test('an iterable that fails or ends is reported or over, and the rest goes on', WITHIN, async () => {
  const errors = [];
  async function* failing() {
    yield { uri: URI };
    throw new Error('lost the source');
  }
  async function* ending() {
    yield { uri: URI };
  }
  const iterables = [failing, ending];
  const server = serverWith([[SubscribeResourceRequestSchema, () => ({ subscription: iterables.shift()() })]]);
  const reported = latch();
  server.onerror = (error) => {
    errors.push(error.message);
    reported.open();
  };
  const { carrier, ask } = await connected(server);
  await ask('resources/subscribe', { uri: URI });
  await carrier.next(isUpdate);
  await reported.opened;
  await ask('resources/subscribe', { uri: URI });
  await carrier.next(isUpdate);
  assert.deepEqual(errors, ['lost the source']);
  assert.deepEqual(await ask('ping'), {});
  await server.close();
});

test('subscribing anew takes the place of what was subscribed', WITHIN, async () => {
  const all = [];
  const server = serverWith([[SubscribeResourceRequestSchema, () => {
    all.push(new News());
    return { subscription: all.at(-1) };
  }]]);
  const { carrier, ask } = await connected(server);
  await ask('resources/subscribe', { uri: URI });
  await ask('resources/subscribe', { uri: URI });
  await all[0].ended.opened;
  all[1].give({ uri: URI });
  await carrier.next(isUpdate);
  await server.close();
});

test('connections have subscriptions of their own', WITHIN, async () => {
  const all = [];
  const server = serverWith([[SubscribeResourceRequestSchema, () => {
    all.push(new News());
    return { subscription: all.at(-1) };
  }]]);
  const one = await watching(server, ERAS['2025-11-25']);
  const other = await watching(server, ERAS['2025-11-25']);
  all[0].give({ uri: URI });
  await one.carrier.next(isUpdate);
  await one.ask('resources/unsubscribe', { uri: URI });
  await all[0].ended.opened;
  all[1].give({ uri: URI });
  await other.carrier.next(isUpdate);
  assert.equal(one.carrier.sent.find(isUpdate), undefined);
  await server.close();
});

test('programs that keep watch themselves tell of news with sendResourceUpdated', WITHIN, async () => {
  const watched = new Set();
  const server = serverWith([
    [SubscribeRequestSchema, ({ params }) => {
      watched.add(params.uri);
      return {};
    }],
    [UnsubscribeRequestSchema, ({ params }) => {
      watched.delete(params.uri);
      return {};
    }],
  ]);
  const { carrier, ask } = await connected(server);
  assert.deepEqual(await ask('resources/subscribe', { uri: URI }), {});
  assert.deepEqual([...watched], [URI]);
  await server.sendResourceUpdated({ uri: URI });
  assert.equal((await carrier.next(isUpdate)).params.uri, URI);
  assert.deepEqual(await ask('resources/unsubscribe', { uri: URI }), {});
  assert.deepEqual([...watched], []);
  await server.close();
});

test('without a handler the engine keeps watch', WITHIN, async () => {
  const server = serverWith([[ReadResourceRequestSchema, ({ params }) => ({ contents: [{ uri: params.uri, text: '' }] })]]);
  for (const era of Object.values(ERAS)) {
    const { carrier } = await watching(server, era);
    await server.sendResourceUpdated({ uri: URI });
    await carrier.next(isUpdate);
  }
  await server.close();
});

test('a client that is gone ends its subscriptions', WITHIN, async () => {
  class Line extends Carrier {
    onmessage = undefined;
    onMessage = undefined;
    onError = undefined;
    onclose = undefined;
  }
  const news = new News();
  const server = serverWith([[SubscribeResourceRequestSchema, () => news]]);
  const line = new Line();
  await server.connect(line);
  line.deliver = (message) => line.onmessage(message);
  await ERAS['2025-11-25'].greet(line);
  await line.ask({ jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: URI } });
  line.onclose();
  await news.ended.opened;
});
