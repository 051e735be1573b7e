// Asking the client from a handler, in either era.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { McpServer, Suspended } from 'mcplite';

import { ELICIT, ROOTS, SAMPLE, accept, asking } from './support/asking.mjs';
import { Client, ERAS, LEGACY, MODERN, soon, turn } from './support/client.mjs';

const FORM = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] };

/** A schema of a library, made by hand: texts that are upper case, which it makes lower case. */
const LOUD = {
  '~standard': {
    version: 1,
    vendor: 'hand',
    jsonSchema: { input: () => ({ type: 'string' }), output: () => ({ type: 'string' }) },
    validate: (value) => (value === value.toUpperCase() ? { value: value.toLowerCase() } : { issues: [{ message: 'must be loud', path: [] }] }),
  },
};

for (const revision of ERAS) {
  describe(`in ${revision}`, () => {
    for (const [form, content, data] of [
      [undefined, { value: 'Ada' }, 'Ada'],
      [{ type: 'string' }, { value: 'Ada' }, 'Ada'],
      [{ type: 'integer' }, { value: 7 }, 7],
      [{ type: 'number' }, { value: 1.5 }, 1.5],
      [{ type: 'boolean' }, { value: true }, true],
      [{ type: 'string', enum: ['a', 'b'] }, { value: 'b' }, 'b'],
      [FORM, { n: 2 }, { n: 2 }],
      [LOUD, { value: 'HI' }, 'hi'],
      [{ a: LOUD, b: LOUD }, { a: 'X', b: 'Y' }, { a: 'x', b: 'y' }],
    ]) {
      test(`a form gives what it asks for: ${JSON.stringify(form)}`, async () => {
        let said;
        const { server } = asking(async (ctx) => {
          assert.ok(ctx.canElicit());
          said = await ctx.elicit('Well?', form);
        });
        const client = new Client(server, { revision, answers: { [ELICIT]: accept(content) } });
        await client.call('ask');
        assert.deepEqual([said.action, said.accepted, said.data], ['accept', true, data]);
        assert.deepEqual(said.raw, accept(content));
        const [{ params }] = client.asked;
        assert.equal(params.message, 'Well?');
        assert.equal(params.requestedSchema.type, 'object');
        for (const field of Object.values(params.requestedSchema.properties)) {
          assert.ok(['string', 'integer', 'number', 'boolean'].includes(field.type));
        }
      });
    }

    for (const action of ['decline', 'cancel']) {
      test(`a user may ${action}`, async () => {
        const { server } = asking(async (ctx) => {
          const said = await ctx.elicit('Well?', FORM);
          assert.deepEqual([said.accepted, said.data], [false, undefined]);
          return said.action;
        });
        assert.equal(await new Client(server, { revision, answers: { [ELICIT]: { action } } }).text('ask'), action);
      });
    }

    test('a page is visited and done with', async () => {
      const { server } = asking(async (ctx) => {
        const said = await ctx.elicitUrl('Pay.', 'https://example.com/p', { elicitationId: 'e1' });
        assert.equal(said.data, undefined);
        return said.action;
      });
      const client = new Client(server, { revision, answers: { [ELICIT]: { action: 'accept' } } });
      assert.equal(await client.text('ask'), 'accept');
      const [{ params }] = client.asked;
      assert.deepEqual([params.mode, params.url, params.message], ['url', 'https://example.com/p', 'Pay.']);
      server.notifyElicited('e1');
      server.notifyElicited('nobody');
      if (revision === LEGACY) assert.deepEqual(await client.told('notifications/elicitation/complete'), { elicitationId: 'e1' });
    });

    test('the model of the client is asked', async () => {
      const { server } = asking(async (ctx) => {
        assert.ok(ctx.canSample());
        const options = { system: 'Be brief.', maxTokens: 5, temperature: 0.5, stop: ['.'], preferences: { speedPriority: 1 } };
        const { text, model, stopReason, content, raw } = await ctx.sample(['Hello?', { role: 'assistant', content: 'Anybody?' }], options);
        return JSON.stringify([text, model, stopReason, content.type, raw.role]);
      });
      const answer = { role: 'assistant', content: { type: 'text', text: 'Yes' }, model: 'm', stopReason: 'endTurn' };
      const client = new Client(server, { revision, answers: { [SAMPLE]: answer } });
      assert.equal(await client.text('ask'), '["Yes","m","endTurn","text","assistant"]');
      assert.deepEqual(client.asked[0].params, {
        messages: [{ role: 'user', content: { type: 'text', text: 'Hello?' } }, { role: 'assistant', content: { type: 'text', text: 'Anybody?' } }],
        maxTokens: 5, systemPrompt: 'Be brief.', temperature: 0.5, stopSequences: ['.'], modelPreferences: { speedPriority: 1 },
      });
    });

    test('a single text will do for the model, which may answer with several blocks', async () => {
      const { server } = asking(async (ctx) => (await ctx.sample('Well?')).text);
      const content = [{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }];
      const client = new Client(server, { revision, answers: { [SAMPLE]: { role: 'assistant', content, model: 'm' } } });
      assert.equal(await client.text('ask'), 'ab');
      assert.equal(client.asked[0].params.maxTokens, 1024);
    });

    test('folders are listed', async () => {
      const { server } = asking(async (ctx) => (await ctx.roots()).map(({ uri, name }) => `${name}=${uri}`).join());
      const roots = [{ uri: 'file:///a', name: 'a' }, { uri: 'file:///b', name: 'b' }];
      assert.equal(await new Client(server, { revision, answers: { [ROOTS]: { roots } } }).text('ask'), 'a=file:///a,b=file:///b');
    });

    test('questions one after the other have their answers', async () => {
      const { server, runs } = asking(async (ctx) => {
        const first = await ctx.elicit('First?');
        const second = await ctx.elicit('Second?');
        const [root] = await ctx.roots();
        return `${first.data} ${second.data} ${root.uri}`;
      });
      const client = new Client(server, {
        revision,
        answers: { [ELICIT]: ({ message }) => accept({ value: message.toLowerCase() }), [ROOTS]: { roots: [{ uri: 'file:///r' }] } },
      });
      assert.equal(await client.text('ask'), 'first? second? file:///r');
      assert.deepEqual(client.asked.map(({ method }) => method), [ELICIT, ELICIT, ROOTS]);
      // A client of before 2026-07-28 is waited for; since then the handler begins anew.
      assert.deepEqual(runs, revision === LEGACY ? ['begun', 'done'] : ['begun', 'begun', 'begun', 'begun', 'done']);
    });

    test('questions that are put together are asked together', async () => {
      const { server, runs } = asking(async (ctx) => {
        const [a, b, roots] = await Promise.all([ctx.elicit('a?'), ctx.elicit('b?'), ctx.roots()]);
        return `${a.data} ${b.data} ${roots.length}`;
      });
      const client = new Client(server, {
        revision,
        answers: { [ELICIT]: async ({ message }) => accept({ value: message }), [ROOTS]: { roots: [] } },
      });
      assert.equal(await client.text('ask'), 'a? b? 0');
      assert.deepEqual(client.asked.map(({ method }) => method).sort(), [ELICIT, ELICIT, ROOTS]);
      assert.deepEqual(runs, revision === LEGACY ? ['begun', 'done'] : ['begun', 'begun', 'done']);
    });

    test('questions are known by their keys, whatever the order', async () => {
      let attempt = 0;
      const { server } = asking(async (ctx) => {
        attempt += 1;
        const keys = attempt % 2 === 1 ? ['a', 'b'] : ['b', 'a'];
        const said = {};
        for (const key of keys) said[key] = (await ctx.elicit(`${key}?`, undefined, { key })).data;
        return `${said.a} ${said.b}`;
      });
      const client = new Client(server, { revision, answers: { [ELICIT]: ({ message }) => accept({ value: message }) } });
      assert.equal(await client.text('ask'), 'a? b?');
    });

    test('an answer that does not fit is asked for again', async () => {
      const { server } = asking(async (ctx) => String((await ctx.elicit('How many?', FORM)).data.n));
      const contents = [{ n: 'many' }, { n: 0 }, { n: 3 }];
      const client = new Client(server, { revision, answers: { [ELICIT]: () => accept(contents.shift()) } });
      assert.equal(await client.text('ask'), '3');
      assert.equal(client.asked.length, 3);
    });

    test('an answer that only the library refuses fails the handler with its words', async () => {
      const { server } = asking(async (ctx) => (await ctx.elicit('Loudly?', LOUD)).data);
      const client = new Client(server, { revision, answers: { [ELICIT]: accept({ value: 'quiet' }) } });
      assert.match(await client.text('ask'), /^failed: .*must be loud/);
    });

    test('a client without the capability is told so, and handlers can know before', async () => {
      const { server } = asking(async (ctx) => (await ctx.elicit('Well?')).action);
      server.registerTool('look', {}, (args, ctx) => [ctx.canElicit(), ctx.canElicit('url'), ctx.canSample(), ctx.canListRoots()].join());
      const bare = new Client(server, { revision });
      assert.equal(await bare.text('look'), 'false,false,false,false');
      const { error, result } = await bare.answer('tools/call', { name: 'ask' });
      assert.match(JSON.stringify(error ?? result), /elicitation/);
      if (revision === MODERN) assert.equal(error.code, -32021);
      const some = new Client(server, { revision, capabilities: { elicitation: {}, roots: {} } });
      assert.equal(await some.text('look'), 'true,false,false,true');
    });

    test('resources and prompts may ask as well', async () => {
      const server = new McpServer({ name: 's' });
      const who = async (ctx) => `${(await ctx.elicit('Who?')).data}!`;
      server.registerResource('r', 'r:1', {}, (uri, ctx) => who(ctx));
      server.registerPrompt('p', {}, (args, ctx) => who(ctx));
      const client = new Client(server, { revision, answers: { [ELICIT]: accept({ value: 'Ada' }) } });
      assert.equal((await client.request('resources/read', { uri: 'r:1' })).contents[0].text, 'Ada!');
      assert.equal((await client.request('prompts/get', { name: 'p' })).messages[0].content.text, 'Ada!');
    });

    test('a handler that does not wait for its question is answered all the same', async () => {
      const { server, reports } = asking(async (ctx) => {
        ctx.elicit('Well?');
        return 'did not wait';
      });
      const client = new Client(server, { revision, answers: { [ELICIT]: accept({ value: 'x' }) } });
      assert.equal(await client.text('ask'), 'did not wait');
      assert.deepEqual(reports, []);
    });

    test('a handler that works on while it asks keeps what it has done', async () => {
      const { server } = asking(async (ctx) => {
        const question = ctx.elicit('Well?');
        await turn();
        await turn();
        return `${(await question).data}`;
      });
      const client = new Client(server, { revision, answers: { [ELICIT]: accept({ value: 'yes' }) } });
      assert.equal(await client.text('ask'), 'yes');
    });

    test('what stands in finally is done in every attempt', async () => {
      let open = 0;
      const { server } = asking(async (ctx) => {
        open += 1;
        try {
          return (await ctx.elicit('Well?')).data;
        } finally {
          open -= 1;
        }
      });
      const client = new Client(server, { revision, answers: { [ELICIT]: accept({ value: 'yes' }) } });
      assert.equal(await client.text('ask'), 'yes');
      await turn();
      assert.equal(open, 0);
    });

    test('a call that is cancelled while its client is asked ends', async () => {
      let ended;
      const over = new Promise((resolve) => {
        ended = resolve;
      });
      let signal;
      const { server, reports } = asking(async (ctx) => {
        ({ signal } = ctx);
        try {
          await ctx.elicit('Well?');
        } catch (error) {
          ended(error);
          throw error;
        }
      });
      const client = new Client(server, { revision, answers: { [ELICIT]: () => new Promise(() => {}) } });
      const begun = client.begin('tools/call', { name: 'ask' });
      if (revision === MODERN) {
        assert.equal((await begun.answer).result.resultType, 'input_required');
        assert.ok((await soon(over)) instanceof Suspended);
      } else {
        while (client.asked.length === 0) await turn();
        client.cancel(begun.id);
        assert.equal((await soon(over)).name, 'AbortError');
        assert.equal(signal.aborted, true);
        // The question is taken back.
        await client.told('notifications/cancelled');
      }
      assert.equal(client.session.openCalls, 0);
      await turn();
      assert.deepEqual(reports, []);
    });

    test('progress and log messages are told between questions', async () => {
      const { server } = asking(async (ctx) => {
        ctx.progress(1);
        await ctx.elicit('Well?');
        ctx.progress(2);
        ctx.info('answered');
        return `${ctx.requestId !== null} ${ctx.name}`;
      });
      const client = new Client(server, { revision, logLevel: 'info', answers: { [ELICIT]: accept({ value: 'x' }) } });
      assert.equal(await client.text('ask', {}, { _meta: { progressToken: 't' } }), 'true ask');
      const told = client.all('notifications/progress').map(({ progress }) => progress);
      assert.deepEqual(told, revision === LEGACY ? [1, 2] : [1, 1, 2]);
      assert.deepEqual(client.all('notifications/message').map(({ data }) => data), ['answered']);
    });
  });
}

test('forms that no client could show are refused to the handler', async () => {
  for (const form of [7, 'text', { type: 'object', properties: { deep: { type: 'object', properties: {} } } }]) {
    const { server } = asking((ctx) => ctx.elicit('Well?', form));
    const client = new Client(server, { answers: { [ELICIT]: accept({}) } });
    assert.match(await client.text('ask'), /^failed: /, JSON.stringify(form));
    assert.equal(client.asked.length, 0);
  }
});

test('questions that make no sense are refused to the handler', async () => {
  for (const ask of [
    (ctx) => ctx.elicit(7),
    (ctx) => ctx.elicitUrl('Pay.', 'not a url'),
    (ctx) => ctx.sample([7]),
    (ctx) => ctx.sample('x', { maxTokens: 'many' }),
  ]) {
    const { server } = asking(ask);
    const client = new Client(server, { answers: { [ELICIT]: accept({}), [SAMPLE]: {} } });
    assert.match(await client.text('ask'), /^failed: /, String(ask));
    assert.equal(client.asked.length, 0);
  }
});
