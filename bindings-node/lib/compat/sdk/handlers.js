'use strict';

const { McpError, Suspended } = require('../../../index.cjs');
const { ErrorCode, MCPError, errorFrom } = require('./errors.js');
const { Extra } = require('./extra.js');
const { resultOf } = require('./results.js');
const { methodOf, validated } = require('./schemas.js');

// The engine answers these for all of its connections, before anybody else hears of them.
const RESERVED = {
  initialize: 'the handshake is made from serverInfo, capabilities and instructions of the server',
  'server/discover': 'it is answered from serverInfo, capabilities and instructions of the server',
  'subscriptions/listen': 'set a handler for SubscribeResourceRequestSchema, which is asked for each resource in it',
  'notifications/cancelled': 'look at extra.signal in the handler of the request',
};

/** What answers requests and hears notifications, by method. */
class Handlers {
  #requests = new Map();
  #notifications = new Map();
  fallbackRequest = undefined;
  fallbackNotification = undefined;
  /** Makes an answer of an error, if the program has one. */
  onError = undefined;
  #report;
  #log;

  /** `report` is told of errors that belong to no request, `log` of those of requests that nobody has expected. */
  constructor(report, log) {
    this.#report = report;
    this.#log = log;
  }

  setRequest(schema, handler) {
    return set(this.#requests, schema, handler);
  }

  setNotification(schema, handler) {
    return set(this.#notifications, schema, handler);
  }

  /** Forgets a handler; says whether there is none left for the method. */
  removeRequest(method) {
    this.#requests.delete(method);
    return !this.#notifications.has(method);
  }

  removeNotification(method) {
    this.#notifications.delete(method);
    return !this.#requests.has(method);
  }

  hasRequest(method) {
    return this.#requests.has(method);
  }

  methods() {
    return [...this.#requests.keys(), ...this.#notifications.keys(), ...(this.hasFallback ? ['*'] : [])];
  }

  get hasFallback() {
    return this.fallbackRequest !== undefined || this.fallbackNotification !== undefined;
  }

  /** Has a message handled that has come by a link; gives the result of a request. */
  handle(link, method, params, context) {
    const message = { method, params: params ?? {} };
    return context.requestId === null ? this.#hear(message) : this.#answer(link, message, context);
  }

  async #answer(link, message, context) {
    const { schema, handler = this.fallbackRequest } = this.#requests.get(message.method) ?? {};
    try {
      if (handler === undefined) throw new MCPError(ErrorCode.MethodNotFound, 'Method not found');
      // At once where the schema allows it, so that a handler knows its request before anybody can cancel it.
      const valid = validated(schema, message);
      const request = typeof valid?.then === 'function' ? await valid : valid;
      return resultOf(message.method, await handler(request, new Extra(link, context)));
    } catch (error) {
      // Not an error: the client is asked, and the handler runs again.
      if (error instanceof Suspended) throw error;
      throw await this.#failure(error, { jsonrpc: '2.0', id: context.requestId, ...message });
    }
  }

  #hear(message) {
    const { schema, handler = this.fallbackNotification } = this.#notifications.get(message.method) ?? {};
    return handler === undefined ? undefined : this.#pass(message, schema, handler);
  }

  async #pass(message, schema, handler) {
    try {
      await handler(await validated(schema, message));
    } catch (error) {
      this.#report(error);
    }
  }

  /** What the client is told: what the program's error handler makes of an error, else the error itself. */
  async #failure(error, request) {
    if (!(error instanceof McpError)) this.#log(`${request.method} failed:`, error);
    try {
      const answer = await this.onError?.(error, request);
      return errorFrom(answer?.error ?? answer ?? error);
    } catch (another) {
      return errorFrom(another);
    }
  }
}

function set(handlers, schema, handler) {
  const method = methodOf(schema);
  if (Object.hasOwn(RESERVED, method)) throw new Error(`${method} has no handlers: ${RESERVED[method]}`);
  if (typeof handler !== 'function') throw new TypeError(`the handler of ${method} must be a function`);
  handlers.set(method, { schema, handler });
  return method;
}

module.exports = { Handlers };
