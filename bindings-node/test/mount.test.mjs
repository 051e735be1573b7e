// A server inside of another one.

import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';

import { McpServer, MisuseError } from 'mcplite';

import { Client, ERAS } from './support/client.mjs';

const AMOUNT = { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] };

let shop;
let mall;

beforeEach(() => {
  shop = new McpServer({ name: 'shop', state: "the shop's" });
  shop.registerTool('sell', { title: 'Sells', inputSchema: AMOUNT }, ({ amount }) => String(amount * 2));
  shop.registerPrompt('pitch', { arguments: [{ name: 'product' }], complete: { product: (value) => [`${value}ea`] } }, ({ product }) => `Buy ${product}!`);
  shop.registerResource('stock', 'stock://{item}', { complete: { item: () => ['pears'] } }, (uri, { item }) => `3 ${item}`);
  shop.registerResource('terms', 'shop://terms', {}, 'None.');
  mall = new McpServer({ name: 'mall', state: "the mall's" });
  mall.mount('shop', shop);
});

const names = (server) => server.offers.tools.map(({ name }) => name);
const isMisuse = (code, words) => (error) => error instanceof MisuseError && error.code === `ERR_MCPLITE_${code}` && words.test(error.message);

for (const revision of ERAS) {
  test(`everything is offered under a prefix in ${revision}`, async () => {
    const client = new Client(mall, { revision });
    const { tools: [tool] } = await client.request('tools/list');
    assert.deepEqual([tool.name, tool.title], ['shop__sell', 'Sells']);
    assert.equal(await client.text('shop__sell', { amount: 2 }), '4');
    const prompt = await client.request('prompts/get', { name: 'shop__pitch', arguments: { product: 'tea' } });
    assert.equal(prompt.messages[0].content.text, 'Buy tea!');
    const read = async (uri) => (await client.request('resources/read', { uri })).contents[0].text;
    assert.equal(await read('stock://pears'), '3 pears');
    assert.equal(await read('shop://terms'), 'None.');
    const complete = async (ref, name) => (await client.request('completion/complete', { ref, argument: { name, value: 't' } })).completion.values;
    assert.deepEqual(await complete({ type: 'ref/prompt', name: 'shop__pitch' }, 'product'), ['tea']);
    assert.deepEqual(await complete({ type: 'ref/resource', uri: 'stock://{item}' }, 'item'), ['pears']);
    await client.refusal('tools/call', { name: 'sell', arguments: { amount: 2 } });
    assert.equal(await new Client(shop, { revision }).text('sell', { amount: 2 }), '4');
    assert.deepEqual([names(shop), names(mall)], [['sell'], ['shop__sell']]);
  });
}

test('what is added, changed and removed later is so everywhere', async () => {
  const client = new Client(mall);
  const refund = shop.registerTool('refund', {}, () => 'refunded');
  await client.told('notifications/tools/list_changed');
  assert.equal(await client.text('shop__refund'), 'refunded');
  refund.update({ description: 'Never.' });
  await client.told('notifications/tools/list_changed');
  assert.equal(mall.offers.tools.at(-1).description, 'Never.');
  shop.registerTool('refund', { replace: true }, () => 'never');
  assert.equal(await client.text('shop__refund'), 'never');
  refund.remove();
  assert.equal(await client.text('shop__refund'), 'never');
  shop.registerTool('refund', { replace: true }, () => '').remove();
  await client.refusal('tools/call', { name: 'shop__refund' });
  assert.deepEqual(names(mall), ['shop__sell']);
});

test('mounts nest, and a server may be mounted at several places', async () => {
  const city = new McpServer({ name: 'city' });
  city.mount('mall', mall);
  const other = new McpServer({ name: 'other' });
  assert.equal(other.mount('', shop), other);
  const late = shop.registerTool('late', {}, () => 'late');
  const client = new Client(city);
  assert.equal(await client.text('mall__shop__sell', { amount: 1 }), '2');
  assert.equal(await client.text('mall__shop__late'), 'late');
  assert.equal(await new Client(other).text('late'), 'late');
  late.disable();
  assert.deepEqual([names(city), names(other)], [['mall__shop__sell'], ['sell']]);
  late.enable();
  assert.deepEqual([names(city), names(other)], [['mall__shop__sell', 'mall__shop__late'], ['sell', 'late']]);
});

