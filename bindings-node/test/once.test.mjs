// What happens once, however often a handler runs.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { ELICIT, accept, asking } from './support/asking.mjs';
import { Client, ERAS, turn } from './support/client.mjs';

for (const revision of ERAS) {
  describe(`in ${revision}`, () => {
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
