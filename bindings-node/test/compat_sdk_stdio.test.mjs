// The complete example of the SDK's reference as a process of its own.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

import { ERAS, WITHIN } from './compat_sdk_support.mjs';

const PROGRAM = `
import { CallToolRequestSchema, ListToolsRequestSchema, Server, StdioServerTransport } from 'mcplite/compat/sdk';

const server = new Server({ name: 'example-server', version: '1.0.0' }, { capabilities: { tools: {}, logging: {} } });
server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [{ name: 'stop', description: 'Stops', inputSchema: { type: 'object' } }] }));
server.setRequestHandler(CallToolRequestSchema, async () => {
  console.log('not a message');
  await server.sendLoggingMessage({ level: 'info', data: 'stopping' });
  setImmediate(() => server.close().then(() => console.error('closed')));
  return { content: [{ type: 'text', text: 'bye' }] };
});
server.onclose = () => console.error('over');
await server.connect(new StdioServerTransport());
console.error('MCP server running');
`;

/** The program, and what it writes. */
function started(context) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], { cwd: new URL('.', import.meta.url), stdio: 'pipe' });
  context.after(() => child.kill('SIGKILL'));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => { errors += text; });
  return {
    child,
    exit: once(child, 'exit'),
    errors: () => errors,
    say: (message) => child.stdin.write(`${JSON.stringify(message)}\n`),
    next: async () => JSON.parse((await lines.next()).value),
  };
}

test('it serves, and ends with its client', WITHIN, async (context) => {
  const { child, exit, say, next, errors } = started(context);
  say(ERAS['2026-07-28'].request(1, 'tools/list'));
  assert.equal((await next()).result.tools[0].name, 'stop');
  child.stdin.end();
  assert.deepEqual(await exit, [0, null]);
  assert.match(errors(), /^MCP server running\nover\n$/);
});

test('it closes itself when it wants to, and what it prints does not get between its messages', WITHIN, async (context) => {
  const { exit, say, next, errors } = started(context);
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  say({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  assert.equal((await next()).result.serverInfo.name, 'example-server');
  say({ jsonrpc: '2.0', method: 'notifications/initialized' });
  say({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'stop' } });
  const messages = [await next(), await next()];
  assert.deepEqual(messages.find(({ method }) => method === 'notifications/message').params, { level: 'info', data: 'stopping' });
  assert.equal(messages.find(({ id }) => id === 1).result.content[0].text, 'bye');
  assert.deepEqual(await exit, [0, null]);
  assert.match(errors(), /not a message\n/);
  assert.match(errors(), /over\nclosed\n$/);
});

test('standard input and output are served once', WITHIN, async (context) => {
  const program = `${PROGRAM}
await server.connect(new StdioServerTransport()).catch((error) => console.error(error.code));
`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { cwd: new URL('.', import.meta.url), stdio: 'pipe' });
  context.after(() => child.kill('SIGKILL'));
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
    if (errors.includes('BUSY')) child.stdin.end();
  });
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  assert.match(errors, /running\nERR_MCPLITE_BUSY\n/);
});
