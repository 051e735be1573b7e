// Asking the client from a handler, in either era.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { McpServer, Suspended } from 'mcplite';

import { Client, ERAS, LEGACY, MODERN, RpcError, messages, modernMeta, request, soon, turn } from './support/client.mjs';

const FORM = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] };
const ELICIT = 'elicitation/create';
const SAMPLE = 'sampling/createMessage';
const ROOTS = 'roots/list';

function accept(content) {
  return { action: 'accept', content };
}

/** A server with a tool `ask`, and how often its handler began and came to its end. */
function asking(handler, options) {
  const runs = [];
  const reports = [];
  const server = new McpServer({ name: 's', onError: (error) => reports.push(error), ...options });
  server.registerTool('ask', {}, async (args, ctx) => {
    runs.push('begun');
    const given = await handler(ctx, args);
    runs.push('done');
    return given;
  });
  return { server, runs, reports };
}

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

  describe(`once, in ${revision}`, () => {
    const answers = { [ELICIT]: accept({ value: 'yes' }) };

    test('a function is called once though the handler runs again', async () => {
      const calls = [];
      const charge = (amount) => {
        calls.push(amount);
        return { receipt: calls.length };
      };
      const { server } = asking(async (ctx) => {
        const first = await ctx.once('first', () => charge(5));
        await ctx.elicit('Sure?');
        const second = await ctx.once('second', async () => charge(6));
        await ctx.elicit('Really?');
        assert.deepEqual(await ctx.once('first', () => charge(7)), first);
        return `${first.receipt} ${second.receipt}`;
      });
      const client = new Client(server, { revision, answers });
      assert.equal(await client.text('ask'), '1 2');
      assert.deepEqual(calls, [5, 6]);
      assert.equal(await client.text('ask'), '3 4');
    });

    for (const value of [null, 0, '', [], {}, [1, { a: null }], false]) {
      test(`remembers ${JSON.stringify(value)}`, async () => {
        let calls = 0;
        const { server } = asking(async (ctx) => {
          const work = () => {
            calls += 1;
            return value;
          };
          assert.deepEqual(await ctx.once('work', work), value);
          await ctx.elicit('Sure?');
          assert.deepEqual(await ctx.once('work', work), value);
          return 'ok';
        });
        assert.equal(await new Client(server, { revision, answers }).text('ask'), 'ok');
        assert.equal(calls, 1);
      });
    }

    test('what gives nothing is remembered to have happened', async () => {
      let calls = 0;
      const { server } = asking(async (ctx) => {
        await ctx.once('work', () => {
          calls += 1;
        });
        await ctx.elicit('Sure?');
        await ctx.once('work', () => {
          calls += 1;
        });
        return 'ok';
      });
      assert.equal(await new Client(server, { revision, answers }).text('ask'), 'ok');
      assert.equal(calls, 1);
    });

    test('gives the same whether it was remembered or made', async () => {
      const seen = [];
      const { server } = asking(async (ctx) => {
        seen.push(await ctx.once('work', () => ({ at: new Date(0), none: undefined })));
        await ctx.elicit('Sure?');
        seen.push(await ctx.once('work', () => 'never'));
        return 'ok';
      });
      await new Client(server, { revision, answers }).call('ask');
      for (const value of seen) assert.deepEqual(value, { at: '1970-01-01T00:00:00.000Z' });
    });

    test('what fails is tried again', async () => {
      let tries = 0;
      const work = () => {
        tries += 1;
        if (tries === 1) throw new Error('not there');
        return 'done';
      };
      const { server } = asking(async (ctx) => {
        await assert.rejects(ctx.once('work', work), /not there/);
        return ctx.once('work', work);
      });
      assert.equal(await new Client(server, { revision, answers }).text('ask'), 'done');
    });

    test('what is no JSON cannot be remembered', async () => {
      const { server } = asking((ctx) => ctx.once('work', () => 10n));
      assert.match(await new Client(server, { revision, answers }).text('ask'), /^failed: .*BigInt/);
    });

    test('one that is being made is waited for', async () => {
      let calls = 0;
      const { server } = asking(async (ctx) => {
        const work = async () => {
          calls += 1;
          await turn();
          return calls;
        };
        return (await Promise.all([ctx.once('work', work), ctx.once('work', work)])).join();
      });
      assert.equal(await new Client(server, { revision, answers }).text('ask'), '1,1');
    });

    test('two that are made at the same time are both remembered', async () => {
      const calls = [];
      const { server } = asking(async (ctx) => {
        const make = (name) => ctx.once(name, async () => {
          calls.push(name);
          await turn();
          return name;
        });
        const both = await Promise.all([make('a'), make('b')]);
        await ctx.elicit('Sure?');
        return [...both, await make('a'), await make('b')].join('');
      });
      assert.equal(await new Client(server, { revision, answers }).text('ask'), 'abab');
      assert.deepEqual(calls, ['a', 'b']);
    });

    test('names of everything are names', async () => {
      let calls = 0;
      const { server } = asking(async (ctx) => {
        const made = async () => {
          const all = [];
          for (const key of ['__proto__', 'constructor', 'toString', '']) {
            all.push(await ctx.once(key, () => {
              calls += 1;
              return `${key}!`;
            }));
          }
          return all.join();
        };
        const before = await made();
        await ctx.elicit('Sure?');
        return `${before} ${await made()}`;
      });
      const all = '__proto__!,constructor!,toString!,!';
      assert.equal(await new Client(server, { revision, answers }).text('ask'), `${all} ${all}`);
      assert.equal(calls, 4);
    });
  });
}

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
