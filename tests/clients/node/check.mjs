// Talk to the example `everything` over pipes and HTTP with the official TypeScript clients.

import * as exchanges from './exchanges.mjs';
import * as offers from './offers.mjs';
import * as sessions from './sessions.mjs';
import { Conversation, MODERN, SECONDS, SPOKEN } from './conversation.mjs';

// What is not spoken, and why: by revision and behaviour.
const UNSPOKEN = [
  [MODERN, 'ping', 'the revision has no ping'],
  [MODERN, 'subscribing by request', 'the revision has listen streams in its place'],
  [MODERN, 'setting the log level', 'the revision has a level in each request'],
  [MODERN, 'cut connection', 'a request ends with its connection'],
  ['2025-03-26', 'elicitation', 'the revision has none'],
  ['2024-11-05', 'elicitation', 'the revision has none'],
];
// The same by way.
const UNSPOKEN_OVER = [
  ['http', 'closing', 'the server outlives its clients'],
  ['sse', 'closing', 'the server outlives its clients'],
  ['sse', 'cut connection', 'a session ends with its connection'],
  ['sse', 'session', 'a session is its stream, and nothing names it to the client'],
];
// The same for one client.
const UNSPOKEN_BY = [
  ['@modelcontextprotocol/sdk', '2026-07-28', 'the client does not know the revision'],
  ['@modelcontextprotocol/sdk', '2025-06-18 and before', 'the client opens with 2025-11-25 only'],
  ['both clients', 'progress that is read together with its answer',
    'they drop it; each message is handed to them in a turn of its own'],
];

/** Runs a behaviour within its time, and ends its servers; says why it failed, or nothing. */
async function failure(behaviour, conversation) {
  let timer;
  const bound = new Promise((_, reject) => {
    const late = () => reject(new Error(`not over after ${SECONDS} seconds`));
    timer = setTimeout(late, SECONDS * 1000);
  });
  try {
    await Promise.race([behaviour(conversation), bound]);
    await conversation.close();
    return null;
  } catch (error) {
    // What failed first is what matters, not how it leaves things behind.
    await conversation.close().catch(() => {});
    return `${error.name}: ${error.message}`;
  } finally {
    clearTimeout(timer);
  }
}

function isSpoken(revision, way, name) {
  return !UNSPOKEN.some(([where, what]) => where === revision && what === name)
    && !UNSPOKEN_OVER.some(([where, what]) => where === way && what === name);
}

function behaviours(way) {
  const overHttp = way === 'stdio' ? {} : sessions;
  return Object.values({ ...offers, ...exchanges, ...overHttp });
}

async function main(binary) {
  let passed = 0;
  let failed = 0;
  for (const [library, revision, way] of SPOKEN) {
    const client = `${library.name}, ${revision} over ${way}`;
    const spoken = [];
    for (const behaviour of behaviours(way)) {
      const name = behaviour.name.replaceAll('_', ' ');
      if (!isSpoken(revision, way, name)) continue;
      const why = await failure(behaviour, new Conversation(library, revision, way, binary));
      if (why === null) {
        passed += 1;
        spoken.push(name);
      } else {
        failed += 1;
        console.log(`FAILED ${client}, ${name}: ${why}`);
      }
    }
    console.log(`${client}: ${spoken.join(', ')}`);
  }
  for (const row of [...UNSPOKEN, ...UNSPOKEN_OVER, ...UNSPOKEN_BY]) {
    console.log(`not spoken: ${row[0]}, ${row[1]}: ${row[2]}`);
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed || !passed ? 1 : 0;
}

const [binary, ...rest] = process.argv.slice(2);
if (!binary || rest.length) {
  console.error('usage: node check.mjs PATH-OF-EVERYTHING');
  process.exitCode = 2;
} else {
  process.exitCode = await main(binary);
}
