// The programs that the documents show, run as they stand there.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';

const repository = process.env.MCPLITE_REPOSITORY;
const folder = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, 'readme-programs');
mkdirSync(folder, { recursive: true });
after(() => rmSync(folder, { recursive: true }));

/** The blocks of JavaScript in a document. */
function programs(document) {
  const text = readFileSync(join(repository, document), 'utf8');
  return [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, program]) => program);
}

/** Runs a program whose client is gone at once; gives its exit code and what it said. */
async function run(program, name) {
  // A port that is free, and an end to what would wait for clients.
  const changed = program.replace('.listen(8000,', '.listen(0,') + (program.includes('.listen(') ? '\nsetTimeout(() => process.exit(), 100);\n' : '');
  const file = join(folder, name);
  writeFileSync(file, changed);
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'ignore', 'pipe'], timeout: 30_000 });
  child.stdin.end();
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, said };
}

for (const document of ['README.md', 'bindings-node/README.md', 'docs/node.md', 'docs/node-compat.md']) {
  const found = programs(document);

  test(`${document} shows programs`, () => assert.ok(found.length > 0));

  found.forEach((program, at) => {
    test(`program ${at + 1} of ${document}`, async () => {
      const { code, said } = await run(program, `${document.replaceAll('/', '_')}-${at + 1}.mjs`);
      assert.equal(code, 0, said);
      assert.equal(said, '');
    });
  });
}

test('the README shows the example', () => {
  assert.ok(programs('README.md').includes(readFileSync(join(repository, 'examples/node/hello.mjs'), 'utf8')));
});
