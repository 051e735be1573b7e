// How long clients may take to answer, what they carry meanwhile, and how questions end.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { McpServer } from 'mcplite';

import { ELICIT, accept, asking } from './support/asking.mjs';
import { Client, MODERN, RpcError, messages, modernMeta, request, soon, turn } from './support/client.mjs';

describe('before 2026-07-28', () => {
  test('a client that refuses to answer fails the call', async () => {
    const { server } = asking(async (ctx) => (await ctx.elicit('Well?')).action);
    const refuse = () => {
      throw new RpcError({ code: -1, message: 'not now' });
    };
    const { error, result } = await new Client(server, { answers: { [ELICIT]: refuse } }).answer('tools/call', { name: 'ask' });
    assert.match(JSON.stringify(error ?? result), /not now/);
  });

  test('a client may take only so long', async () => {
    let ended;
    const over = new Promise((resolve) => {
      ended = resolve;
    });
    const { server } = asking(async (ctx) => {
      await ctx.elicit('Well?').catch((error) => {
        ended(error);
        throw error;
      });
    }, { questionTtl: 20 });
    const client = new Client(server, { answers: { [ELICIT]: () => new Promise(() => {}) } });
    const { error, result } = await client.answer('tools/call', { name: 'ask' });
    assert.ok(error ?? result.isError);
    await soon(over);
  });

  test('the time of the handler goes on when its client has answered', async () => {
    const server = new McpServer({ name: 's' });
    server.registerTool('ask', { timeout: 40 }, async (args, ctx) => {
      await ctx.elicit('Well?');
      await new Promise(() => {});
    });
    const client = new Client(server, { answers: { [ELICIT]: accept({ value: 'x' }) } });
    assert.match(await client.text('ask'), /^failed: Timed out/);
  });

  test('a session that is closed while its client is asked ends the handler', async () => {
    let ended;
    const over = new Promise((resolve) => {
      ended = resolve;
    });
    const { server, reports } = asking((ctx) => ctx.elicit('Well?').catch(ended));
    const client = new Client(server, { answers: { [ELICIT]: () => new Promise(() => {}) } });
    client.begin('tools/call', { name: 'ask' });
    while (client.asked.length === 0) await turn();
    client.close();
    assert.equal((await soon(over)).name, 'AbortError');
    assert.deepEqual(reports, []);
  });
});

describe('since 2026-07-28', () => {
  const capabilities = { elicitation: { form: {} } };
  const params = (more) => ({ name: 'ask', arguments: {}, _meta: modernMeta({ capabilities }), ...more });

  test('what is remembered is sealed', async () => {
    const { server } = asking(async (ctx) => {
      await ctx.once('work', () => 'a-secret-of-the-server');
      await ctx.elicit('Sure?');
    });
    const client = new Client(server, { revision: MODERN, capabilities });
    const { result } = await client.begin('tools/call', { name: 'ask' }).answer;
    assert.equal(result.resultType, 'input_required');
    assert.ok(result.requestState.length > 0);
    assert.ok(!Buffer.from(result.requestState, 'base64url').includes('secret'));
  });

  test('servers of several processes share what is remembered by their keys', async () => {
    let calls = 0;
    const made = (key) => asking(async (ctx) => {
      await ctx.once('work', () => {
        calls += 1;
      });
      return (await ctx.elicit('Sure?')).data;
    }, { sealKeys: [Buffer.alloc(32, key)] }).server;
    const second = made(1);
    const client = new Client(made(1), {
      revision: MODERN,
      answers: { [ELICIT]() {
        client.reconnect(second);
        return accept({ value: 'yes' });
      } },
    });
    assert.equal(await client.text('ask'), 'yes');
    assert.equal(calls, 1);
    const stranger = new Client(made(1), {
      revision: MODERN,
      answers: { [ELICIT]() {
        stranger.reconnect(made(2));
        return accept({ value: 'yes' });
      } },
    });
    assert.equal((await stranger.refusal('tools/call', { name: 'ask' })).code, -32602);
  });

  test('a state is good for the same request only', async () => {
    const { server } = asking(async (ctx) => (await ctx.elicit('Sure?')).data);
    server.registerTool('other', {}, async (args, ctx) => (await ctx.elicit('Sure?')).data);
    const client = new Client(server, { revision: MODERN, capabilities });
    const { result } = await client.begin('tools/call', { name: 'ask' }).answer;
    const [key] = Object.keys(result.inputRequests);
    const more = { inputResponses: { [key]: accept({ value: 'x' }) }, requestState: result.requestState };
    assert.equal((await client.refusal('tools/call', { name: 'other', ...more })).code, -32602);
    const answer = client.begin('tools/call', { name: 'ask', ...more });
    assert.equal((await answer.answer).result.content[0].text, 'x');
  });

  test('a handler asks only so often', async () => {
    const { server } = asking(async (ctx) => {
      for (let round = 0; ; round += 1) await ctx.elicit(`${round}?`);
    }, { limits: { askRounds: 3 } });
    const client = new Client(server, { revision: MODERN, answers: { [ELICIT]: accept({ value: 'x' }) } });
    const { error, result } = await client.answer('tools/call', { name: 'ask' });
    assert.ok(error ?? result.isError);
    assert.equal(client.asked.length, 3);
  });

  test('an async answer that comes as one message is one message', async () => {
    const { server } = asking(async (ctx) => (await ctx.elicit('Sure?')).data);
    const session = server.session();
    assert.equal(session.handle(request(1, 'tools/call', params())), null);
    const output = [];
    for (let turns = 0; turns < 5 && output.length === 0; turns += 1) {
      await turn();
      output.push(...messages(session.drain()));
    }
    assert.deepEqual(output.map(({ id, result }) => [id, result.resultType]), [[1, 'input_required']]);
  });
});
