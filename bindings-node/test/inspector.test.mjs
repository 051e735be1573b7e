// The command line of the official Inspector, as `tests/clients/inspector` installs it.

import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { HttpServer } from './servers/http_server.mjs';

const CLIENTS = path.join(process.env.MCPLITE_REPOSITORY, 'tests', 'clients');
const INSTALL = 'import pathlib, modules; print(modules.install(pathlib.Path("inspector").resolve(), "clients-inspector"))';
const LAUNCHER = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js';
const REVISIONS = { modern: '2026-07-28', legacy: '2025-11-25' };
const TIMEOUT = 60_000;

const launcher = path.join(
  execFileSync('python3', ['-B', '-c', INSTALL], { cwd: CLIENTS, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim(), LAUNCHER);
// It keeps its settings in the home of the user, whom it must not know here.
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'mcplite-inspector-'));
after(() => fs.rmSync(home, { recursive: true, force: true }));

let web;
before(async () => {
  web = await HttpServer.start('http');
});
after(() => web.stop());

const TARGETS = {
  stdio: () => [path.resolve('servers', 'serve_everything.mjs')],
  http: () => [`${web.url}/mcp`, '--transport', 'http'],
};

/** What one command says; it must have succeeded. */
function ask(way, era, method, ...options) {
  const args = [launcher, '--cli', ...TARGETS[way](), '--protocol-era', era, '--format', 'json', '--quiet', '--method', method, ...options];
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, args, { env: { PATH: process.env.PATH, HOME: home } }, (error, stdout, stderr) => {
      if (error !== null) reject(new Error(`the Inspector ended with ${error.code}: ${stderr}${stdout}`));
      else resolve(JSON.parse(stdout).result ?? JSON.parse(stdout));
    });
    child.stdin.end();
  });
}

for (const way of Object.keys(TARGETS)) {
  for (const [era, revision] of Object.entries(REVISIONS)) {
    describe(`the Inspector, ${revision} over ${way}`, { concurrency: 2, timeout: TIMEOUT }, () => {
      test('finds nothing wrong with the tools', async () => {
        const { tools } = await ask(way, era, 'tools/list', '--strict');
        assert.ok(tools.some((tool) => tool.name === 'whoami'));
      });

      test('calls a tool', async () => {
        const { structuredContent } = await ask(way, era, 'tools/call', '--tool-name', 'whoami', '--tool-args-json', '{}');
        assert.equal(structuredContent.revision, revision);
      });

      // One command takes a second: what does not depend on the way is asked over one of them.
      if (way === 'stdio') return;
      test('reads a resource', async () => {
        const { contents } = await ask(way, era, 'resources/read', '--uri', 'file:///readme.txt');
        assert.equal(contents[0].text, 'Read me.');
      });
    });
  }
}
