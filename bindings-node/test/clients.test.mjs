// The official TypeScript clients, over HTTP.

import { describe, test } from 'node:test';
import { official } from './support/official.mjs';

const { behaviours, Conversation, MODERN, SPOKEN } = await official('http');
const TIMEOUT = 30_000;

/** By web requests the newer client is enough, and of the revisions those that differ most: the engine is the same. */
const talks = SPOKEN.filter(([, revision, way]) => way !== 'stdio' && revision !== '2025-06-18').flatMap(([library, revision, way]) => {
  const isNewer = library === SPOKEN[0][0];
  const overFetch = isNewer && way === 'http' && [MODERN, '2025-11-25'].includes(revision);
  return (overFetch ? ['http', 'fetch'] : ['http']).map((served) => ({ library, revision, way, served }));
});

for (const { library, revision, way, served } of talks) {
  describe(`${library.name}, ${revision} over ${way}, served by ${served}`, { concurrency: 4 }, () => {
    for (const [name, behaviour] of behaviours(revision, way)) {
      test(name, { timeout: TIMEOUT }, async (t) => {
        const talk = new Conversation(library, revision, way, served);
        t.after(() => talk.close());
        await behaviour(talk);
      });
    }
  });
}
