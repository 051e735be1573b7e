// What the official clients say to `everything`, whoever serves it; `tests/clients/node` has it.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const SHARED = path.join(process.env.MCPLITE_REPOSITORY, 'tests', 'clients', 'node');
const FILES = ['behaviours.mjs', 'conversation.mjs', 'exchanges.mjs', 'offers.mjs', 'sessions.mjs', 'package.json'];

/** The scripts as modules, in a folder from which they find the clients that are installed here. */
export async function official(name) {
  const folder = path.join(HERE, '..', `official-${name}`);
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder);
  for (const file of FILES) fs.copyFileSync(path.join(SHARED, file), path.join(folder, file));
  // Over HTTP the server is one of this process.
  fs.writeFileSync(path.join(folder, 'server.mjs'), "export { HttpServer } from '../servers/http_server.mjs';\n");
  checkVersions(createRequire(path.join(folder, 'x.js')));
  const [behaviours, conversation] = await Promise.all(
    ['behaviours.mjs', 'conversation.mjs'].map((file) => import(path.join(folder, file))));
  return { ...behaviours, ...conversation };
}

/** Both suites are about the same clients. */
function checkVersions(require) {
  const { dependencies } = require('./package.json');
  const own = require('../package.json').dependencies;
  for (const [name, version] of Object.entries(dependencies)) assert.equal(own[name], version, name);
}
