// What goes on between a request and its answer, and what the server says unasked.

import assert from 'node:assert/strict';
import { Heard, refusal, toolNames } from './conversation.mjs';

const NOTE = 'note://latest';

export async function progress(talk) {
  const client = await talk.client({ oneByOne: true });
  const heard = new Heard();
  const onprogress = ({ progress, total, message }) => heard.push([progress, total, message]);
  assert.equal(await talk.text(client, 'countdown', { from: 4 }, { onprogress }), 'liftoff');
  for (const step of [1, 2, 3, 4]) {
    const [done, total, message] = await heard.next();
    assert.deepEqual([done, total], [step, 4]);
    assert.equal(Boolean(message), talk.since('2025-03-26'));
  }
  // Without a callback there is no token, and then there is nothing to hear.
  assert.equal(await talk.text(client, 'countdown', { from: 3 }), 'liftoff');
  assert.equal(heard.length, 0);
}

/** The server ends the connection of a call, and the client comes back for what is missing. */
export async function parting(talk) {
  const client = await talk.client({ oneByOne: true });
  const heard = new Heard();
  const onprogress = ({ progress }) => heard.push(progress);
  const canComeBack = talk.way === 'http' && talk.revision === '2025-11-25';
  assert.equal(await talk.text(client, 'part', {}, { onprogress }),
    canComeBack ? 'met again' : 'stayed');
  assert.deepEqual([await heard.next(), await heard.next()], [1, 2]);
  assert.equal(talk.resumptions, canComeBack ? 1 : 0);
}

async function cancelledCount(talk, client) {
  return Number(/\d+/.exec(await talk.text(client, 'cancelled'))[0]);
}

/** Asks until the tool knows: it is told on a thread of its own, perhaps after our question. */
async function untilCancelled(talk, client, wanted) {
  let count = 0;
  while (count < wanted && !talk.isOver) count = await cancelledCount(talk, client);
  return count;
}

/** A call that is given up reaches the tool, also while others go on. */
export async function cancel(talk) {
  const client = await talk.client();
  for (const count of [1, 2]) {
    const patience = new AbortController();
    const heard = new Heard();
    const options = { signal: patience.signal, onprogress: () => heard.push('waits') };
    const given = refusal(talk.call(client, 'wait', {}, options));
    assert.equal(await heard.next(), 'waits');
    assert.equal(await talk.text(client, 'echo', { text: 'on' }), 'on');
    assert.equal(await cancelledCount(talk, client), count - 1);
    patience.abort('no longer wanted');
    assert.match(String(await given), /no longer wanted/);
    assert.equal(await untilCancelled(talk, client, count), count);
  }
}

/** The client's own patience ends: it cancels what it does not wait for. */
export async function give_up_by_timeout(talk) {
  const client = await talk.client();
  const heard = new Heard();
  const options = { timeout: 50, onprogress: () => heard.push('waits') };
  // A call that is cancelled before its tool begins never reaches it: one must have begun.
  while (!heard.length && !talk.isOver) {
    assert.match(String(await refusal(talk.call(client, 'wait', {}, options))), /timed out/i);
  }
  await untilCancelled(talk, client, 1);
}

const MODEL = { role: 'assistant', model: 'm', content: { type: 'text', text: 'Old pond' } };
const ROOTS = { roots: [{ uri: 'file:///a' }, { uri: 'file:///b' }] };

export async function elicitation(talk) {
  const asked = [];
  const accepted = { action: 'accept', content: { name: 'Ann' } };
  const replies = [accepted, { action: 'decline' }, { action: 'cancel' }];
  const elicit = ({ params }) => {
    asked.push(params.requestedSchema.required);
    return replies[asked.length - 1];
  };
  const client = await talk.client({
    capabilities: { elicitation: {} },
    answers: { 'elicitation/create': elicit },
  });
  assert.equal(await talk.text(client, 'ask_name'), 'Hello, Ann!');
  assert.equal(await talk.text(client, 'ask_name'), 'declined');
  assert.equal(await talk.text(client, 'ask_name'), 'declined');
  assert.deepEqual(asked, [['name'], ['name'], ['name']]);
}

