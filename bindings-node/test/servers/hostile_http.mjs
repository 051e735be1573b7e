#!/usr/bin/env node
// The server that hostile HTTP requests are sent to, on a port of its own choice.
//
// Prints its address, serves until its input ends, and then prints how that went. The arguments are settings, as in
// `tests/adversarial/http_server.c`.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { McpServer } from 'mcplite';

const settings = Object.fromEntries(process.argv.slice(2).map((setting) => setting.split('=')));
const server = new McpServer({
  name: 'hostile',
  version: '1',
  revisions: settings.revisions === '16' ? ['2026-07-28'] : undefined,
  onError() {},
});
const counts = { ran: 0, cancelled: 0 };
const held = new Set();

function tool(name, inputSchema, run) {
  server.registerTool(name, { inputSchema }, (args, ctx) => {
    counts.ran += 1;
    return run(args, ctx);
  });
}

function taking(properties, ...required) {
  return { type: 'object', properties, required };
}

const TEXT = { type: 'string' };
tool('echo', taking({ text: TEXT }, 'text'), ({ text }) => text);
tool('echo_h', taking({ text: TEXT, region: { type: 'string', 'x-mcp-header': 'Region' } }, 'text'), ({ text }) => text);
tool('add', taking({ a: { type: 'number' }, b: { type: 'number' } }, 'a', 'b'), async ({ a, b }) => String(a + b));
tool('fail', undefined, () => {
  throw new Error('it always fails');
});
tool('slow', undefined, (_, ctx) => new Promise((resolve) => {
  ctx.progress(1, undefined, 'begun');
  held.add(resolve);
  ctx.signal.addEventListener('abort', () => {
    counts.cancelled += 1;
    held.delete(resolve);
  });
}));
// Those that only look do not count.
server.registerTool('release', {}, () => {
  const alive = [...held];
  held.clear();
  for (const resolve of alive) resolve('slow is done');
  return String(alive.length);
});
server.registerTool('status', {}, () => JSON.stringify({ ...counts, held: held.size }));
server.registerTool('touch', {}, () => {
  server.notifyListChanged('tool');
  return 'touched';
});
server.registerResource('static', 'test://static', {}, 'static text');
server.registerPrompt('greet', { arguments: [{ name: 'name', required: true }] }, () => 'Hello!');

const numberOf = (name) => (settings[name] === undefined ? undefined : Number(settings[name]));
const handler = server.httpHandler({
  corsOrigins: settings.cors === undefined ? undefined : [settings.cors],
  stateless: settings.stateless === '1',
  sessions: numberOf('max-sessions'),
  sessionIdleMs: numberOf('session-idle'),
});
const web = createServer({
  headersTimeout: numberOf('header-timeout'),
  requestTimeout: numberOf('body-timeout'),
  connectionsCheckingInterval: 100,
}, handler);
await once(web.listen(0, '127.0.0.1'), 'listening');
console.log(`http://127.0.0.1:${web.address().port}`);
await once(process.stdin.resume(), 'end');
setTimeout(() => server.close(), 200).unref();
await server.shutdown();
web.close();
web.closeAllConnections();
console.log('ended: ok');
