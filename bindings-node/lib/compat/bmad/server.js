'use strict';

const { McpServer: Core } = require('../../../index.cjs');
const { Channel } = require('../channel.js');
const { Call } = require('./call.js');
const { isCall, isId, parsed } = require('./incoming.js');
const { JSON_RPC_ERROR, errorOf, isNotification, makeError, responseOf } = require('./jsonrpc.js');

const DEFAULT_LIMITS = { messageBytes: 4 << 20, depth: 64, openCalls: 1024 };

// How long the engine may take to say goodbye when all requests are answered.
const FAREWELL = 1000;

// What the engine answers although nobody has registered it.
const OF_ENGINE = new Set(['initialize', 'server/discover', 'subscriptions/listen', 'ping']);

// The capability that goes with the beginning of a method's name.
const CAPABILITIES = { tools: 'tools', resources: 'resources', prompts: 'prompts', completion: 'completions' };

/** Routes the messages of one transport to the handlers of their methods, and the rest to the engine. */
class McpServer {
  #transport;
  #options;
  #limits;
  #handlers = new Map();
  #started = null;
  #stopping = null;
  #isListening = false;
  #isGreeted = false;
  #core = null;
  #channel = null;
  /** The requests that can be cancelled, by id. */
  #open = new Map();
  /** What has to be over before the transport is stopped. */
  #running = new Set();

  constructor(transport, options) {
    for (const name of ['start', 'stop', 'send', 'onMessage']) {
      if (typeof transport?.[name] !== 'function') throw new TypeError(`a transport needs a method ${name}()`);
    }
    if (typeof options?.name !== 'string') throw new TypeError('a server needs a name: new McpServer(transport, { name })');
    this.#transport = transport;
    this.#options = options;
    const { messageBytes, depth, openCalls } = { ...DEFAULT_LIMITS, ...options.limits };
    // As the engine does it, so that one of the two refuses what is too much.
    this.#limits = { messageBytes: Math.max(messageBytes, 1024), depth: Math.max(depth, 4), openCalls };
  }

  /** Answers a method with what `handler` returns or resolves to. */
  on(method, handler) {
    if (typeof method !== 'string' || method === '') throw new TypeError('a method is a text that is not empty');
    if (typeof handler !== 'function') throw new TypeError(`the handler of ${method} must be a function`);
    this.#handlers.set(method, handler);
  }

