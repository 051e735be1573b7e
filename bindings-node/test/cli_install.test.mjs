// `mcplite install`: the configuration of clients, printed and written.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, it, test } from 'node:test';

import { DEMO, PACKAGE, PATIENCE, mcplite, part, project } from './support/cli.mjs';

const { CLIENTS } = part('clients');
const { mergedJson, mergedToml, tomlSnippet } = part('settings');
const { readToml } = part('toml');

const SCRIPT = path.join(PACKAGE, 'bin', 'mcplite.js');
const client = (name) => CLIENTS.find((one) => one.name === name);

/** A project with a home beside it, and a function that installs from there. */
function begin(text = DEMO) {
  const home = project({ 'project/server.mjs': text });
  const folder = path.join(home, 'project');
  const env = { HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: '' };
  const install = (...args) => mcplite(['install', ...args], { cwd: folder, env });
  return { home, folder, install, args: [SCRIPT, 'run', path.join(folder, 'server.mjs')] };
}

describe('mcplite install', { concurrency: 2, timeout: 3 * PATIENCE }, () => {
  const places = [
    ['claude-code', 'mcpServers', true, 'project/.mcp.json'],
    ['claude-desktop', 'mcpServers', false, 'claude_desktop_config.json'],
    ['cursor', 'mcpServers', false, 'project/.cursor/mcp.json'],
    ['vscode', 'servers', true, 'project/.vscode/mcp.json'],
  ];
  for (const [name, member, hasType, place] of places) {
    it(`prints the snippet for ${name}, and tells its place`, async () => {
      const { folder, install, args } = begin();
      const told = await install('server.mjs', '--client', name, '--env', 'KEY=a=b');
      assert.equal(told.code, 0, told.stderr);
      const entry = { ...(hasType && { type: 'stdio' }), command: process.execPath, args, env: { KEY: 'a=b' } };
      assert.equal(told.stdout, `${JSON.stringify({ [member]: { demo: entry } }, null, 2)}\n`);
      assert.ok(told.stderr.includes(place), told.stderr);
      assert.deepEqual(fs.readdirSync(folder), ['server.mjs']);
    });
  }

  it('prints a table for codex, and a package with its folder', async () => {
    const { home, folder, install } = begin();
    const told = await install('server.mjs:server', '--client', 'codex', '--name', 'my.tools');
    const where = path.join(folder, 'server.mjs:server');
    assert.equal(told.stdout, `[mcp_servers.my-tools]\ncommand = "${process.execPath}"\nargs = ["${SCRIPT}", "run", "${where}"]\n`);
    assert.ok(told.stderr.includes(path.join(home, '.codex', 'config.toml')), told.stderr);
    const other = await install('some-package', '--client', 'cursor', '--name', 'n');
    assert.deepEqual(JSON.parse(other.stdout).mcpServers.n.args, [SCRIPT, 'run', 'some-package', '--directory', folder]);
  });

  it('prints what starts the server', async () => {
    const { install } = begin();
    const { command, args } = JSON.parse((await install('server.mjs', '--client', 'cursor')).stdout).mcpServers.demo;
    const told = spawnSync(command, args, { input: '{"jsonrpc":"2.0","id":1,"method":"ping"}\n', encoding: 'utf8', cwd: '/', timeout: PATIENCE });
    assert.deepEqual(JSON.parse(told.stdout), { jsonrpc: '2.0', id: 1, result: {} });
  });

  it('prints npx where the command is only in its cache', async () => {
    const { home, folder } = begin();
    const copy = path.join(home, '_npx', 'node_modules', 'mcplite');
    fs.cpSync(PACKAGE, copy, { recursive: true });
    const args = [path.join(copy, 'bin', 'mcplite.js'), 'install', 'server.mjs', '--client', 'cursor', '--name', 'n'];
    const told = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', timeout: PATIENCE });
    const expected = { command: 'npx', args: ['-y', 'mcplite', 'run', path.join(folder, 'server.mjs')] };
    assert.deepEqual(JSON.parse(told.stdout).mcpServers.n, expected);
  });

  it('makes the file and its folders', async () => {
    const { home, install, args } = begin();
    const told = await install('server.mjs', '--client', 'cursor', '--scope', 'user', '--write');
    assert.deepEqual([told.code, told.stdout], [0, '']);
    const file = path.join(home, '.cursor', 'mcp.json');
    assert.deepEqual(JSON.parse(fs.readFileSync(file)).mcpServers.demo.args, args);
    assert.deepEqual(fs.readdirSync(path.dirname(file)), ['mcp.json']);
  });

  it('keeps everything else, a link and a backup', async () => {
    const { folder, install, args } = begin();
    const real = path.join(folder, 'dotfiles.json');
    const before = '{\n    "other": [1.50, "é", 12345678901234567890],\n    "mcpServers": {"x": {"command": "y"}}\n}\n';
    fs.writeFileSync(real, before, { mode: 0o640 });
    fs.symlinkSync(real, path.join(folder, '.mcp.json'));
    assert.equal((await install('server.mjs', '--client', 'claude-code', '--write')).code, 0);
    const text = fs.readFileSync(real, 'utf8');
    assert.ok(text.startsWith('{\n    "other": [\n        1.50,\n        "é",\n        12345678901234567890\n    ],\n'), text);
    const { mcpServers } = JSON.parse(text);
    assert.deepEqual(mcpServers.x, { command: 'y' });
    assert.deepEqual(mcpServers.demo.args, args);
    assert.equal(fs.readFileSync(`${real}.bak`, 'utf8'), before);
    assert.equal(fs.statSync(real).mode & 0o777, 0o640);
    assert.ok(fs.lstatSync(path.join(folder, '.mcp.json')).isSymbolicLink());
    assert.match((await install('server.mjs', '--client', 'claude-code', '--write')).stderr, /already/);
    assert.equal(fs.readFileSync(`${real}.bak`, 'utf8'), before);
  });

  it('leaves a file as it is that cannot be kept whole', async () => {
    const { folder, install } = begin();
    const file = path.join(folder, '.mcp.json');
    fs.writeFileSync(file, '{ // comment\n}');
    const told = await install('server.mjs', '--client', 'claude-code', '--write');
    assert.equal(told.code, 1);
    assert.match(told.stderr, /\.mcp\.json was left as it is: it is no valid JSON/);
    assert.equal(fs.readFileSync(file, 'utf8'), '{ // comment\n}');
    assert.deepEqual(fs.readdirSync(folder), ['.mcp.json', 'server.mjs']);
  });

  const wrong = [
    ['server.mjs', '--client', 'cursor', '--env', 'NOVALUE'],
    ['server.mjs', '--client', 'claude-code', '--scope', 'user'],
    ['server.mjs', '--client', 'cursor', '--node', '/nowhere/node'],
  ];
  for (const args of wrong) {
    it(`is used wrongly by ${args.slice(2).join(' ')}`, async () => {
      const told = await begin().install(...args);
      assert.deepEqual([told.code, told.stdout], [2, '']);
    });
  }

  it('loads the file for its name only, with its environment', async () => {
    const { install } = begin(`if (!process.env.NEEDED) throw new Error('no key');\n${DEMO}`);
    const told = await install('server.mjs', '--client', 'cursor');
    assert.equal(told.code, 3);
    assert.match(told.stderr, /to install it all the same, give it a --name/);
    const names = async (...args) => Object.keys(JSON.parse((await install('server.mjs', '--client', 'cursor', ...args)).stdout).mcpServers);
    assert.deepEqual(await names('--env', 'NEEDED=1'), ['demo']);
    assert.deepEqual(await names('--name', 'n'), ['n']);
    assert.deepEqual(await names('--node', process.execPath), ['server']);
  });
});