test('a server is mounted twice in one under two prefixes, with its resources once', async () => {
  mall.mount('again', shop);
  assert.deepEqual(names(mall), ['shop__sell', 'again__sell']);
  assert.equal(mall.offers.resources.length, 1);
  shop.registerResource('more', 'shop://more', {}, 'More.');
  const client = new Client(mall);
  assert.equal((await client.request('resources/read', { uri: 'shop://more' })).contents[0].text, 'More.');
  assert.equal(await client.text('again__sell', { amount: 1 }), '2');
});

describe('names that are taken', () => {
  test('are refused, and nothing is mounted', () => {
    mall.registerTool('kiosk__sell', {}, () => '');
    const before = mall.offers;
    assert.throws(() => mall.mount('kiosk', shop), isMisuse('EXISTS', /kiosk__sell.*mount shop under another prefix/));
    const rival = new McpServer({ name: 'rival' });
    rival.registerTool('buy', {}, () => '');
    rival.registerResource('terms', 'shop://terms', {}, 'All.');
    assert.throws(() => mall.mount('rival', rival), isMisuse('EXISTS', /shop:\/\/terms.*URIs stay the same/));
    assert.deepEqual(mall.offers, before);
    rival.registerTool('later', {}, () => '');
    assert.deepEqual(mall.offers, before);
  });

  test('are refused later too, everywhere', () => {
    mall.registerTool('shop__late', {}, () => 'of the mall');
    assert.throws(() => shop.registerTool('late', {}, () => ''), isMisuse('EXISTS', /shop__late/));
    assert.deepEqual(names(shop), ['sell']);
    assert.deepEqual(names(mall), ['shop__sell', 'shop__late']);
  });
});

test('a server cannot be mounted in itself', () => {
  assert.throws(() => shop.mount('x', shop), isMisuse('MISUSE', /itself/));
  assert.throws(() => shop.mount('x', mall), isMisuse('MISUSE', /itself/));
});

test('names with a prefix must be names', () => {
  const server = new McpServer({ name: 's' });
  assert.throws(() => server.mount('with space', shop), MisuseError);
  assert.deepEqual([names(server), server.offers.resources], [[], []]);
});

test('handlers know the server that they belong to, and its state', async () => {
  const seen = [];
  const look = (args, ctx) => {
    seen.push([ctx.server === shop, ctx.state]);
    return '';
  };
  shop.registerTool('look', {}, look);
  await new Client(mall).call('shop__look');
  await new Client(shop).call('look');
  await new Client(mall, { state: "the connection's" }).call('shop__look');
  assert.deepEqual(seen, [[true, "the shop's"], [true, "the shop's"], [true, "the connection's"]]);
});

test('middleware of both servers stands around, that of the outer one outside', async () => {
  const path = [];
  const layer = (name) => (request, next) => {
    if (request.method === 'tools/call') path.push(`${name} ${request.name}`);
    return next();
  };
  shop.use(layer('shop'));
  mall.use(layer('mall'));
  await new Client(mall).call('shop__sell', { amount: 1 });
  assert.deepEqual(path, ['mall shop__sell', 'shop shop__sell']);
  path.length = 0;
  shop.use(layer('late'));
  await new Client(mall).call('shop__sell', { amount: 1 });
  assert.deepEqual(path, ['mall shop__sell', 'shop shop__sell', 'late shop__sell']);
  path.length = 0;
  await new Client(shop).call('sell', { amount: 1 });
  assert.deepEqual(path, ['shop sell', 'late sell']);
});

test('errors are reported to the server that is connected', async () => {
  const reports = [];
  const outer = new McpServer({ name: 'outer', onError: (error, request) => reports.push([error.message, request.name]) });
  shop.registerTool('break', {}, () => {
    throw new Error('a bug');
  });
  outer.mount('shop', shop);
  assert.equal(await new Client(outer).text('shop__break'), 'failed: a bug');
  assert.deepEqual(reports, [['a bug', 'shop__break']]);
});

test('methods are not mounted', async () => {
  shop.on('shop/own', () => ({ own: true }));
  assert.equal((await new Client(mall).refusal('shop/own')).code, -32601);
});

test('what is mounted may ask', async () => {
  shop.registerTool('ask', {}, async (args, ctx) => (await ctx.elicit('Well?')).data);
  for (const revision of ERAS) {
    const answers = { 'elicitation/create': { action: 'accept', content: { value: 'yes' } } };
    assert.equal(await new Client(mall, { revision, answers }).text('shop__ask'), 'yes');
  }
});

test('a server outlives the one that it was mounted from', async () => {
  shop.close();
  assert.equal(await new Client(mall).text('shop__sell', { amount: 3 }), '6');
});
