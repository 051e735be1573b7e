'use strict';

// The syntax of files, as Node sees it.

const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');

const SCRIPT = /\.[cm]?js$/;
const IMPORT = /(?:\bfrom|\bimport)\s*(["'])(\.{1,2}\/[^"'\n]+)\1/g;

/** What is wrong with the syntax of a file: the place, as Node shows it, and the error; null if nothing is. */
function mistake(file) {
  if (!SCRIPT.test(file)) return null;
  const { status, stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' });
  const found = /^(\S*?):(\d+)\n[^]*?^(\w*Error): (.*)$/m.exec(stderr ?? '');
  if (status === 0 || found === null) return null;
  const [detail, , line, name, message] = found;
  return { file, detail, name, message: `${message} (${path.basename(file)}, line ${line})` };
}

/** Finds the mistake in a file or in those of the project that it imports: Node does not tell for modules. */
function firstMistake(file, seen = new Set()) {
  if (seen.has(file) || !fs.existsSync(file)) return null;
  seen.add(file);
  const found = mistake(file);
  if (found !== null) return found;
  for (const [, , specifier] of fs.readFileSync(file, 'utf8').matchAll(IMPORT)) {
    const deeper = firstMistake(path.resolve(path.dirname(file), specifier), seen);
    if (deeper !== null) return deeper;
  }
  return null;
}

module.exports = { firstMistake, mistake };