test('what is no object, or has members twice, is left as it is', () => {
  for (const [text, why] of [
    ['{"a": 1, "a": 2}', /twice/],
    ['[]', /it is no JSON object/],
    ['{"mcpServers": []}', /mcpServers is no JSON object/],
    ['{"a": NaN}', /no valid JSON/],
  ]) assert.throws(() => mergedJson(text, 'mcpServers', 'n', { command: 'c' }, 'f'), { message: why, hint: /paste/ });
});

test('an entry of the same name keeps what we do not set, and a remote one is replaced whole', () => {
  const merged = (old, entry) => JSON.parse(mergedJson(JSON.stringify({ m: { n: old } }), 'm', 'n', entry, 'f')).m.n;
  const old = { command: 'old', disabled: true, env: { A: '1', B: '2' } };
  assert.deepEqual(merged(old, { command: 'new', args: ['x'], env: { B: '3' } }), {
    command: 'new', disabled: true, env: { A: '1', B: '3' }, args: ['x'],
  });
  assert.deepEqual(merged({ url: 'http://x', headers: {} }, { command: 'c' }), { command: 'c' });
});

const CODEX = `\
# my settings
model = "gpt"  # keep this

[mcp_servers.other]
command = "other"
args = [
  "[mcp_servers.demo]",
]

[mcp_servers.demo]
command = "old"
startup_timeout_sec = 20
since = 2026-01-01

[mcp_servers.demo.env]
A = "1"

[profiles.x]
model = "y"
`;

