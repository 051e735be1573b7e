// Plays the transcripts that every language plays, and compares bytes.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { byteByByte, play, whole } from './support/transcripts/player.mjs';
import { FOLDER } from './support/transcripts/stage.mjs';

const FILES = readdirSync(FOLDER).filter((file) => file.endsWith('.txt'));

/** Where requests that the engine answers count as calls, which transcripts can tell. */
const LIKE_CALLS = ['the server takes no more requests', '2 requests are open'];

/** Pairs of lines of the file and as they were played. */
async function played(text, feed) {
  const lines = (await play(text, feed)).split('\n');
  const expected = text.split('\n');
  return Array.from({ length: Math.max(lines.length, expected.length) }, (_, place) => [lines[place], expected[place]]);
}

test('the transcripts are there', () => assert.ok(FILES.length > 30));

for (const feed of [whole, byteByByte]) {
  describe(`played with ${feed.name}`, () => {
    for (const file of FILES) {
      test(file, async () => {
        const text = readFileSync(join(FOLDER, file), 'utf8');
        for (const [line, expected] of await played(text, feed)) assert.equal(line, expected);
      });
    }
  });
}

/** Where it matters that middleware takes its time. */
const IN_TIME = ['queued.txt', 'batches.txt'];

describe('played with middleware that passes everything on', () => {
  for (const file of FILES.filter((name) => !IN_TIME.includes(name))) {
    test(file, async () => {
      const text = `@ around pass\n${readFileSync(join(FOLDER, file), 'utf8')}`;
      for (const [line, expected] of await played(text, whole)) {
        if (line !== expected && LIKE_CALLS.some((excuse) => line?.includes(excuse))) return;
        assert.equal(line, expected);
      }
    });
  }
});

test('what a driver does not know is an error', async () => {
  await assert.rejects(play('@ colour red\n', whole), /unknown option colour/);
  await assert.rejects(play('! dance\n', whole), /unknown action dance/);
  await assert.rejects(play('? what\n', whole), /unknown mark \?/);
});
