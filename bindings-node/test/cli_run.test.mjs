// `mcplite run`: finding the server of a file, and serving it.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { describe, it } from 'node:test';

import { DEMO, PACKAGE, PATIENCE, Talk, mcplite, part, project } from './support/cli.mjs';

const OPTIONS = { concurrency: 2, timeout: 3 * PATIENCE };
const COMMONJS = DEMO.replace(/^import (.*) from (.*);/, 'const $1 = require($2);').replace('export const', 'const');

/** Serves a file over stdio, and gives the name of its server and its answer. */
async function served(cwd, ...args) {
  const talk = new Talk(['run', ...args], { cwd });
  const { serverInfo } = await talk.initialize();
  const text = await talk.call('add', { a: 40 });
  assert.equal(await talk.end(), 0);
  return [serverInfo.name, text, talk.errors];
}

describe('mcplite run', OPTIONS, () => {
  const started = (line) => DEMO.replace('export const', 'const') + line;
  const files = {
    'server.mjs': DEMO,
    'default.mjs': `${started('export default server;')}\nexport const other = new McpServer({ name: 'other' });\n`,
    'named.mjs': `${DEMO}\nexport const other = new McpServer({ name: 'other' });\n`,
    'whole.cjs': `${COMMONJS}\nmodule.exports = server;\n`,
    'members.cjs': `${COMMONJS}\nconst all = { server, x: 1 };\nmodule.exports = all;\n`,
    'make.mjs': `${started('export async function make() { return server; }')}\nexport const more = { make };\n`,
    'awaited.mjs': started("await server.stdio();\nthrow new Error('not reached');\n"),
    'started.cjs': `${COMMONJS}\nserver.stdio().then(() => { throw new Error('not reached'); });\n`,
    'later.mjs': `import { setTimeout } from 'node:timers/promises';\n${started(`
async function main() {
  await setTimeout(20);
  await server.stdio();
  throw new Error('not reached');
}
main();
`)}`,
    'connected.mjs': started('await server.connect({ start() {}, send() {} });\nthrow new Error("not reached");\n'),
    'both.mjs': `${DEMO}\nsetTimeout(() => server.stdio(), 20);\n`,
    'node_modules/modern/package.json': '{"name": "modern", "type": "module", "exports": {"import": "./index.js"}}',
    'node_modules/modern/index.js': DEMO,
    'node_modules/@some/old/package.json': '{"name": "@some/old", "main": "main.js"}',
    'node_modules/@some/old/main.js': `${COMMONJS}\nexports.server = server;\n`,
    'inner/tools.mjs': DEMO,
  };
  const targets = [
    ['server.mjs:server'], ['default.mjs'], ['named.mjs'], ['whole.cjs'], ['members.cjs'], ['make.mjs:more.make'], ['awaited.mjs'],
    ['started.cjs'], ['later.mjs'], ['connected.mjs'], ['both.mjs'], ['modern'], ['@some/old'], ['tools.mjs', '--directory', 'inner'],
  ];
  const cwd = project(files);
  for (const target of targets) {
    it(`serves ${target.join(' ')}`, async () => {
      assert.deepEqual(await served(cwd, ...target), ['demo', '42', '']);
    });
  }

  it('serves files that have a copy of the package of their own', async () => {
    const own = project({ 'awaited.mjs': files['awaited.mjs'], 'exported.mjs': DEMO });
    const copy = path.join(own, 'node_modules', 'mcplite');
    fs.rmSync(copy);
    fs.cpSync(PACKAGE, copy, { recursive: true });
    assert.deepEqual(await served(own, 'awaited.mjs'), ['demo', '42', '']);
    assert.equal((await mcplite(['call', 'exported.mjs', 'add', 'a=1'], { cwd: own })).stdout, '3\n');
  });

  it('lets nothing but messages out, and a file read nothing', async () => {
    const noisy = `import fs from 'node:fs';
import { execSync } from 'node:child_process';
console.log('from import', fs.readFileSync(0).length);
fs.writeSync(1, 'from descriptor\\n');
execSync('echo from child', { stdio: 'inherit' });
const { write } = process.stdout;
${DEMO}
server.registerTool('noisy', {}, () => {
  console.log('from tool');
  write.call(process.stdout, 'kept');
  return 'done';
});
`;
    const talk = new Talk(['run', 'noisy.mjs'], { cwd: project({ 'noisy.mjs': noisy }) });
    await talk.initialize();
    assert.equal(await talk.call('noisy'), 'done');
    assert.equal(await talk.end(), 0);
    for (const text of ['from import 0', 'from descriptor', 'from child', 'from tool', 'kept']) assert.match(talk.errors, new RegExp(text));
    assert.equal(talk.heard.length, 2);
  });

  it('ends with 130 by ctrl-c, over stdio', async () => {
    const talk = new Talk(['run', 'server.mjs'], { cwd });
    await talk.initialize();
    talk.process.kill('SIGINT');
    assert.equal(await talk.whenOver, 130);
    assert.equal(talk.errors, '');
  });

  it('serves over HTTP at the given address and path', async () => {
    const talk = new Talk(['run', '--http', '127.0.0.1:0', 'server.mjs', '--path', '/tools'], { cwd });
    const [, url] = await talk.until(() => /serving at (\S+) \(Ctrl-C ends it\)/.exec(talk.errors) ?? undefined, 'the address');
    assert.match(url, /\/tools$/);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    });
    assert.match(await response.text(), /"serverInfo":\{"name":"demo"/);
    talk.process.kill('SIGINT');
    assert.equal(await talk.whenOver, 130);
  });

  it('tells in one line that an address is in use', async () => {
    const taken = net.createServer();
    await new Promise((resolve) => {
      taken.listen(0, '127.0.0.1', resolve);
    });
    const { port } = taken.address();
    const told = await mcplite(['run', 'server.mjs', '--http', port], { cwd });
    taken.close();
    assert.equal(told.code, 1);
    const lines = told.stderr.trimEnd().split('\n');
    assert.match(lines[0], /^mcplite: cannot serve server.mjs: .*EADDRINUSE/);
    assert.equal(lines[1], `  is ${port} free, and yours to use?`);
    assert.equal(lines.length, 2);
  });

  it('loads no more than it needs', async () => {
    const text = `${DEMO}
import { createRequire } from 'node:module';
const { cache } = createRequire(import.meta.url);
process.on('exit', () => console.error(Object.keys(cache).join('\\n')));
`;
    const { stderr, code } = await mcplite(['run', 'lean.mjs'], { cwd: project({ 'lean.mjs': text }) });
    assert.equal(code, 0);
    for (const name of ['help', 'dev', 'call', 'install', 'watch', 'schema']) {
      assert.ok(!stderr.includes(path.join('cli', `${name}.js`)), name);
    }
  });
});