export async function sampling(talk) {
  const asked = [];
  const sample = ({ params }) => {
    asked.push(params.messages[0].role);
    return MODEL;
  };
  const client = await talk.client({
    capabilities: { sampling: {} },
    answers: { 'sampling/createMessage': sample },
  });
  assert.equal(await talk.text(client, 'ask_model'), 'Old pond');
  assert.deepEqual(asked, ['user']);
}

export async function roots(talk) {
  const client = await talk.client({
    capabilities: { roots: {} },
    answers: { 'roots/list': () => ROOTS },
  });
  assert.equal(await talk.text(client, 'ask_roots'), '2 roots: file:///a');
}

/** Two calls wait for two answers, which come in any order. */
export async function questions_at_once(talk) {
  const client = await talk.client({
    capabilities: { sampling: {}, roots: {} },
    answers: { 'sampling/createMessage': () => MODEL, 'roots/list': () => ROOTS },
  });
  const said = await Promise.all(['ask_model', 'ask_roots'].map((tool) => talk.text(client, tool)));
  assert.deepEqual(said, ['Old pond', '2 roots: file:///a']);
}

/** A client that declares nothing is not asked. */
export async function undeclared(talk) {
  const client = await talk.client();
  for (const tool of ['ask_name', 'ask_model', 'ask_roots']) {
    const said = talk.modern
      ? (await refusal(talk.call(client, tool))).message
      : await talk.text(client, tool);
    assert.match(said, /Missing required client capability/);
  }
}

/** The client hears messages of its level and above, one of them with data of its own shape. */
export async function logging(talk) {
  const logged = [['debug', 'string'], ['info', 'string'], ['warning', 'object']];
  const heard = new Heard();
  const hear = ({ params }) => heard.push([params.level, typeof params.data]);
  const client = await talk.client({ hears: { 'notifications/message': hear } });
  for (const [level, wanted] of [['debug', logged], ['info', logged.slice(1)],
    ['warning', logged.slice(2)], ['error', []]]) {
    // In the modern era each request says what it wants; before, the connection did.
    const own = talk.modern ? { _meta: { 'io.modelcontextprotocol/logLevel': level } } : {};
    if (!talk.modern) await client.setLoggingLevel(level);
    await talk.library.call(client, { name: 'log', arguments: {}, ...own });
    for (const message of wanted) assert.deepEqual(await heard.next(), message);
    await talk.text(client, 'echo', { text: 'nothing more' });
    assert.equal(heard.length, 0);
  }
}

/** A resource changes, and a tool comes and goes: the client is told and looks again. */
export async function changes(talk) {
  const heard = new Heard();
  const client = await talk.client({
    hears: {
      'notifications/resources/updated': ({ params }) => heard.push(params.uri),
      'notifications/tools/list_changed': () => heard.push('tools'),
    },
  });
  const note = async () => (await client.readResource({ uri: NOTE })).contents[0].text;
  const filter = { toolsListChanged: true, resourceSubscriptions: [NOTE] };
  const stream = talk.modern ? await client.listen(filter) : null;
  if (stream) assert.deepEqual(stream.honoredFilter, filter);
  else await client.subscribeResource({ uri: NOTE });

  const names = await toolNames(client);
  let before = await note();
  for (const there of [true, false]) {
    await talk.call(client, 'touch');
    assert.deepEqual([await heard.next(), await heard.next()].sort(), [NOTE, 'tools']);
    assert.equal((await toolNames(client)).includes('late'), there);
    if (there) assert.ok(!(await talk.call(client, 'late')).isError);
    const after = await note();
    assert.notEqual(after, before);
    before = after;
  }
  assert.deepEqual(await toolNames(client), names);

  if (stream) await unlisten(talk, client, stream, heard);
  else await unsubscribe(talk, client, heard);
  await talk.text(client, 'echo', { text: 'nothing more' });
  assert.equal(heard.length, 0);
}

/** Leaving a stream cancels it; another one gets only what it asks for. */
async function unlisten(talk, client, stream, heard) {
  await stream.close();
  assert.equal(await stream.closed, 'local');
  await talk.call(client, 'touch');
  await client.listen({ resourceSubscriptions: [NOTE] });
  await talk.call(client, 'touch');
  assert.equal(await heard.next(), NOTE);
}

/** Without a subscription only the change of the list is told. */
async function unsubscribe(talk, client, heard) {
  await client.unsubscribeResource({ uri: NOTE });
  await talk.call(client, 'touch');
  assert.equal(await heard.next(), 'tools');
}
