// What tests of the SDK's API have in common: a transport, and clients of both eras.

import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';

import { Server } from 'mcplite/compat/sdk';

export const WITHIN = { timeout: 20_000 };

/** A transport of one's own, as the reference has it: with `onMessage` and `onError`. */
export class Carrier extends EventEmitter {
  sent = [];
  isOpen = false;

  async start() {
    this.isOpen = true;
  }

  async send(message) {
    this.sent.push(message);
    this.emit('sent');
  }

  onMessage(handler) {
    this.deliver = handler;
  }

  onError(handler) {
    this.fail = handler;
  }

  async close() {
    this.isOpen = false;
  }

  /** The first message that fits, when it is there; it is taken away. */
  async next(fits = () => true) {
    for (;;) {
      const place = this.sent.findIndex(fits);
      if (place >= 0) return this.sent.splice(place, 1)[0];
      await once(this, 'sent');
    }
  }

  /** Sends a request and gives the response to it. */
  async ask(message) {
    this.deliver(message);
    return this.next((it) => it.id === message.id && it.method === undefined);
  }
}

/** Clients, by how they write a request. */
export const ERAS = {
  '2024-11-05': legacy('2024-11-05'),
  '2025-06-18': legacy('2025-06-18'),
  '2025-11-25': legacy('2025-11-25'),
  '2026-07-28': {
    isModern: true,
    async greet() {},
    request: (id, method, params = {}) => ({ jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...params._meta, ...MODERN } } }),
  },
};

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
};

function legacy(protocolVersion) {
  const request = (id, method, params) => (params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params });
  return {
    isModern: false,
    request,
    async greet(carrier) {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
      const response = await carrier.ask(request('greeting', 'initialize', params));
      assert.equal(response.result?.protocolVersion, protocolVersion);
      carrier.deliver({ jsonrpc: '2.0', method: 'notifications/initialized' });
      return response.result;
    },
  };
}

/** Connects a client of an era to a server; `ask` gives results, or throws the error that came. */
export async function connected(server, era = ERAS['2025-11-25']) {
  const carrier = new Carrier();
  await server.connect(carrier);
  const greeting = await era.greet(carrier);
  let last = 0;
  return {
    carrier,
    greeting,
    async ask(method, params) {
      last += 1;
      const { result, error } = await carrier.ask(era.request(last, method, params));
      if (error !== undefined) throw Object.assign(new Error(error.message), error);
      return result;
    },
  };
}

/** A server with these handlers, by schema. */
export function serverWith(handlers, { capabilities = { tools: {}, resources: { subscribe: true }, prompts: {} }, ...options } = {}) {
  const server = new Server({ name: 'example-server', version: '1.0.0' }, { capabilities, ...options });
  for (const [schema, handler] of handlers) server.setRequestHandler(schema, handler);
  return server;
}

/** Leaves out what the newest revision adds to every result. */
export function plain(result) {
  const { _meta, resultType, ttlMs, cacheScope, ...rest } = result;
  return rest;
}

export function latch() {
  let open;
  const opened = new Promise((resolve) => { open = resolve; });
  return { open, opened };
}
