#!/usr/bin/env node
// Serves everything over standard input and output, or with --http over HTTP. Then it says on stderr where it listens, and
// ends in peace when it is told to.

import { everything } from './everything.mjs';
import { HttpServer } from './http_server.mjs';

if (process.argv[2] === '--http') {
  const server = await HttpServer.start('http');
  process.once('SIGTERM', () => server.stop());
  console.error(`listening on ${server.url}`);
} else {
  await everything().stdio();
}
