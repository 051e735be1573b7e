// The official TypeScript clients, over standard input and output.

import path from 'node:path';
import { describe, test } from 'node:test';
import { official } from './support/official.mjs';

const { behaviours, Conversation, MODERN, SPOKEN } = await official('stdio');
const SERVER = path.resolve('servers', 'serve_everything.mjs');
const TIMEOUT = 30_000;

for (const [library, revision, way] of SPOKEN) {
  // The oldest one stands for those in between, which HTTP covers.
  if (way !== 'stdio' || ![MODERN, '2025-11-25', '2024-11-05'].includes(revision)) continue;
  describe(`${library.name}, ${revision} over stdio`, { concurrency: 4 }, () => {
    for (const [name, behaviour] of behaviours(revision, way)) {
      test(name, { timeout: TIMEOUT }, async (t) => {
        const talk = new Conversation(library, revision, way, SERVER);
        t.after(() => talk.close());
        await behaviour(talk);
      });
    }
  });
}
