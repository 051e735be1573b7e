// Talk to the example `everything` over pipes and HTTP with the official TypeScript clients.

import { Conversation, SECONDS, SPOKEN } from './conversation.mjs';
import { behaviours, UNSPOKEN } from './behaviours.mjs';

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

async function main(binary) {
  let passed = 0;
  let failed = 0;
  for (const [library, revision, way] of SPOKEN) {
    const client = `${library.name}, ${revision} over ${way}`;
    const spoken = [];
    for (const [name, behaviour] of behaviours(revision, way)) {
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
  for (const [where, what, why] of UNSPOKEN) console.log(`not spoken: ${where}, ${what}: ${why}`);
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