test('a table of codex is replaced in its place, or appended', () => {
  const entry = { command: 'new', args: ['a\\b', 'ü'], env: { B: '2' } };
  const merged = mergedToml(CODEX, 'mcp_servers', 'demo', entry, 'f');
  const place = CODEX.indexOf('[mcp_servers.demo]\n');
  assert.equal(merged, `${CODEX.slice(0, place)}[mcp_servers.demo]
command = "new"
startup_timeout_sec = 20
since = 2026-01-01
args = ["a\\\\b", "ü"]

[mcp_servers.demo.env]
A = "1"
B = "2"

[profiles.x]
model = "y"
`);
  assert.equal(mergedToml(merged, 'mcp_servers', 'demo', entry, 'f'), merged);
  const table = '[mcp_servers.demo]\ncommand = "c"\nargs = []\n';
  for (const [before, gap] of [['', ''], ['a = 1', '\n\n'], ['a = 1\n', '\n'], ['[t]\nx = 1\n', '\n']]) {
    assert.equal(mergedToml(before, 'mcp_servers', 'demo', { command: 'c', args: [] }, 'f'), before + gap + table);
  }
});

test('what cannot be edited line by line is refused', () => {
  for (const text of [
    'mcp_servers = { demo = { command = "x" } }\n',
    'mcp_servers.demo.command = "x"\n',
    '[mcp_servers]\ndemo = { command = "x" }\n',
    'mcp_servers = 1\n',
    'not toml',
    'a = """\n[mcp_servers.demo]\n"""\n',
    'a = 1\na = 2\n',
    '[a]\n[a]\n',
    'a = { b = 1 }\n[a.c]\n',
  ]) assert.throws(() => mergedToml(text, 'mcp_servers', 'demo', { command: 'c' }, 'f'), { message: /^f was left as it is/ }, text);
});

test('any name and value can be written as TOML, and read again', () => {
  for (const name of ['plain', 'with space', 'dot.ted', 'quo"te', 'ünï', 'a-b_c']) {
    const entry = { command: 'c\x7f\n"\'', args: ['\\', '\t'], env: { [name]: '1' }, b: true };
    const written = readToml(tomlSnippet('m', name, entry)).get('m').get(name);
    assert.deepEqual([written.get('command'), written.get('args'), written.get('env').get(name)], [entry.command, entry.args, '1']);
  }
  const text = 'a.b = [1, 2.5, { c = \'x\' }]\n[[t]]\nx = """\n1"2 \\\n  3"""\n[[t]]\n[t.u]\ny = 07:32:00\n';
  const found = readToml(text);
  assert.equal(found.get('a').get('b')[2].get('c'), 'x');
  assert.equal(found.get('t')[0].get('x'), '1"2 3');
  assert.equal(found.get('t')[1].get('u').get('y').text, '07:32:00');
});

test('the folders of each system are its own', (t) => {
  const { platform } = process;
  const { HOME, XDG_CONFIG_HOME, APPDATA, CODEX_HOME } = process.env;
  t.after(() => {
    Object.defineProperty(process, 'platform', { value: platform });
    for (const [name, value] of Object.entries({ HOME, XDG_CONFIG_HOME, APPDATA, CODEX_HOME })) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  Object.assign(process.env, { HOME: '/home/me', XDG_CONFIG_HOME: '', APPDATA: '/roaming', CODEX_HOME: '/codex' });
  const folders = { linux: '/home/me/.config', darwin: '/home/me/Library/Application Support', win32: '/roaming' };
  for (const [value, folder] of Object.entries(folders)) {
    Object.defineProperty(process, 'platform', { value });
    assert.equal(client('claude-desktop').file(null, '/p'), `${folder}/Claude/claude_desktop_config.json`);
    assert.equal(client('vscode').file('user', '/p'), `${folder}/Code/User/mcp.json`);
  }
  assert.equal(client('codex').file(null, '/p'), '/codex/config.toml');
  assert.equal(client('codex').file('project', '/p'), '/p/.codex/config.toml');
  assert.equal(client('cursor').file('user', '/p'), '/home/me/.cursor/mcp.json');
  assert.throws(() => client('claude-desktop').file('project', '/p'), { code: 2, hint: 'use --scope user' });
});
