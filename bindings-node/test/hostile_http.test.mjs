// Hostile HTTP requests, against `node:http`; `tests/adversarial/http_cases.md` has the rules.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';

const RUNNER = path.join(process.env.MCPLITE_REPOSITORY, 'tests', 'adversarial', 'http_run.py');
/** Players mostly wait whether something more is said. */
const PLAYERS = '6';
const TIMEOUT = 300_000;

const PIPELINED = 'Node drops the answer to a request behind which there is none';
const LENIENT = 'Node takes it for a request';
const EARLY = 'its headers are refused before its body is looked at';
/** What never reaches the package, or in another way than from a listener of the engine's own, and why. */
const OF_NODE = {
  'http.method-CONNECT': 'Node hangs up',
  'http.raw-te-unknown': EARLY,
  'http.raw-chunk-huge-size': EARLY,
  'more.expect-refused': 'Node says that it continues, whatever the headers are',
  'more.smuggle-te-list': LENIENT,
  'more.line-two-spaces': LENIENT,
  'more.line-no-version': LENIENT,
  'more.line-version-2': LENIENT,
  'more.http10-chunked': LENIENT,
  'more.smuggle-cl-0-body': PIPELINED,
  'more.cl-too-short': PIPELINED,
  'more.no-framing': PIPELINED,
  'more.pipeline-garbage': PIPELINED,
  'more.chunk-zero-then-more': 'Node answers half a request as well',
};

function play() {
  const args = ['-B', RUNNER, '--server', path.resolve('servers', 'hostile_http.mjs'), '--players', PLAYERS];
  return new Promise((resolve) => {
    execFile('python3', args, { timeout: TIMEOUT, maxBuffer: 1 << 26 }, (_, stdout, stderr) => resolve(stdout + stderr));
  });
}

test('every request gets the answer that it must get, unless Node gives another', { timeout: TIMEOUT }, async () => {
  const said = await play();
  const [, passed] = /^hostile: (\d+) passed/m.exec(said) ?? assert.fail(said);
  assert.ok(Number(passed) > 500, 'the corpus is there');
  const failed = [...said.matchAll(/^FAILED (?:to end)?(\S*?)(?: modern-only)?: .*/gm)];
  const unexpected = failed.filter(([, name]) => !Object.hasOwn(OF_NODE, name)).map(([line]) => line);
  assert.deepEqual(unexpected, []);
});
