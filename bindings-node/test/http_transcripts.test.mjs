// Plays the HTTP transcripts that every language plays, over sockets: by `node:http` and by web requests.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { PATIENCE } from './support/client.mjs';
import { obstacle, play } from './support/transcripts/http_player.mjs';
import { WAYS } from './support/web.mjs';

const FOLDER = path.join(process.env.MCPLITE_REPOSITORY, 'tests', 'http', 'transcripts');
const FILES = readdirSync(FOLDER).filter((file) => file.endsWith('.txt'));

/** What web requests cannot say, or what is the affair of whoever makes them of HTTP. */
const JOINED = 'headers that stand twice are one in web requests';
const UNPLAYABLE = {
  fetch: {
    'gate.txt': 'web requests have no URL without a proper host',
    'legacy-resumption.txt': JOINED,
    'legacy-session.txt': JOINED,
    'legacy-version.txt': JOINED,
    'limits.txt': 'the connection stays open after a body that was refused',
    'modern-method.txt': JOINED,
    'modern-name.txt': JOINED,
    'modern-params.txt': JOINED,
    'modern-version.txt': JOINED,
  },
};

test('the transcripts are there', () => assert.ok(FILES.length > 40));

for (const way of Object.keys(WAYS)) {
  describe(`played by ${way}`, { timeout: PATIENCE * 6 }, () => {
    for (const file of FILES) {
      const text = readFileSync(path.join(FOLDER, file), 'utf8');
      test(file, { skip: obstacle(text) ?? UNPLAYABLE[way]?.[file] }, () => play(text, way));
    }
  });
}
