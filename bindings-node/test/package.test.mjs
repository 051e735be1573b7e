// The package as it is installed: one instance for both kinds of modules, and errors that say what to do.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import * as imported from 'mcplite';

const require = createRequire(import.meta.url);
const root = dirname(require.resolve('mcplite/package.json'));
const manifest = require('mcplite/package.json');
const folder = mkdtempSync(join(tmpdir(), 'mcplite-package-'));
after(() => rmSync(folder, { recursive: true }));

/** Runs a program in a folder of its own, with these modules; gives what it printed. */
function run(program, { modules = root, name = 'program.cjs', env = {} } = {}) {
  const place = mkdtempSync(join(folder, 'run-'));
  mkdirSync(join(place, 'node_modules'));
  cpSync(modules, join(place, 'node_modules', 'mcplite'), { recursive: true });
  writeFileSync(join(place, name), program);
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(place, name)], {
    encoding: 'utf8', env: { ...process.env, ...env }, timeout: 30_000, input: '',
  });
  return { stdout, stderr, status };
}

/** A copy of the package without its addon. */
function withoutAddon() {
  const copy = mkdtempSync(join(folder, 'bare-'));
  cpSync(root, copy, { recursive: true });
  for (const file of readdirSync(copy).filter((name) => name.endsWith('.node'))) rmSync(join(copy, file));
  return copy;
}

test('import and require give the same instance', () => {
  const required = require('mcplite');
  assert.equal(imported.McpServer, required.McpServer);
  assert.equal(imported.default, required);
  assert.deepEqual(Object.keys(imported).filter((name) => name !== 'default').sort(), Object.keys(required).sort());
});

test('every entry is there for both kinds of modules, with its types first', () => {
  for (const [entry, ways] of Object.entries(manifest.exports)) {
    if (entry === './package.json') continue;
    for (const [way, files] of Object.entries(ways)) {
      assert.equal(Object.keys(files)[0], 'types', `${entry} ${way}`);
      for (const file of Object.values(files)) assert.ok(existsSync(join(root, file)), `${entry} ${way} ${file}`);
    }
  }
});

test('what is inside is nobody else\'s', () => {
  assert.throws(() => require('mcplite/lib/native.js'), { code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' });
});

test('there are no dependencies, and nothing that runs when it is installed', () => {
  assert.deepEqual(Object.keys(manifest.dependencies ?? {}), []);
  assert.equal(manifest.scripts, undefined);
});

test('the version is the same everywhere', () => {
  const workspace = readFileSync(join(process.env.MCPLITE_REPOSITORY, 'Cargo.toml'), 'utf8');
  assert.equal(manifest.version, /^version = "(.*)"$/m.exec(workspace)[1]);
  assert.equal(imported.version, manifest.version);
  assert.match(readFileSync(join(root, 'lib', 'native.js'), 'utf8'), new RegExp(`VERSION = '${manifest.version}'`));
});

test('a missing library is an error that lists what was tried', () => {
  const { stderr, status } = run("require('mcplite')", { modules: withoutAddon() });
  assert.equal(status, 1);
  assert.match(stderr, new RegExp(`no native library for ${process.platform} ${process.arch}`));
  assert.match(stderr, /mcplite\.\S+\.node: Cannot find module/);
  assert.match(stderr, /mcplite-\S+: Cannot find module/);
  assert.match(stderr, /optional dependency/);
});

test('a library that cannot be loaded is named with its reason', () => {
  const broken = join(folder, 'broken.node');
  writeFileSync(broken, 'no library');
  const { stderr } = run("require('mcplite')", { env: { MCPLITE_NATIVE_LIBRARY: broken } });
  assert.match(stderr, /broken\.node: .*(too short|invalid|not a mach-o)/i);
});

test('a library of another version is refused', () => {
  const copy = mkdtempSync(join(folder, 'old-'));
  cpSync(root, copy, { recursive: true });
  const file = join(copy, 'lib', 'native.js');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/VERSION = '.*'/, "VERSION = '0.0.1'"));
  assert.match(run("require('mcplite')", { modules: copy }).stderr, /mcplite 0\.0\.1 has found a native library of version/);
});

test('the package for a platform brings the library', () => {
  const place = mkdtempSync(join(folder, 'split-'));
  writeFileSync(join(place, 'package.json'), '{}');
  const packages = readdirSync(process.env.MCPLITE_SPLIT_PACKAGES).map((name) => join(process.env.MCPLITE_SPLIT_PACKAGES, name));
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline', ...packages], { cwd: place, timeout: 120_000 });
  assert.deepEqual(readdirSync(join(place, 'node_modules', 'mcplite')).filter((name) => name.endsWith('.node')), []);
  writeFileSync(join(place, 'program.mjs'), "import { version } from 'mcplite'; console.log(version);");
  assert.equal(execFileSync(process.execPath, ['program.mjs'], { cwd: place, encoding: 'utf8' }), `${manifest.version}\n`);
});