  /** Starts the transport, and takes messages from now on. */
  start() {
    this.#started ??= this.#connect().catch((error) => {
      this.#disconnect();
      throw error;
    });
    return this.#started;
  }

  /** Takes no more requests, lets those in progress finish, and stops the transport. */
  stop() {
    if (this.#started === null) return Promise.resolve();
    this.#stopping ??= this.#finish().finally(() => this.#disconnect());
    return this.#stopping;
  }

  async #connect() {
    const { limits, name, protocolVersion = '2024-11-05', version } = this.#options;
    this.#core = new Core({ name, version, limits, revisions: [protocolVersion], logging: false, declare: this.#offered() });
    this.#channel = new Channel(this.#core.session(), () => this.#sendAll());
    if (!this.#isListening) {
      this.#transport.onMessage((message) => this.#receive(message));
      this.#isListening = true;
    }
    await this.#transport.start();
  }

  async #finish() {
    try {
      await this.#started;
    } catch {
      return;
    }
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    await this.#channel.end(FAREWELL);
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    await this.#transport.stop();
  }

  #disconnect() {
    this.#channel?.close();
    this.#core?.close();
    this.#channel = this.#core = this.#started = this.#stopping = null;
    this.#isGreeted = false;
    this.#open.clear();
  }

  /** The capabilities whose methods have handlers, for clients that begin with a handshake. */
  #offered() {
    const offered = {};
    for (const method of this.#handlers.keys()) {
      const capability = capabilityOf(method);
      if (capability !== undefined) offered[capability] = true;
    }
    return offered;
  }

  #receive(message) {
    if (this.#channel === null) return;
    const call = parsed(message, this.#limits.messageBytes);
    if (!isCall(call, this.#limits.depth)) return this.#leaveToEngine(message);
    if (isNotification(call)) return this.#notified(call);
    if (this.#stopping !== null) {
      return this.#send(makeError(call.id, JSON_RPC_ERROR.INTERNAL_ERROR, 'the server takes no more requests'));
    }
    const handler = this.#handlers.get(call.method);
    if (handler !== undefined) return this.#answer(call, handler);
    if (this.#isOfEngine(call)) return this.#leaveToEngine(message);
    this.#send(makeError(call.id, JSON_RPC_ERROR.METHOD_NOT_FOUND, `Method not found: ${call.method.slice(0, 80)}`));
  }

  /** Whether the engine is to answer a request that has no handler: what it has announced, to whoever has heard it. */
  #isOfEngine({ method, params }) {
    this.#isGreeted ||= method === 'initialize';
    if (OF_ENGINE.has(method)) return true;
    const capability = capabilityOf(method);
    const isAnnounced = capability !== undefined && this.#offered()[capability] === true;
    return isAnnounced && (this.#isGreeted || params?._meta !== undefined);
  }

  #leaveToEngine(message) {
    try {
      this.#channel.receive(message);
    } catch (error) {
      // An object that has no text, such as one that contains itself, is not what clients send.
      const isSilent = typeof message.method === 'string' && isNotification(message);
      if (!isSilent) this.#refuse(isId(message.id) ? message.id : null, `Invalid Request: ${error.message.split('\n')[0]}`);
    }
  }

  #notified(notification) {
    const { method, params } = notification;
    if (method === 'notifications/cancelled') this.#cancel(params?.requestId, params?.reason);
    // What the protocol says of a connection concerns the engine, whoever else hears it.
    if (method.startsWith('notifications/')) this.#leaveToEngine(notification);
    const handler = this.#stopping === null ? this.#handlers.get(method) : undefined;
    if (handler === undefined) return;
    try {
      const result = handler(params, notification, new Call());
      if (isPromise(result)) this.#run(Promise.resolve(result).then(() => {}, (error) => this.#report(error)));
    } catch (error) {
      this.#report(error);
    }
  }

  /** Answers at once if the handler does. */
  #answer(request, handler) {
    const { id, params } = request;
    if (id !== null && this.#open.has(id)) {
      return this.#refuse(id, 'Invalid Request: the id belongs to a request that is still open');
    }
    if (this.#open.size >= this.#limits.openCalls) {
      return this.#refuse(id, `Limit exceeded: ${this.#limits.openCalls} requests are open`);
    }
    const call = new Call();
    let response;
    try {
      const result = handler(params, request, call);
      if (isPromise(result)) return this.#await(id, call, result);
      response = responseOf(result, id);
    } catch (error) {
      response = errorOf(error, id);
    }
    this.#send(response);
  }

  #await(id, call, promise) {
    // Requests without an id of their own count too, but nobody can name them.
    const key = id ?? call;
    this.#open.set(key, call);
    const response = Promise.resolve(promise).then((result) => responseOf(result, id)).catch((error) => errorOf(error, id));
    this.#run(response.then((it) => {
      if (call.isCancelled) return;
      this.#open.delete(key);
      this.#send(it);
    }));
  }

  #cancel(id, reason) {
    const call = this.#open.get(id);
    this.#open.delete(id);
    call?.cancel(reason);
  }

  #refuse(id, message) {
    this.#send(makeError(id, JSON_RPC_ERROR.INVALID_REQUEST, message));
  }

  /** Sends what the engine has to say. */
  #sendAll() {
    for (let message; (message = this.#channel?.next() ?? null) !== null; ) this.#send(message);
  }

  #send(message) {
    try {
      const sent = this.#transport.send(message);
      if (isPromise(sent)) this.#run(Promise.resolve(sent).catch((error) => this.#notSent(message, error)));
    } catch (error) {
      this.#notSent(message, error);
    }
  }

  #notSent(message, error) {
    if (isNotification(message) || isJson(message)) return this.#report(error);
    // The handler is to blame, not the transport, and the client still waits.
    this.#send(makeError(message.id, JSON_RPC_ERROR.INTERNAL_ERROR, `the answer cannot be written as JSON: ${error?.message}`));
  }

  #run(promise) {
    const running = promise.catch((error) => this.#report(error)).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  #report(error) {
    const { onError = console.error } = this.#options;
    onError(error);
  }
}

function capabilityOf(method) {
  const slash = method.indexOf('/');
  const family = slash === -1 ? '' : method.slice(0, slash);
  return Object.hasOwn(CAPABILITIES, family) ? CAPABILITIES[family] : undefined;
}

function isPromise(value) {
  return typeof value === 'object' && value !== null && typeof value.then === 'function';
}

function isJson(message) {
  try {
    JSON.stringify(message);
    return true;
  } catch {
    return false;
  }
}

module.exports = { McpServer };
