// Whatever a client sends, a server in Node answers as it must, and lives on.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load } from './support/hostile/cases.mjs';
import { judge } from './support/hostile/judge.mjs';
import { Wrong } from './support/hostile/messages.mjs';
import { lines, messages, pieces, play, playOverPipes } from './support/hostile/player.mjs';

const CASES = load();
const STREAMS = CASES.filter(({ isStream }) => isStream);

/** Plays cases, so many at a time; gives a line for each that failed. */
async function failures(cases, play, count = 1) {
  const left = [...cases];
  const found = [];
  const go = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) {
      try {
        judge(one, await play(one));
      } catch (error) {
        if (!(error instanceof Wrong)) throw error;
        found.push(`${one.id}: ${error.message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: count }, go));
  return found;
}

test('the corpus is there', () => assert.ok(CASES.length > 400 && STREAMS.length > 0));

for (const feed of [messages, lines, pieces]) {
  test(`every case gets the answer that it must get, fed as ${feed.name}`, async () => {
    const cases = feed === messages ? CASES.filter(({ isStream }) => !isStream) : CASES;
    assert.deepEqual(await failures(cases, (one) => play(one, feed)), []);
  });
}

test('a process answers over its pipes and ends well', async () => {
  // Every case about framing, and of the others one of each kind; all of them if told so.
  const first = new Map([...CASES].reverse().map((one) => [one.group, one]));
  const isAll = process.env.MCPLITE_HOSTILE === 'all';
  const cases = CASES.filter((one) => isAll || one.isStream || first.get(one.group) === one);
  assert.ok(cases.length > STREAMS.length);
  assert.deepEqual(await failures(cases, playOverPipes, 2), []);
});
