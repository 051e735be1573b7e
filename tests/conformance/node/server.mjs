#!/usr/bin/env node
// The server that the official conformance suite talks to: server.mjs [--fetch] FIXTURES
//
// It offers what the file of fixtures says, on a port of its own choice: as a listener of `node:http`, or with --fetch by
// web requests and responses. The first line of its output is its URL; it ends when its input ends.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { load } from './fixtures.mjs';
import { listenerOf } from './web.mjs';

const OPTIONS = { path: '/mcp', retryMs: 500 };

const { values: chosen, positionals: [fixtures] } = parseArgs({ options: { fetch: { type: 'boolean' } }, allowPositionals: true });
const server = load(fixtures);
const web = createServer(chosen.fetch ? listenerOf(server.fetchHandler(OPTIONS)) : server.httpHandler(OPTIONS));
await once(web.listen(0, '127.0.0.1'), 'listening');
console.log(`http://127.0.0.1:${web.address().port}${OPTIONS.path}`);
await once(process.stdin.resume(), 'end');
await server.shutdown();
// Connections without requests are closed at once, the others when their responses are.
web.close();
