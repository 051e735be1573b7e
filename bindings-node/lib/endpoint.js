'use strict';

// A server at a path: what `node:http` and web requests have in common.

const { MisuseError, refusing } = require('./errors.js');

const DEFAULT_PATH = '/mcp';
const METADATA = '/.well-known/oauth-protected-resource';
const NOTHING = new Uint8Array(0);

class Endpoint {
  #pump;
  #http;
  #authorize;
  #state;
  #others;
  #hasMetadata;

  constructor(pump, { path, authorize, state, ...options } = {}) {
    this.#pump = pump;
    this.#authorize = authorize;
    this.#state = state;
    /** Whether the program has said where the endpoint is. */
    this.isPlaced = path !== undefined;
    this.path = path ?? DEFAULT_PATH;
    this.#others = [options.ssePath, options.ssePostPath].filter((other) => other !== undefined);
    this.#hasMetadata = options.resourceMetadata !== undefined;
    const settings = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    this.#http = refusing(() => pump.engine.http(this.path));
    refusing(() => this.#http.configure(JSON.stringify(settings)));
  }

  get pump() {
    return this.#pump;
  }

  get sessions() {
    return this.#http.sessions;
  }

  close() {
    this.#http.close();
    this.#pump.run();
  }

  /** Whether requests to this path are answered here wherever the endpoint stands. */
  isOther(path) {
    return this.#others.includes(path) || (this.#hasMetadata && path.startsWith(METADATA));
  }

  /**
   * Begins an exchange; gives it, or null if the server takes no requests any more. Gives a promise if the program decides
   * about requests and takes its time.
   *
   * `describe` gives what those functions of the program get to see that ask for it.
   */
  open(method, target, headers, describe) {
    const exchange = this.#begin(method, target, headers);
    if (exchange === null || (this.#authorize === undefined && this.#state === undefined)) return exchange;
    // The checks that need no program come first.
    exchange.body(NOTHING);
    if (exchange.stage !== 0) return exchange;
    const request = { ...describe(), setChallenge: (parameters) => (request.challenge = String(parameters)), challenge: undefined };
    if (this.#authorize === undefined) return this.#attach(exchange, request);
    const refuse = (status) => {
      exchange.close();
      this.#http.refuseNext(status, request.challenge);
      const refused = this.#begin(method, target, headers);
      refused?.body(NOTHING);
      return refused;
    };
    return this.#decided(exchange, request, refuse);
  }

  #decided(exchange, request, refuse) {
    const decide = (verdict) => {
      const status = statusOf(verdict);
      if (status !== 200) return refuse(status);
      if (typeof verdict === 'string') exchange.setPrincipal(verdict);
      return this.#attach(exchange, request);
    };
    // Whoever cannot decide lets nobody in.
    const fail = (error) => {
      this.#pump.report(error, { method: 'authorize', name: request.path });
      return refuse(403);
    };
    try {
      const verdict = this.#authorize(request);
      return typeof verdict?.then === 'function' ? verdict.then(decide).catch(fail) : decide(verdict);
    } catch (error) {
      return fail(error);
    }
  }

  #attach(exchange, request) {
    const state = this.#state?.(request);
    if (state !== undefined) {
      this.#pump.states.set(exchange.token, state);
      exchange.attach();
    }
    return exchange;
  }

  #begin(method, target, headers) {
    try {
      return this.#http.open(method, target, headers);
    } catch (error) {
      if (['ERR_MCPLITE_CLOSED', 'ERR_MCPLITE_LIMIT'].includes(error.code)) return null;
      throw error;
    }
  }

  /** The exchange is over. */
  finish(exchange) {
    exchange.close();
    this.#pump.removeConnection(exchange.token);
    this.#pump.run();
  }
}

function statusOf(verdict) {
  if (verdict === true || (typeof verdict === 'string' && verdict !== '')) return 200;
  if (verdict === false || verdict === null || verdict === undefined || verdict === '') return 401;
  if (verdict === 401 || verdict === 403) return verdict;
  throw new MisuseError('authorize gives true, the name of the principal, or 401 or 403');
}

/** What is answered when the server takes no requests any more. */
const UNAVAILABLE = { status: 503, headers: ['Content-Type', 'text/plain', 'Retry-After', '1'], body: Buffer.from('the server is busy or going away\n') };

module.exports = { Endpoint, UNAVAILABLE };
