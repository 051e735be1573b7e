// `mcplite dev`, with a client that stays while the code changes.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { describe, it } from 'node:test';

import { DEMO, MORE, PATIENCE, Talk, project } from './support/cli.mjs';

const CHANGED = 'notifications/tools/list_changed';
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A server in a folder of its own, and a function that changes its file. */
async function watched({ text = DEMO, options = [], files = {} } = {}) {
  const cwd = project({ 'server.mjs': text, ...files });
  const talk = new Talk(['dev', 'server.mjs', ...options], { cwd });
  const write = (changed, name = 'server.mjs') => fs.writeFileSync(path.join(cwd, name), changed);
  return { cwd, talk, write };
}

// Most of the time is spent waiting for the next look at the files.
describe('mcplite dev', { concurrency: 4, timeout: 3 * PATIENCE }, () => {
  it('a change gives new tools over the same connection, and the client sees no second handshake', async () => {
    const { talk, write } = await watched();
    await talk.initialize();
    assert.deepEqual(await talk.tools(), ['add']);
    write(MORE);
    await talk.notification(CHANGED);
    assert.deepEqual(await talk.tools(), ['add', 'twice']);
    assert.equal(await talk.call('twice', { a: 21 }), '42');
    assert.equal(await talk.end(), 0);
    assert.deepEqual(talk.heard.filter((message) => message.method === undefined).map((message) => message.id), [1, 2, 3, 4]);
  });

  it('a running call is finished by the old code, and the next runs in the new', async () => {
    const slow = `import fs from 'node:fs';\n${DEMO}
  server.registerTool('version', {}, async () => {
    console.error('waiting');
    while (!fs.existsSync('gate')) await new Promise((resolve) => setTimeout(resolve, 10));
    return 'old';
  });
  `;
    const { cwd, talk, write } = await watched({ text: slow, options: ['--grace', '20'] });
    await talk.initialize();
    const first = talk.send('tools/call', { name: 'version', arguments: {} });
    await talk.see('waiting');
    write(slow.replace("return 'old'", "return 'new'"));
    await talk.see('reloading');
    const second = talk.send('tools/call', { name: 'version', arguments: {} });
    fs.writeFileSync(path.join(cwd, 'gate'), '');
    assert.equal((await talk.answer(first)).result.content[0].text, 'old');
    assert.equal((await talk.answer(second)).result.content[0].text, 'new');
    await talk.kill();
  });

  it('a call that does not end in time is answered with an error', async () => {
    const forever = `${DEMO}
  server.registerTool('forever', {}, () => {
    console.error('waiting');
    for (;;);
  });
  `;
    const { talk, write } = await watched({ text: forever, options: ['--grace', '0.2'] });
    await talk.initialize();
    const id = talk.send('tools/call', { name: 'forever', arguments: {} });
    await talk.see('waiting');
    write(MORE);
    const { error } = await talk.answer(id);
    assert.equal(error.code, -32603);
    assert.match(error.message, /reloaded/);
    await talk.notification(CHANGED);
    assert.deepEqual(await talk.tools(), ['add', 'twice']);
    await talk.kill();
  });

  it('mistakes leave the old server running, or are told and healed by a later change', async () => {
    const { talk, write } = await watched();
    await talk.initialize();
    write(`${DEMO}\ndef (:\n`);
    await talk.see('not reloaded: SyntaxError');
    assert.equal(await talk.call('add', { a: 1 }), '3');
    write(`${DEMO}\nboom();\n`);
    await talk.see('ReferenceError');
    await talk.see('waiting for a change');
    assert.match((await talk.answer(talk.send('tools/list'))).error.message, /server.mjs cannot be loaded/);
    write(`${DEMO}\nserver.registerTool('die', {}, () => process.exit(7));\n`);
    await talk.notification(CHANGED);
    const { error } = await talk.answer(talk.send('tools/call', { name: 'die', arguments: {} }));
    assert.match(error.message, /exit code 7/);
    write(MORE);
    await talk.notification(CHANGED, 2);
    assert.equal(await talk.call('twice', { a: 4 }), '8');
    await talk.kill();
  });

  it('a change of a file that was imported or required reloads too, and of another does not', async () => {
    const text = `import { createRequire } from 'node:module';\nimport { WORD } from './helper.mjs';\n${DEMO}
  const { OTHER } = createRequire(import.meta.url)('./required.cjs');
  server.registerTool('word', {}, () => WORD + OTHER);
  `;
    const files = { 'helper.mjs': "export const WORD = 'one';\n", 'required.cjs': "exports.OTHER = 'a';\n", 'other.mjs': '' };
    const { talk, write } = await watched({ text, files });
    await talk.initialize();
    assert.equal(await talk.call('word'), 'onea');
    write('1;\n', 'other.mjs');
    write("export const WORD = 'two';\n", 'helper.mjs');
    await talk.see('mcplite: helper.mjs changed, reloading');
    await talk.notification(CHANGED);
    assert.equal(await talk.call('word'), 'twoa');
    write("exports.OTHER = 'b';\n", 'required.cjs');
    await talk.see('mcplite: required.cjs changed, reloading');
    await talk.notification(CHANGED, 2);
    assert.equal(await talk.call('word'), 'twob');
    await talk.kill();
  });

  it('a listening modern client is told on its stream, and acknowledged once', async () => {
    const { talk, write } = await watched();
    const id = talk.send('subscriptions/listen', { notifications: { toolsListChanged: true }, _meta: META });
    await talk.notification('notifications/subscriptions/acknowledged');
    write(MORE);
    const told = await talk.notification(CHANGED);
    assert.equal(told.params._meta['io.modelcontextprotocol/subscriptionId'], id);
    const { tools } = await talk.request('tools/list', { _meta: META });
    assert.deepEqual(tools.map((tool) => tool.name), ['add', 'twice']);
    const acknowledged = talk.heard.filter((message) => message.method === 'notifications/subscriptions/acknowledged');
    assert.equal(acknowledged.length, 1);
    await talk.kill();
  });

  it('the end of input ends it with everything answered, however large', async () => {
    const echo = { type: 'object', properties: { text: { type: 'string' } } };
    const text = `${DEMO}\nserver.registerTool('echo', { inputSchema: ${JSON.stringify(echo)} }, ({ text }) => text);\n`;
    const { talk } = await watched({ text });
    await talk.initialize();
    const sent = new Map();
    for (let number = 0; number < 20; number += 1) {
      const long = String(number).repeat(300_000);
      sent.set(talk.send('tools/call', { name: 'echo', arguments: { text: long } }), long);
      sent.set(talk.send('tools/call', { name: 'add', arguments: { a: number } }), String(number + 2));
    }
    assert.equal(await talk.end(), 0);
    const answers = new Map(talk.heard.filter(({ id }) => sent.has(id)).map(({ id, result }) => [id, result.content[0].text]));
    assert.deepEqual(new Map([...answers].sort(([a], [b]) => a - b)), sent);
  });

  it('ctrl-c ends it and its server', async () => {
    const { talk } = await watched();
    await talk.initialize();
    talk.process.kill('SIGINT');
    assert.equal(await talk.whenOver, 130);
  });

  it('over HTTP the server is restarted at the same place', async () => {
    const port = await freePort();
    const { talk, write } = await watched({ options: ['--http', String(port)] });
    await talk.see('serving at');
    assert.deepEqual(await toolNames(port), ['add']);
    write(MORE);
    await talk.see('reloading');
    await talk.see('serving at');
    assert.deepEqual(await toolNames(port), ['add', 'twice']);
    talk.process.kill('SIGTERM');
    assert.equal(await talk.whenOver, 128 + 15);
    await assert.rejects(toolNames(port));
  });
});

async function freePort() {
  const probe = net.createServer();
  await new Promise((resolve) => {
    probe.listen(0, '127.0.0.1', resolve);
  });
  const { port } = probe.address();
  await new Promise((resolve) => {
    probe.close(resolve);
  });
  return port;
}

async function toolNames(port) {
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: META } }),
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/list',
    },
  });
  return (await response.json()).result.tools.map((tool) => tool.name);
}
