// What there is over HTTP only: a server that outlives its clients, and knows them by their sessions.

import assert from 'node:assert/strict';
import { Heard, refusal } from './conversation.mjs';

/** A session ends when its client says so; the server goes on, and knows others. */
export async function session(talk) {
  const client = await talk.client();
  const other = await talk.client();
  const { transport } = client;
  assert.equal(await talk.text(client, 'echo', { text: 'here' }), 'here');
  assert.equal(Boolean(transport.sessionId), !talk.modern);
  if (!talk.modern) {
    const ended = transport.sessionId;
    await transport.terminateSession();
    const header = { 'mcp-session-id': ended, 'mcp-protocol-version': talk.revision };
    assert.equal(await talk.statusOf(header), 404);
  }
  assert.equal(await talk.text(other, 'echo', { text: 'still here' }), 'still here');
}

/** What one client does, another one is told. */
export async function changes_by_another(talk) {
  const heard = new Heard();
  const hears = { 'notifications/tools/list_changed': () => heard.push('tools') };
  const client = await talk.client({ hears });
  if (talk.modern) await client.listen({ toolsListChanged: true });
  await client.listTools();
  const other = await talk.client();
  await talk.call(other, 'touch');
  assert.equal(await heard.next(), 'tools');
}

/** The connection of a call is lost while its client thinks; the answer comes on another one. */
export async function cut_connection(talk) {
  const model = { role: 'assistant', model: 'm', content: { type: 'text', text: 'Old pond' } };
  const client = await talk.client({
    capabilities: { sampling: {} },
    answers: {
      'sampling/createMessage': () => {
        talk.cut();
        return model;
      },
    },
  });
  assert.equal(await talk.text(client, 'ask_model'), 'Old pond');
  assert.equal(talk.resumptions, 1);
}

/** A client that goes without a word takes nobody with it. */
export async function sudden_end(talk) {
  const client = await talk.client();
  const heard = new Heard();
  const waits = refusal(talk.call(client, 'wait', {}, { onprogress: () => heard.push('waits') }));
  assert.equal(await heard.next(), 'waits');
  await client.close();
  await waits;
  const other = await talk.client();
  assert.equal(await talk.text(other, 'echo', { text: 'still here' }), 'still here');
}
