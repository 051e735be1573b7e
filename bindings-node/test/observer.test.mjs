// Functions that are told of everything that happens.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { McpError, McpServer, ToolError } from 'mcplite';

import { Client, ERAS, LEGACY, shakenHands, turn } from './support/client.mjs';

function observed(options) {
  const events = [];
  const server = new McpServer({ name: 's', ...options });
  server.registerTool('add', {}, () => '3');
  server.registerTool('fail', {}, () => {
    throw new ToolError('it broke');
  });
  server.registerTool('refuse', {}, () => {
    throw new McpError(4711, 'not now');
  });
  server.registerTool('ask', {}, async (args, ctx) => (await ctx.elicit('Well?')).action);
  server.registerTool('hang', {}, () => new Promise(() => {}));
  assert.equal(server.observe((event) => events.push(event)), server);
  return { server, events };
}

/** Events without what is different every time. */
function plain(events) {
  return events.map(({ durationUs, ...event }) => {
    if (event.event.endsWith('completed') || event.event.endsWith('invoked')) assert.ok(Number.isInteger(durationUs) && durationUs >= 0);
    return event;
  });
}

for (const revision of ERAS) {
  test(`requests, tools and their ends are told in ${revision}`, async () => {
    const { server, events } = observed();
    const client = new Client(server, { revision });
    await turn();
    events.length = 0;
    await client.call('add', {}, { _meta: { traceparent: '00-11111111111111111111111111111111-2222222222222222-01' } });
    await client.call('fail');
    await client.refusal('tools/call', { name: 'refuse' });
    await client.refusal('no/such');
    await turn();
    const method = 'tools/call';
    assert.deepEqual(plain(events), [
      { event: 'request-received', method, id: 1 },
      { event: 'tool-invoked', name: 'add', traceparent: '00-11111111111111111111111111111111-2222222222222222-01', outcome: 'ok' },
      { event: 'request-completed', method, id: 1, outcome: 'ok' },
      { event: 'request-received', method, id: 2 },
      { event: 'tool-invoked', name: 'fail', outcome: 'tool-error' },
      { event: 'request-completed', method, id: 2, outcome: 'tool-error' },
      { event: 'request-received', method, id: 3 },
      { event: 'tool-invoked', name: 'refuse', outcome: 'error', code: 4711 },
      { event: 'request-completed', method, id: 3, outcome: 'error', code: 4711 },
      { event: 'request-received', method: 'no/such', id: 4 },
      { event: 'request-completed', method: 'no/such', id: 4, outcome: 'error', code: -32601 },
    ]);
  });

  test(`questions and cancellations are outcomes in ${revision}`, async () => {
    const { server, events } = observed();
    const client = new Client(server, { revision, answers: { 'elicitation/create': { action: 'decline' } } });
    assert.equal(await client.text('ask'), 'decline');
    const { id } = client.begin('tools/call', { name: 'hang' });
    await turn();
    client.cancel(id);
    await turn();
    const outcomes = events.filter(({ event }) => event === 'tool-invoked').map(({ name, outcome }) => `${name} ${outcome}`);
    assert.deepEqual(outcomes.at(-1), 'hang cancelled');
    assert.ok(outcomes.includes('ask ok'));
    if (revision !== LEGACY) assert.ok(outcomes.includes('ask asked'));
  });
}

test('sessions come and go', async () => {
  const { server, events } = observed();
  const session = shakenHands(server);
  session.close();
  await turn();
  const kinds = events.map(({ event }) => event);
  assert.equal(kinds[0], 'session-opened');
  assert.equal(kinds.at(-1), 'session-closed');
});

test('what an observer throws is reported, and changes nothing', async () => {
  const reports = [];
  const server = new McpServer({ name: 's', onError: (error, { method, name }) => reports.push(`${error.message} ${method} ${name}`) });
  server.registerTool('add', {}, () => '3');
  server.observe(({ event }) => {
    throw new Error(`broken by ${event}`);
  });
  assert.equal(await new Client(server).text('add'), '3');
  await turn();
  assert.ok(reports.includes('broken by tool-invoked observer tool-invoked'));
});

test('another observer takes the place of the first, and none does', async () => {
  const { server, events } = observed();
  const client = new Client(server);
  await client.call('add');
  await turn();
  const others = [];
  server.observe((event) => others.push(event));
  const before = events.length;
  await client.call('add');
  await turn();
  assert.deepEqual([events.length, others.length], [before, 3]);
  server.observe(null);
  await client.call('add');
  await turn();
  assert.equal(others.length, 3);
});

test('an observer may use the server', async () => {
  const { server } = observed();
  let isDone = false;
  server.observe(({ event }) => {
    if (event !== 'tool-invoked' || isDone) return;
    isDone = true;
    server.registerTool('late', {}, () => 'late');
  });
  const client = new Client(server);
  await client.call('add');
  await client.told('notifications/tools/list_changed');
  assert.equal(await client.text('late'), 'late');
});
