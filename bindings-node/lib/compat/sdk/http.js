'use strict';

const { GRACE, LINK, Link } = require('./link.js');

/** Serves clients over HTTP, any number of them and of every revision at the same URL. */
class HttpServerTransport {
  #options;
  #link = null;

  constructor({ port = 3000, host = '127.0.0.1', path = '/mcp', cors, ...others } = {}) {
    this.#options = { port, host, path, http: { ...security(host, cors), ...others, path } };
  }

  /** The port that is listened at, also if it was chosen by the system; undefined before that. */
  get port() {
    return this.address()?.port;
  }

  /** Where clients find the server; undefined before it listens. */
  get url() {
    const address = this.address();
    if (address === null) return undefined;
    const host = ANYWHERE.has(address.address) ? 'localhost' : address.address;
    return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}${this.#options.path}`;
  }

  /** What the socket is bound to, as `net.Server` says it; null before that. */
  address() {
    return this.#link?.address() ?? null;
  }

  async close() {
    await this.#link?.close();
  }

  [LINK](host) {
    if (this.#link !== null && !this.#link.isOver) throw new Error('this transport is connected already; close it first');
    this.#link = new HttpLink(host, this.#options);
    return this.#link;
  }
}

class HttpLink extends Link {
  #options;
  #http = null;
  #handler = null;
  #closing = null;
  #isWatching = false;
  /** The responses to requests under way: a stream of changes ends with its own. */
  #responses = new WeakMap();

  constructor(host, options) {
    super(host);
    this.#options = options;
  }

  async start() {
    const { createServer } = require('node:http');
    const state = ({ raw }) => this.#responses.get(raw);
    this.#handler = this.core.httpHandler({ ...this.#options.http, state });
    this.#http = createServer((request, response) => this.#serve(request, response));
    await new Promise((resolve, reject) => {
      this.#http.once('error', reject);
      this.#http.listen(this.#options.port, this.#options.host, resolve);
    });
    this.#http.on('error', this.host.report);
  }

  address() {
    return this.#http?.address() ?? null;
  }

  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close() {
    if (this.isOver) return;
    const timer = setTimeout(() => this.finish(), GRACE);
    try {
      const closed = new Promise((resolve) => { this.#http.close(resolve); });
      await this.core.shutdown();
      this.#handler.close();
      this.#http.closeIdleConnections();
      await closed;
    } finally {
      clearTimeout(timer);
      this.finish();
    }
  }

  finish() {
    super.finish();
    this.#http?.close();
    this.#http?.closeAllConnections();
  }

  notify(method) {
    const advice = 'send it with extra.sendNotification() while a request is handled';
    this.host.report(new Error(`over HTTP ${method} has no way to the clients by itself: ${advice}`));
  }

  sessionOf(context) {
    if (!this.#isWatching) {
      this.#isWatching = true;
      // Which session has ended nobody says, but when there is none any more nobody watches.
      this.core.observe(({ event }) => {
        if (event !== 'session-closed' || this.#handler.sessions > 0) return;
        this.subscriptions.endWhere((owner) => typeof owner === 'string');
      });
    }
    return context.sessionId ?? 'session';
  }

  streamOf(context) {
    const response = context.state;
    const stream = { isOver: response.closed };
    response.once('close', () => {
      stream.isOver = true;
      this.subscriptions.endAll(stream);
    });
    return stream;
  }

  #serve(request, response) {
    this.#responses.set(request, response);
    if (request.method === 'DELETE') {
      const session = request.headers['mcp-session-id'];
      response.once('finish', () => { if (response.statusCode < 300) this.subscriptions.endAll(session); });
    }
    this.#handler(request, response);
  }
}

const ANYWHERE = new Set(['0.0.0.0', '::', '']);
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Who may come in, by where is listened and by which pages the program names. */
function security(host, cors) {
  const corsOrigins = originsOf(cors);
  // A program that listens everywhere is addressed by names that it does not know. Pages of others are still kept out.
  if (ANYWHERE.has(host)) return { corsOrigins, allowedHosts: ['*'] };
  const name = host.includes(':') ? `[${host}]` : host;
  return { corsOrigins, allowedHosts: [...new Set([...LOOPBACK, name])] };
}

function originsOf(cors) {
  const origin = typeof cors === 'object' && cors !== null && !Array.isArray(cors) ? cors.origin ?? true : cors;
  if (origin === undefined || origin === null || origin === false) return [];
  if (origin === true) return ['*'];
  const origins = [origin].flat();
  if (origins.every((it) => typeof it === 'string')) return origins;
  throw new TypeError('cors must be true, an origin such as "https://example.org", an array of them, or { origin } with one of these');
}

module.exports = { HttpServerTransport };
