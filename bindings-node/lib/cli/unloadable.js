'use strict';

// Files that cannot be loaded.

const fs = require('node:fs');
const path = require('node:path');
const { fileURLToPath } = require('node:url');
const { inspect } = require('node:util');

const { EXIT_UNLOADABLE, Failure } = require('./terminal.js');

const OURS = path.resolve(__dirname, '..', '..');

/** Says why a file cannot be loaded, with the lines of the user's own files. */
function unloadable(target, error) {
  if (error?.code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.[cm]?tsx?\b/.test(error.message)) {
    return new Failure(`cannot load ${target.label}: Node ${process.version} does not read TypeScript`, {
      hint: 'use Node 22.18 or newer, or compile it to JavaScript',
      code: EXIT_UNLOADABLE,
    });
  }
  if (!target.isFile && isMissing(error) && error.message.includes(`'${target.place.match(/^(@[^/]+\/)?[^/]+/)[0]}'`)) {
    return new Failure(`there is no module ${target.place}`, {
      hint: `looked in ${target.folder} and in what is installed there`,
      code: EXIT_UNLOADABLE,
    });
  }
  const stack = error instanceof Error ? String(error.stack) : '';
  let last = error instanceof Error ? `${error.name}: ${error.message}` : inspect(error);
  let detail = trimmed(stack);
  const files = filesOf(stack);
  if (error instanceof SyntaxError && !/^(file:)?\//.test(stack)) {
    const found = target.isFile ? require('./syntax.js').firstMistake(target.place) : null;
    detail = found?.detail ?? detail;
    if (found !== null) files.push(found.file);
  }
  const line = error instanceof SyntaxError ? /^\S+:(\d+)\n/.exec(detail) : null;
  if (line !== null) last += ` (line ${line[1]})`;
  const hint = hintFor(target, error);
  return new Failure(`cannot load ${target.label}: ${last}`, { hint, detail, code: EXIT_UNLOADABLE, files });
}

function hintFor(target, error) {
  if (isMissing(error)) {
    const [, name, importer] = /Cannot find (?:package|module) '([^']+)'(?: imported from (.+))?/.exec(error.message) ?? [];
    const where = importer ?? error.requireStack?.[0] ?? target.place;
    if (name !== undefined && !/^[./]/.test(name)) return `${name} is not installed for ${where}`;
  }
  if (error instanceof SyntaxError && /import statement outside a module|Unexpected token 'export'/.test(error.message)) {
    return `name it ${target.stem}.mjs, or write "type": "module" into package.json`;
  }
  return null;
}

function isMissing(error) {
  return ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(error?.code);
}

/** Without our own lines and those of Node. */
function trimmed(stack) {
  const isOurs = (line) => /^ {4}at /.test(line) && (line.includes('node:internal') || line.includes(OURS + path.sep));
  return stack.split('\n').filter((line) => !isOurs(line)).join('\n');
}

function filesOf(stack) {
  const places = [...stack.matchAll(/(?:^|\(|at (?:async )?)((?:file:\/\/)?\/[^:()\n]+):\d+/gm)].map(([, place]) => place);
  const files = places.map((place) => (place.startsWith('file:') ? fileURLToPath(place) : place));
  return [...new Set(files)].filter((file) => fs.existsSync(file));
}

module.exports = { unloadable };
