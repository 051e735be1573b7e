// What `mcplite dev` remembers of a conversation for the next server, and what it watches.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { part, project } from './support/cli.mjs';

const { Conversation } = part('conversation');
const { Watcher, importedFiles } = part('watch');
const { table } = part('table');

const line = (message) => JSON.stringify({ jsonrpc: '2.0', ...message });
const told = (lines) => lines.map((one) => JSON.parse(one));

function greeted() {
  const talk = new Conversation();
  talk.clientSays(line({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25' } }));
  talk.serverSays(line({ id: 0, result: { capabilities: { tools: { listChanged: true }, prompts: {} } } }));
  talk.clientSays(line({ method: 'notifications/initialized' }));
  return talk;
}

test('a new server hears the handshake, and the client nothing of it', () => {
  const talk = greeted();
  const [hello, initialized] = told(talk.replay());
  assert.equal(hello.method, 'initialize');
  assert.deepEqual(hello.params, { protocolVersion: '2025-11-25' });
  assert.equal(initialized.method, 'notifications/initialized');
  assert.equal(talk.isGreeted, false);
  assert.equal(talk.serverSays(line({ id: hello.id, result: { capabilities: {} } })), false);
  assert.equal(talk.isGreeted, true);
});

test('a handshake that failed is not repeated', () => {
  const talk = new Conversation();
  talk.clientSays(line({ id: 0, method: 'initialize', params: {} }));
  talk.serverSays(line({ id: 0, error: { code: -32602, message: 'no' } }));
  assert.deepEqual(talk.replay(), []);
  assert.equal(talk.isGreeted, true);
});

test('only lists that were announced are told as changed', () => {
  assert.deepEqual(told(greeted().announce()).map(({ method }) => method), ['notifications/tools/list_changed']);
  assert.deepEqual(new Conversation().announce(), []);
});

test('the log level and watched resources are repeated', () => {
  const talk = greeted();
  const settle = (id, method, params) => {
    talk.clientSays(line({ id, method, params }));
    talk.serverSays(line({ id, result: {} }));
  };
  settle(1, 'logging/setLevel', { level: 'debug' });
  settle(2, 'resources/subscribe', { uri: 'a://1' });
  settle(3, 'resources/subscribe', { uri: 'a://2' });
  settle(4, 'resources/unsubscribe', { uri: 'a://1' });
  const [, , level, watched, ...rest] = told(talk.replay());
  assert.deepEqual(level.params, { level: 'debug' });
  assert.deepEqual([watched.method, watched.params], ['resources/subscribe', { uri: 'a://2' }]);
  assert.deepEqual(rest, []);
  assert.equal(talk.serverSays(line({ id: level.id, result: {} })), false);
  assert.equal(talk.serverSays(line({ id: watched.id, result: {} })), false);
});

test('requests are open until they are answered or cancelled', () => {
  const talk = greeted();
  talk.clientSays(line({ id: 1, method: 'tools/call' }));
  talk.clientSays(line({ id: '1', method: 'tools/call' }));
  assert.equal(talk.isIdle, false);
  talk.serverSays(line({ id: 1, result: {} }));
  assert.equal(talk.isIdle, false);
  const cancellation = line({ method: 'notifications/cancelled', params: { requestId: '1' } });
  assert.equal(talk.concernsPresent(cancellation), true);
  talk.clientSays(cancellation);
  assert.equal(talk.isIdle, true);
  assert.equal(talk.concernsPresent(cancellation), false);
});

test('what a server leaves open is answered with an error, and answers to it are dropped', () => {
  const talk = greeted();
  talk.clientSays(line({ id: 7, method: 'tools/call' }));
  assert.equal(talk.serverSays(line({ id: 1, method: 'elicitation/create' })), true);
  assert.equal(talk.concernsPresent(line({ id: 1, result: {} })), true);
  assert.deepEqual(told(talk.abandon('gone')), [
    { jsonrpc: '2.0', id: 7, error: { code: -32603, message: 'Internal error: gone' } },
  ]);
  assert.equal(talk.isIdle, true);
  assert.equal(talk.clientSays(line({ id: 1, result: {} })), false);
  talk.serverSays(line({ id: 1, method: 'elicitation/create' }));
  assert.equal(talk.clientSays(line({ id: 1, result: {} })), true);
  assert.equal(talk.clientSays(line({ id: 1, result: {} })), false);
});

test('a listen stream goes on and is acknowledged once', () => {
  const talk = new Conversation();
  const notifications = { toolsListChanged: true, promptsListChanged: false };
  talk.clientSays(line({ id: 's', method: 'subscriptions/listen', params: { notifications } }));
  const _meta = { 'io.modelcontextprotocol/subscriptionId': 's' };
  const acknowledged = line({ method: 'notifications/subscriptions/acknowledged', params: { _meta } });
  assert.equal(talk.serverSays(acknowledged), true);
  assert.equal(talk.isIdle, true);
  assert.deepEqual(talk.abandon('gone'), []);
  assert.deepEqual(told(talk.replay()).map(({ id }) => id), ['s']);
  assert.equal(talk.serverSays(acknowledged), false);
  assert.equal(talk.serverSays(acknowledged), true);
  assert.deepEqual(told(talk.announce()), [{ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta } }]);
  talk.clientSays(line({ method: 'notifications/cancelled', params: { requestId: 's' } }));
  assert.deepEqual(talk.replay(), []);
});

test('batches and what is no message pass', () => {
  const talk = greeted();
  const batch = [{ id: 1, method: 'ping' }, { id: 2, method: 'ping' }];
  assert.equal(talk.clientSays(JSON.stringify(batch)), true);
  assert.equal(talk.isIdle, false);
  assert.equal(talk.serverSays('[{"id": 1, "result": {}}, {"id": 2, "result": {}}]'), true);
  assert.equal(talk.isIdle, true);
  assert.equal(talk.clientSays('{'), true);
  assert.equal(talk.clientSays('['.repeat(100_000)), true);
  assert.equal(talk.serverSays('7'), true);
  assert.deepEqual(told(talk.refuse(JSON.stringify([batch[0], { method: 'x' }]), 'none')).map(({ id }) => id), [1]);
});

test('a watcher names what has changed once', () => {
  const folder = project({ 'a.mjs': '1', 'b.mjs': '1' });
  const [file, gone] = [path.join(folder, 'a.mjs'), path.join(folder, 'b.mjs')];
  const watcher = new Watcher([file]);
  watcher.addFolder(folder);
  assert.deepEqual(watcher.changed(), []);
  fs.writeFileSync(file, '22');
  fs.rmSync(gone);
  assert.deepEqual(watcher.changed(), [file]);
  assert.deepEqual(watcher.changed(), []);
  fs.writeFileSync(gone, '22');
  assert.deepEqual(watcher.changed(), [gone]);
});

test('only files of the project are watched', () => {
  const modules = ['/p/a.mjs', 'file:///p/b%20c.mjs?x', '/p/node_modules/x/index.js', '/project/b.mjs', 'node:fs', 'data:text/plain,'];
  assert.deepEqual(importedFiles(modules, '/p'), ['/p/a.mjs', '/p/b c.mjs']);
});

test('a table is aligned, wrapped and without empty columns', () => {
  const lines = table([['a', '', 'first'], ['long name', '', 'word '.repeat(40)]]);
  assert.equal(lines[0], '  a          first');
  assert.match(lines[1], /^ {2}long name {2}word word/);
  assert.ok(Math.max(...lines.map((one) => one.length)) <= 120);
  assert.equal(lines.length, 3);
  assert.deepEqual(table([]), []);
});
