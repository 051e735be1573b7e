// Nothing of the package keeps a process that has nothing to do.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { PATIENCE } from './support/client.mjs';

const run = promisify(execFile);

for (const way of ['node', 'fetch']) {
  describe(`a process that served HTTP by ${way}`, { concurrency: 2 }, () => {
    for (const ending of ['shutdown', 'close', 'nothing']) {
      test(`ends with its web server, after ${ending}`, async () => {
        const { stdout, stderr } = await run(process.execPath, ['servers/exiting.mjs', way, ending], { timeout: PATIENCE });
        assert.deepEqual([stdout, stderr], ['done\n', '']);
      });
    }
  });
}