describe('a server that cannot be found', OPTIONS, () => {
  const two = "import { McpServer } from 'mcplite';\nexport const a = new McpServer({ name: 'a' });\nexport const b = new McpServer({ name: 'b' });\nexport const c = a;\n";
  const cases = [
    ['export const x = 1;', 'server.mjs', 'there is no server in server.mjs', 'new McpServer(…)'],
    [two, 'server.mjs', 'there are 2 servers in server.mjs: a, b', 'server.mjs:a or server.mjs:b'],
    [DEMO, 'server.mjs:other', "there is no 'other' in server.mjs", 'servers there: server'],
    [`${DEMO}export const x = 1;`, 'server.mjs:x', 'x in server.mjs is no server but a number', 'function'],
    ['export const make = () => 1;', 'server.mjs', 'there is no server in server.mjs', 'server.mjs:make'],
    ['export function make() { null.x; }', 'server.mjs:make', 'make() in server.mjs failed', 'TypeError'],
    ["import 'nowhere-at-all';", 'server.mjs', 'Cannot find package', 'nowhere-at-all is not installed for'],
    ['process.exit(0);', 'server.mjs', 'server.mjs ended the program while it was loaded', 'process.argv[1]'],
    ['await new Promise(() => {});', 'server.mjs', 'server.mjs ended the program while it was loaded', 'process.argv[1]'],
    ['', '@nope/module', 'there is no module @nope/module', 'looked in'],
  ];
  for (const [text, target, message, hint] of cases) {
    it(`is told with what to do: ${message}`, async () => {
      const told = await mcplite(['run', target], { cwd: project({ 'server.mjs': text }) });
      assert.equal(told.code, 3, told.stderr);
      assert.equal(told.stdout, '');
      assert.ok(told.stderr.includes(message), told.stderr);
      assert.ok(told.stderr.includes(hint), told.stderr);
      assert.ok(!told.stderr.includes(PACKAGE), told.stderr);
      assert.ok(!told.stderr.includes('node:internal'), told.stderr);
    });
  }

  it('is told before anything is loaded if there is nothing to load', () => {
    const { Target } = part('target');
    assert.throws(() => new Target('nope.mjs'), { message: 'there is no file nope.mjs', hint: `looked in ${process.cwd()}`, code: 3 });
    assert.throws(() => new Target('.'), { message: '. is a folder', hint: 'name the file with the server', code: 3 });
    assert.throws(() => new Target('ser ver'), { message: "'ser ver' is neither a file nor a module", code: 2 });
    const { label, stem, attribute, isFile } = new Target('@some/package:a.b');
    assert.deepEqual({ label, stem, attribute, isFile }, { label: '@some/package', stem: 'package', attribute: 'a.b', isFile: false });
  });

  it('is shown with the lines of the user only', async () => {
    const cwd = project({
      'helper.mjs': "export function fails() {\n  throw new RangeError('here');\n}\n",
      'server.mjs': "import { fails } from './helper.mjs';\n\nfails();\n",
    });
    const { code, stderr } = await mcplite(['run', 'server.mjs'], { cwd });
    assert.equal(code, 3);
    const lines = stderr.trimEnd().split('\n');
    assert.equal(lines[0], 'RangeError: here');
    assert.match(lines[1], /^ {4}at fails \(.*helper\.mjs:2:9\)$/);
    assert.match(lines[2], /server\.mjs:3:1/);
    assert.deepEqual(lines.slice(3), ['mcplite: cannot load server.mjs: RangeError: here']);
  });

  it('is shown with the place of a mistake, also in what it imports', async () => {
    const cwd = project({ 'helper.mjs': 'const x = 1;\ndef (:\n', 'server.mjs': "import './helper.mjs';\n" });
    const { code, stderr } = await mcplite(['run', 'server.mjs'], { cwd });
    assert.equal(code, 3);
    assert.ok(stderr.startsWith(`${path.join(cwd, 'helper.mjs')}:2\n`), stderr);
    assert.match(stderr.trimEnd().split('\n').at(-1), /^mcplite: cannot load server\.mjs: SyntaxError: .* \(line 2\)$/);
  });

  it('is shown at the line of the user if a definition is wrong', async () => {
    const cwd = project({ 'server.mjs': `${DEMO}\nserver.registerTool('bad', { inputSchema: { type: 'nonsense' } }, () => 1);\n` });
    const { code, stderr } = await mcplite(['run', 'server.mjs'], { cwd });
    assert.equal(code, 3);
    assert.match(stderr, /server\.mjs:\d+/);
    assert.match(stderr, /inputSchema/);
    assert.ok(!stderr.includes(PACKAGE), stderr);
  });

  it('gets advice about modules in files that are none', async () => {
    const { code, stderr } = await mcplite(['run', 'server.js'], { cwd: project({ 'server.js': DEMO }) });
    if (code !== 0) assert.match(stderr, /name it server\.mjs, or write "type": "module" into package\.json/);
  });

  it('is TypeScript only where Node reads it', async () => {
    const typed = DEMO.replace("import { McpServer } from 'mcplite';", "$&\nconst text: string = 'x';");
    const talk = new Talk(['run', 'server.ts'], { cwd: project({ 'server.ts': typed, 'package.json': '{"type": "module"}' }) });
    if (process.features.typescript) {
      assert.equal((await talk.initialize()).serverInfo.name, 'demo');
      await talk.end();
    } else {
      assert.equal(await talk.whenOver, 3);
      assert.match(talk.errors, /does not read TypeScript\n {2}use Node 22\.18 or newer/);
    }
  });
});

