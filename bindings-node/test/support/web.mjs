// HTTP servers for tests, and a client that sees everything of its requests and responses.

import { once } from 'node:events';
import http from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { LEGACY, MODERN, modernMeta, soon } from './client.mjs';

/** The ways to serve HTTP: each makes a listener of `node:http` that can what handlers can. */
export const WAYS = {
  node: (server, options) => server.httpHandler(options),
  fetch: (server, options) => {
    const handler = server.fetchHandler(options);
    const listener = getRequestListener(handler, { overrideGlobalObjects: false });
    const own = (request, response) => listener(request, response);
    own.close = () => handler.close();
    return Object.defineProperty(own, 'sessions', { get: () => handler.sessions });
  },
};

/** Listens until the test is over; gives the port. */
export async function listen(t, listener, options = {}) {
  const web = http.createServer(options, listener);
  await once(web.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    web.close();
    web.closeAllConnections();
  });
  return { web, port: web.address().port };
}

/** A modern request: its headers and its body. */
export function modern(method, params = {}, { id = 1, capabilities, logLevel, progressToken } = {}) {
  const meta = { ...modernMeta({ capabilities, logLevel }), ...(progressToken === undefined ? {} : { progressToken }) };
  const name = params.name ?? params.uri;
  return {
    headers: {
      'MCP-Protocol-Version': MODERN,
      'Mcp-Method': method,
      ...(name === undefined ? {} : { 'Mcp-Name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } }),
  };
}

export function toolCall(name, args = {}, options = {}) {
  return modern('tools/call', { name, arguments: args }, options);
}

/** Sends a request, or with `isOpen` all but its end; gives its response as soon as it begins. */
export async function send(port, { method = 'POST', path = '/mcp', headers = {}, body, agent = false, chunks = [], isOpen = false } = {}) {
  const usual = method === 'POST' ? { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
    : method === 'GET' ? { Accept: 'text/event-stream' } : {};
  const outgoing = http.request({ host: '127.0.0.1', port, method, path, agent, headers: { ...usual, ...headers } });
  // Whoever hangs up has not always a listener for what comes of it.
  outgoing.on('error', () => {});
  for (const chunk of chunks) outgoing.write(chunk);
  // As bytes: text would be sent in one piece with the headers, and change those that are not ASCII.
  if (isOpen) outgoing.flushHeaders();
  else outgoing.end(body === undefined ? undefined : Buffer.from(body));
  return new Reply(outgoing, await begun(outgoing));
}

async function begun(outgoing) {
  const [incoming] = await soon(Promise.race([
    once(outgoing, 'response'),
    once(outgoing, 'close').then(() => {
      throw new Error('the connection was closed without a response');
    }),
  ]), 'a response');
  return incoming;
}

export class Reply {
  #incoming;
  #events;

  constructor(outgoing, incoming) {
    this.outgoing = outgoing;
    this.#incoming = incoming;
    this.#incoming.on('error', () => {});
    this.status = incoming.statusCode;
    this.headers = incoming.headers;
    this.rawHeaders = incoming.rawHeaders;
    this.#events = eventsOf(incoming);
  }

  get incoming() {
    return this.#incoming;
  }

  get isStream() {
    return this.headers['content-type'] === 'text/event-stream';
  }

  async text() {
    const pieces = [];
    for await (const piece of this.#incoming) pieces.push(piece);
    return String(Buffer.concat(pieces));
  }

  async json() {
    return JSON.parse(await soon(this.text(), 'the body'));
  }

  /** The next event of a stream: its id, and its message if it has one. Null at the end. */
  async event() {
    const { value, done } = await soon(this.#events.next(), 'an event');
    return done ? null : value;
  }

  /** The next message of a stream. Null at the end. */
  async message() {
    for (;;) {
      const event = await this.event();
      if (event === null || event.message !== undefined) return event?.message ?? null;
    }
  }

  /** The client is gone. */
  hangUp() {
    this.outgoing.destroy();
  }
}

async function* eventsOf(incoming) {
  let text = '';
  incoming.setEncoding('utf8');
  for await (const piece of incoming) {
    text += piece;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const field = (name) => lines.find((line) => line.startsWith(`${name}:`))?.slice(name.length + 1).trim();
      const data = field('data');
      yield { id: field('id'), event: field('event'), retry: field('retry'), comment: field(''), message: data ? JSON.parse(data) : undefined };
    }
  }
}

/** A client with a session, before 2026-07-28. */
export class Visitor {
  constructor(port, path = '/mcp', agent = false) {
    Object.assign(this, { port, path, agent, headers: {} });
  }

  static async arrive(port, { revision = LEGACY, capabilities = {}, path = '/mcp', headers = {} } = {}) {
    const visitor = new Visitor(port, path);
    visitor.headers = { ...headers };
    const params = { protocolVersion: revision, capabilities, clientInfo: { name: 'test', version: '1' } };
    const reply = await visitor.post({ id: 'hello', method: 'initialize', params });
    await reply.text();
    visitor.headers = { ...headers, 'Mcp-Session-Id': reply.headers['mcp-session-id'], 'MCP-Protocol-Version': revision };
    await (await visitor.post({ method: 'notifications/initialized' })).text();
    return visitor;
  }

  post(message, headers = {}) {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    return send(this.port, { path: this.path, headers: { ...this.headers, ...headers }, body, agent: this.agent });
  }

  call(id, name, { args = {}, progressToken } = {}) {
    const meta = progressToken === undefined ? {} : { _meta: { progressToken } };
    return this.post({ id, method: 'tools/call', params: { name, arguments: args, ...meta } });
  }

  get(headers = {}) {
    return send(this.port, { method: 'GET', path: this.path, headers: { ...this.headers, ...headers } });
  }

  leave() {
    return send(this.port, { method: 'DELETE', path: this.path, headers: this.headers });
  }
}

/** A promise with its functions beside it. */
export function deferred() {
  let resolve;
  const promise = new Promise((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
