// One conversation with the server: how each client opens it, and the words to judge it.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { Client as NewClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewPipe } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldPipe } from '@modelcontextprotocol/sdk/client/stdio.js';
import * as old from '@modelcontextprotocol/sdk/types.js';

export const MODERN = '2026-07-28';
export const SECONDS = 30;
export const CLIENT = { name: 'check-node', version: '3.1' };
export const INVALID_PARAMS = -32602;

const installed = createRequire(import.meta.url)('./package.json');

// The 1.x client knows messages by the schemas that they have, the 2.x client by their methods.
const OLD_SCHEMAS = {
  'elicitation/create': old.ElicitRequestSchema,
  'sampling/createMessage': old.CreateMessageRequestSchema,
  'roots/list': old.ListRootsRequestSchema,
  'notifications/message': old.LoggingMessageNotificationSchema,
  'notifications/resources/updated': old.ResourceUpdatedNotificationSchema,
  'notifications/tools/list_changed': old.ToolListChangedNotificationSchema,
};

// A schema of no demands, for methods that no revision knows.
const ANYTHING = {
  '~standard': { version: 1, vendor: 'check', validate: (value) => ({ value }) },
};

const oldLibrary = {
  name: `@modelcontextprotocol/sdk ${installed.dependencies['@modelcontextprotocol/sdk']}`,
  make: (_revision, capabilities) => new OldClient(CLIENT, { capabilities }),
  pipe: (server) => new OldPipe(server),
  on: (client, method, answer) => client.setRequestHandler(OLD_SCHEMAS[method], answer),
  hear: (client, method, heard) => client.setNotificationHandler(OLD_SCHEMAS[method], heard),
  call: (client, params, options) => client.callTool(params, undefined, options),
  custom: (client, request) => client.request(request, old.ResultSchema),
  codeOf: (code) => code,
};

const newLibrary = {
  name: `@modelcontextprotocol/client ${installed.dependencies['@modelcontextprotocol/client']}`,
  make: (revision, capabilities) => new NewClient(CLIENT, revision === MODERN
    ? { capabilities, versionNegotiation: { mode: 'auto' } }
    : { capabilities, supportedProtocolVersions: [revision] }),
  pipe: (server) => new NewPipe(server),
  on: (client, method, answer) => client.setRequestHandler(method, answer),
  hear: (client, method, heard) => client.setNotificationHandler(method, heard),
  call: (client, params, options) => client.callTool(params, options),
  custom: (client, request) => client.request(request, ANYTHING),
  // It shows the older code for a missing resource as the one that the modern era has.
  codeOf: (code) => (code === -32002 ? INVALID_PARAMS : code),
};

export class Conversation {
  #clients = [];
  isOver = false;

  constructor(library, revision, binary) {
    Object.assign(this, { library, revision, binary });
  }

  get modern() {
    return this.revision === MODERN;
  }

  /** Whether the revision is that one or a later one; revisions are dates. */
  since(revision) {
    return this.revision >= revision;
  }

  /** A connected client, which has started the server; `answers` and `hears` are by method. */
  async client({ capabilities = {}, answers = {}, hears = {}, command, oneByOne = false } = {}) {
    const client = this.library.make(this.revision, capabilities);
    for (const [method, answer] of Object.entries(answers)) this.library.on(client, method, answer);
    for (const [method, heard] of Object.entries(hears)) this.library.hear(client, method, heard);
    const [program, ...args] = command ?? [this.binary];
    const pipe = this.library.pipe({ command: program, args });
    this.#clients.push(client);
    await client.connect(pipe);
    if (oneByOne) handOverOneByOne(pipe);
    return client;
  }

  call(client, name, args = {}, options = undefined) {
    return this.library.call(client, { name, arguments: args }, options);
  }

  /** What a tool says; a failure is marked. */
  async text(client, name, args = {}, options = undefined) {
    const result = await this.call(client, name, args, options);
    return (result.isError ? 'failed: ' : '') + result.content[0].text;
  }

  async close() {
    this.isOver = true;
    await Promise.all(this.#clients.map((client) => client.close()));
  }
}

/**
 * Both clients drop progress that is read together with its answer: they handle the answer at once
 * and the progress a moment later, when nobody waits for it. So each message gets its own turn.
 */
function handOverOneByOne(pipe) {
  const deliver = pipe.onmessage;
  let turn = Promise.resolve();
  pipe.onmessage = (...message) => {
    turn = turn.then(() => new Promise((resolve) => setImmediate(resolve)));
    turn = turn.then(() => deliver(...message));
  };
}

export const SPOKEN = [
  [newLibrary, MODERN],
  [newLibrary, '2025-11-25'],
  [newLibrary, '2025-06-18'],
  [newLibrary, '2025-03-26'],
  [newLibrary, '2024-11-05'],
  [oldLibrary, '2025-11-25'],
];

/** What arrives unasked, in its order. */
export class Heard {
  #arrived = [];
  #waiting = [];

  push(what) {
    const next = this.#waiting.shift();
    if (next) next(what);
    else this.#arrived.push(what);
  }

  /** The next one; whoever waits in vain runs into the bound of the behaviour. */
  next() {
    if (this.#arrived.length) return Promise.resolve(this.#arrived.shift());
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  get length() {
    return this.#arrived.length;
  }
}

export async function refusal(request) {
  const [settled] = await Promise.allSettled([request]);
  const answer = JSON.stringify(settled.value);
  assert.equal(settled.status, 'rejected', `an answer instead of an error: ${answer}`);
  return settled.reason;
}

export async function toolNames(client) {
  return (await client.listTools()).tools.map((tool) => tool.name);
}
