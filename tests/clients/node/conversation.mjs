// One conversation with the server: how each client opens it, and the words to judge it.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import {
  Client as NewClient,
  SSEClientTransport as NewSse,
  StreamableHTTPClientTransport as NewHttp,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as NewPipe } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as OldSse } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as OldPipe } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  StreamableHTTPClientTransport as OldHttp,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as old from '@modelcontextprotocol/sdk/types.js';
import { HttpServer } from './server.mjs';

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
  transports: { stdio: OldPipe, http: OldHttp, sse: OldSse },
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
  transports: { stdio: NewPipe, http: NewHttp, sse: NewSse },
  on: (client, method, answer) => client.setRequestHandler(method, answer),
  hear: (client, method, heard) => client.setNotificationHandler(method, heard),
  call: (client, params, options) => client.callTool(params, options),
  custom: (client, request) => client.request(request, ANYTHING),
  // It shows the older code for a missing resource as the one that the modern era has.
  codeOf: (code) => (code === -32002 ? INVALID_PARAMS : code),
};

// The paths at which the server is found.
const PATHS = { http: '/mcp', sse: '/sse' };

/** `way` is how the server is reached: stdio, http, or sse for the HTTP of 2024-11-05. */
export class Conversation {
  #clients = [];
  #server = null;
  #posts = [];
  isOver = false;
  /** How often a client came back to a stream that it had lost. */
  resumptions = 0;

  constructor(library, revision, way, binary) {
    Object.assign(this, { library, revision, way, binary });
  }

  get modern() {
    return this.revision === MODERN;
  }

  /** Whether the revision is that one or a later one; revisions are dates. */
  since(revision) {
    return this.revision >= revision;
  }

  /** A connected client; `answers` and `hears` are by method. */
  async client({ capabilities = {}, answers = {}, hears = {}, command, oneByOne = false } = {}) {
    const client = this.library.make(this.revision, capabilities);
    for (const [method, answer] of Object.entries(answers)) this.library.on(client, method, answer);
    for (const [method, heard] of Object.entries(hears)) this.library.hear(client, method, heard);
    const place = await this.#place(command);
    const transport = new this.library.transports[this.way](place, this.#watched());
    this.#clients.push(client);
    await client.connect(transport);
    if (oneByOne) handOverOneByOne(transport);
    return client;
  }

  /** Where the server is: over pipes each client starts one, over HTTP all share the first. */
  async #place(command) {
    if (this.way === 'stdio') {
      const [program, ...args] = command ?? [this.binary];
      return { command: program, args };
    }
    this.#server ??= await HttpServer.start(this.binary);
    return new URL(PATHS[this.way], this.#server.url);
  }

  /** Ends the connections on which answers come, as a network would. */
  cut() {
    for (const connection of this.#posts.splice(0)) connection.abort(new Error('cut'));
  }

  #watched() {
    if (this.way !== 'http') return {};
    const watch = (url, init = {}) => {
      if (new Headers(init.headers).has('last-event-id')) this.resumptions += 1;
      if (init.method !== 'POST') return fetch(url, init);
      const connection = new AbortController();
      this.#posts.push(connection);
      const signals = [init.signal, connection.signal].filter(Boolean);
      return fetch(url, { ...init, signal: AbortSignal.any(signals) });
    };
    return { fetch: watch };
  }

  /** The status that a ping with those headers gets, whatever the client would send. */
  async statusOf(headers) {
    const response = await fetch(await this.#place(), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: '{"jsonrpc":"2.0","id":"p","method":"ping"}',
    });
    await response.text();
    return response.status;
  }

  call(client, name, args = {}, options = undefined) {
    return this.library.call(client, { name, arguments: args }, options);
  }

  /** What a tool says; a failure is marked. */
  async text(client, name, args = {}, options = undefined) {
    const result = await this.call(client, name, args, options);
    return (result.isError ? 'failed: ' : '') + result.content[0].text;
  }

  /** Lets the clients go, and then the server, if it is still there. */
  async close() {
    this.isOver = true;
    await Promise.all(this.#clients.splice(0).map((client) => client.close()));
    const server = this.#server;
    this.#server = null;
    await server?.stop();
  }
}

/**
 * Both clients drop progress that is read together with its answer: they handle the answer at once
 * and the progress a moment later, when nobody waits for it. So each message gets its own turn.
 */
function handOverOneByOne(transport) {
  const deliver = transport.onmessage;
  let turn = Promise.resolve();
  transport.onmessage = (...message) => {
    turn = turn.then(() => new Promise((resolve) => setImmediate(resolve)));
    turn = turn.then(() => deliver(...message));
  };
}

export const SPOKEN = [
  [newLibrary, MODERN, 'stdio'],
  [newLibrary, '2025-11-25', 'stdio'],
  [newLibrary, '2025-06-18', 'stdio'],
  [newLibrary, '2025-03-26', 'stdio'],
  [newLibrary, '2024-11-05', 'stdio'],
  [oldLibrary, '2025-11-25', 'stdio'],
  [newLibrary, MODERN, 'http'],
  [newLibrary, '2025-11-25', 'http'],
  [newLibrary, '2025-06-18', 'http'],
  [newLibrary, '2025-03-26', 'http'],
  [newLibrary, '2024-11-05', 'sse'],
  [oldLibrary, '2025-11-25', 'http'],
  [oldLibrary, '2025-11-25', 'sse'],
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
