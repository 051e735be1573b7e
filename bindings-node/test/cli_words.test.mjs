// The command says the same as the one of the Python package, whose sources are read for that.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { PACKAGE, PATIENCE, mcplite, project } from './support/cli.mjs';

const COMMANDS = {
  run: ['run', 'options'],
  inspect: ['inspection', 'connection'],
  call: ['call', 'connection'],
  dev: ['dev', 'options'],
  install: ['install'],
};

/** What Python has other words for, because it is about Python. */
const TRANSLATED = [
  [/\b(server|file)\.py\b/g, '$1.js'],
  ['package.module', 'package'],
  ['--python .venv/bin/python', '--node /usr/local/bin/node'],
  ['see --python', 'see --node'],
  ['prompts.toml', 'prompts.json'],
  ['looked in {} and in what {} has installed', 'looked in {} and in what is installed there'],
  [': decorate a function with @server.tool.', ': give it a function with server.registerTool.'],
  ['write `server = {}(…)` at the top level', 'write `export const server = new McpServer(…)` at the top level'],
  ['while it was loaded{}', 'while it was loaded'],
  ['`if __name__ == "__main__":`', '`if (process.argv[1] === import.meta.filename)`'],
];

/** What only Python says: of threads, of packages in packages, of what TOML it cannot write. */
const PYTHONS_OWN = [
  'how many threads run its tools',
  'run tools one at a time, without worker threads',
  '--inline means no workers',
  'give one of the two',
  '--workers cannot be negative',
  'relative import',
  '{} is part of a package: name it as package.{}',
  'a {} is set there, which we cannot write',
  '{} is not JSON',
  '<frozen importlib',
];
const PYTHONS_OPTIONS = ['--workers', '--inline', '--python'];
const OWN_OPTIONS = ['--node'];

const python = path.join(repository(), 'bindings-python', 'python', 'mcplite', 'cli');
const ours = sources(path.join(PACKAGE, 'lib', 'cli'));

/** The repository, which need not be where the tests run. */
function repository() {
  const places = [process.env.MCPLITE_REPOSITORY, path.dirname(fileURLToPath(import.meta.url)), process.cwd()];
  for (const place of places.filter(Boolean)) {
    for (let folder = place; folder !== path.dirname(folder); folder = path.dirname(folder)) {
      if (fs.existsSync(path.join(folder, 'bindings-python', 'python'))) return folder;
    }
  }
  throw new Error('the repository is not above the tests: set MCPLITE_REPOSITORY to its folder');
}

function sources(folder) {
  const names = fs.readdirSync(folder).filter((name) => name.endsWith('.js'));
  const texts = names.map((name) => fs.readFileSync(path.join(folder, name), 'utf8'));
  return squeezed(texts.join('\n').replace(/\\([`'"])/g, '$1').replace(/\\\n/g, ''));
}

function squeezed(text) {
  return text.replace(/\s+/g, ' ').trim();
}

/** The texts in a Python source, without its docstrings; `{}` stands for what is put into them. */
function literals(source) {
  const pattern = /#.*|([a-zA-Z]?)("""[^]*?"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')/g;
  const found = [];
  let end = -1;
  for (const { 0: whole, 1: prefix, 2: quoted, index } of source.matchAll(pattern)) {
    const isDocstring = quoted?.startsWith('"""') && /(^|\n)\s*$/.test(source.slice(0, index));
    if (quoted === undefined || isDocstring) continue;
    const body = quoted.startsWith('"""') ? quoted.slice(3, -3) : quoted.slice(1, -1);
    const plain = body.replace(/\\\n/g, '').replace(/\\n/g, '\n').replace(/\\(["'\\])/g, '$1');
    const text = prefix === 'f' ? plain.replace(/\{[^{}]*\}/g, '{}') : plain;
    if (end >= 0 && /^\s*$/.test(source.slice(end, index))) found[found.length - 1] += text;
    else found.push(text);
    end = index + whole.length;
  }
  return found;
}

function translated(text) {
  return TRANSLATED.reduce((words, [from, to]) => words.replaceAll(from, to), squeezed(text));
}

/** Whether our sources have these words, with anything put into them. */
function isSaid(words) {
  const escaped = words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('\\{\\}', '\\$\\{[^]{1,120}?\\}');
  return new RegExp(escaped).test(ours);
}

test('every sentence of the Python command is one of this command', () => {
  const files = fs.readdirSync(python).filter((name) => name.endsWith('.py') && name !== '__main__.py');
  const sentences = files.flatMap((name) => literals(fs.readFileSync(path.join(python, name), 'utf8')))
    .map(translated)
    .filter((words) => /[a-z]{2,}\S* \S*[a-z]{2,}/i.test(words.replaceAll('{}', '')));
  assert.ok(sentences.length > 120, `only ${sentences.length} were found`);
  const own = new Set(PYTHONS_OWN);
  const missing = sentences.filter((words) => !own.delete(words) && !PYTHONS_OWN.includes(words) && !isSaid(words));
  assert.deepEqual(missing, []);
  assert.deepEqual([...own], [], 'these are not said by the Python command any more');
});

test('the help of every command has the same options, in the same words', { timeout: 3 * PATIENCE }, async () => {
  const cwd = project({});
  const env = { COLUMNS: '100' };
  const whole = literals(read('__init__')).find((text) => text.startsWith('usage:'));
  assert.equal(squeezed((await mcplite(['--help'], { cwd })).stdout), translated(whole));
  for (const [command, modules] of Object.entries(COMMANDS)) {
    const { stdout, code } = await mcplite([command, '--help'], { cwd, env });
    assert.equal(code, 0);
    assert.ok(stdout.startsWith(`usage: mcplite ${command} [-h] `), stdout);
    const added = modules.flatMap((name) => [...read(name).matchAll(/\.add_argument\(\s*"([^"]+)"([^]*?)\n?\s*\)\n/g)]);
    const options = added.filter(([, name, rest]) => name.startsWith('--') && !rest.includes('SUPPRESS')).map(([, name]) => name);
    const shown = [...stdout.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, name]) => name);
    const ownOptions = shown.filter((name) => OWN_OPTIONS.includes(name));
    const expected = options.filter((name) => !PYTHONS_OPTIONS.includes(name));
    assert.deepEqual(new Set(shown), new Set([...expected, ...ownOptions]), command);
    const [description, examples] = ['_DESCRIPTION', '_EXAMPLES'].map((name) => {
      const [, value] = read(modules[0]).split(`\n${name} = `);
      return literals(`x = ${value}`)[0];
    });
    for (const text of [description, examples]) assert.ok(squeezed(stdout).includes(translated(text)), `${command}: ${text}`);
    for (const line of stdout.split('\n')) assert.ok(line.length <= 100, line);
  }
  assert.equal((await mcplite(['help', 'run'], { cwd, env })).stdout, (await mcplite(['run', '--help'], { cwd, env })).stdout);
});

function read(name) {
  return fs.readFileSync(path.join(python, `${name}.py`), 'utf8');
}