describe('the command line', OPTIONS, () => {
  const cwd = project();
  for (const args of [['run'], ['run', 'server.mjs', '--directory', 'nowhere'], ['fly'], []]) {
    it(`is used wrongly by "${args.join(' ')}"`, async () => {
      const told = await mcplite(args, { cwd });
      assert.equal(told.code, 2);
      assert.equal(told.stdout, '');
      assert.match(told.stderr, /--help|mcplite:/);
      assert.ok(!told.stderr.includes('    at '), told.stderr);
    });
  }

  it('says what is wrong with options', () => {
    const { Parser } = part('parser');
    const parameters = [
      { name: 'target', metavar: 'file' },
      { name: '--count', type: 'int' },
      { name: '--rate', type: 'float' },
      { name: '--flag', isFlag: true, group: 'one' },
      { name: '--other', isFlag: true, group: 'one' },
      { name: '--kind', choices: ['a', 'b'], isRequired: true },
    ];
    const parse = (...args) => new Parser('do', { description: '', epilog: '', parameters }).parse(args);
    const kind = ['--kind', 'a'];
    assert.deepEqual(parse('x', ...kind, '--count', '-1', '--rate=.5'), { target: 'x', count: -1, rate: 0.5, flag: false, other: false, kind: 'a' });
    assert.equal(parse(...kind, '--', '--x').target, '--x');
    const cases = [
      [[], 'the following arguments are required: --kind'],
      [kind, 'the following arguments are required: file'],
      [['x', 'y', ...kind], 'unrecognized arguments: y'],
      [['x', ...kind, '--bogus'], 'unrecognized arguments: --bogus'],
      [['x', '--kind'], 'argument --kind: expected one argument'],
      [['x', '--kind', '--flag'], 'argument --kind: expected one argument'],
      [['x', '--kind', 'c'], "argument --kind: invalid choice: 'c' (choose from 'a', 'b')"],
      [['x', ...kind, '--count', 'many'], "argument --count: invalid int value: 'many'"],
      [['x', ...kind, '--rate', 'x'], "argument --rate: invalid float value: 'x'"],
      [['x', ...kind, '--flag=3'], "argument --flag: ignored explicit argument '3'"],
      [['x', ...kind, '--flag', '--other'], 'argument --other: not allowed with argument --flag'],
    ];
    for (const [args, message] of cases) assert.throws(() => parse(...args), { message, hint: 'see mcplite do --help', code: 2 });
  });

  it('has a version', async () => {
    const { version } = JSON.parse(fs.readFileSync(path.join(PACKAGE, 'package.json')));
    assert.equal((await mcplite(['--version'], { cwd })).stdout, `mcplite ${version}\n`);
  });

  it('has addresses in all the ways that people write them', () => {
    const { Parser } = part('parser');
    const { SERVING, address, settings } = part('options');
    const parse = (...args) => new Parser('run', { description: '', epilog: '', parameters: SERVING }).parse(args);
    const cases = [
      [['s.js'], null],
      [['s.js', '--http'], { host: '127.0.0.1', port: 8000 }],
      [['--http', 's.js'], { host: '127.0.0.1', port: 8000 }],
      [['--http', '9000', 's.js'], { host: '127.0.0.1', port: 9000 }],
      [['s.js', '--http', ':9000'], { host: '127.0.0.1', port: 9000 }],
      [['s.js', '--http', '0.0.0.0:9000'], { host: '0.0.0.0', port: 9000 }],
      [['s.js', '--http', '[::1]:9000'], { host: '::1', port: 9000 }],
      [['s.js', '--http', 'localhost'], { host: 'localhost', port: 8000 }],
      [['s.js', '--http=[::1]'], { host: '::1', port: 8000 }],
      [['--http=example.com', 's.js'], { host: 'example.com', port: 8000 }],
    ];
    for (const [args, expected] of cases) {
      const options = parse(...args);
      assert.equal(options.target, 's.js');
      assert.deepEqual(address(options), expected);
    }
    for (const http of ['host:port', 'x:99999', '1:2:x']) assert.throws(() => address({ http }), { message: `'${http}' is no address` });
    assert.throws(() => settings(parse('s.js', '--allow-host', 'a.example')), { message: '--allow-host is for --http', code: 2 });
    const hosts = parse('s.js', '--http', '--allow-host', 'a.example', '--allow-host', 'b.example');
    assert.deepEqual(settings(hosts), { path: '/mcp', allowedHosts: ['a.example', 'b.example'] });
  });
});
