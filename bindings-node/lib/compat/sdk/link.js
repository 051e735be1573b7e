'use strict';

const { McpServer: Core } = require('../../../index.cjs');

/** By which transports of this package make their own links. */
const LINK = Symbol('link');

/** How many milliseconds requests in progress have to finish when a connection is closed. */
const GRACE = 5000;

const SUBSCRIBE = 'resources/subscribe';

// What the engine does itself, so that handlers can only be asked besides it.
const AROUND = new Set(['ping', 'logging/setLevel', SUBSCRIBE, 'resources/unsubscribe']);

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

// By which a server gets to know its client.
const INITIALIZED = 'notifications/initialized';

const LISTS = {
  'notifications/tools/list_changed': 'tool',
  'notifications/resources/list_changed': 'resource',
  'notifications/prompts/list_changed': 'prompt',
};

/** One transport and the server of the engine behind it, which offers what the handlers do. */
class Link {
  #host;
  #subscriptions = null;
  #watching = null;
  #registered = new Map();
  /** The streams of changes whose resources are watched, by the ids of their requests. */
  #streams = new Map();
  /** Below which clients want no log messages. */
  #level = 0;
  #isAround = false;
  #isOver = false;

  /** `host` is what the links of a server share: its settings, its handlers, and whom to tell. */
  constructor(host) {
    this.#host = host;
    const settings = host.settings();
    this.core = new Core({ ...settings, onError: host.report });
    this.install(INITIALIZED);
    for (const method of host.methods()) this.install(method);
    if (settings.logging) this.#surround();
  }

  get host() {
    return this.#host;
  }

  get isOver() {
    return this.#isOver;
  }

  /** What clients watch; most programs have nothing of the kind. */
  get subscriptions() {
    if (this.#subscriptions === null) {
      const { Subscriptions } = require('./subscriptions.js');
      this.#subscriptions = new Subscriptions((uri) => this.core.notifyUpdated(uri), this.#host.report);
      if (this.#isOver) this.#subscriptions.close();
    }
    return this.#subscriptions;
  }

  /** Sees to it that the engine asks for a handler of this method. */
  install(method) {
    if (AROUND.has(method)) return this.#surround();
    if (this.#registered.has(method)) return;
    const registered = this.core.on(method, (params, context) => this.#host.handle(this, context.method, params, context));
    this.#registered.set(method, registered);
  }

  uninstall(method) {
    if (method === INITIALIZED) return;
    this.#registered.get(method)?.remove();
    this.#registered.delete(method);
  }

  /** Sends a notification to the clients of this link that want it. */
  tell(method, params) {
    if (Object.hasOwn(LISTS, method)) this.core.notifyListChanged(LISTS[method]);
    else if (method === 'notifications/resources/updated') this.core.notifyUpdated(params.uri);
    else if (method === 'notifications/elicitation/complete') this.core.notifyElicited(params.elicitationId);
    else if (method !== 'notifications/message' || LEVELS.indexOf(params.level) >= this.#level) this.notify(method, params);
  }

  /** Nothing is served any more. */
  finish() {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#subscriptions?.close();
    this.core.close();
    this.#host.closed(this);
  }

  /** What a transport knows of a request that it has brought. */
  arrivalOf() {
    return undefined;
  }

  /** Who watches resources until it unsubscribes. */
  sessionOf() {
    return 'session';
  }

  /** Who watches resources for as long as the stream of changes is open that this request opens. */
  streamOf(context) {
    const stream = { isOver: false };
    this.#streams.set(context.requestId, stream);
    this.core.observe(({ event, method, id }) => {
      if (event === 'request-completed' && method === 'subscriptions/listen') this.#endStream(id);
    });
    return stream;
  }

  #endStream(id) {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    this.#streams.delete(id);
    stream.isOver = true;
    this.subscriptions.endAll(stream);
  }

  #surround() {
    if (this.#isAround) return;
    this.#isAround = true;
    this.core.use(({ method, arguments: params, context }, next) => {
      if (method === 'resources/unsubscribe') this.subscriptions.end(this.sessionOf(context), params?.uri);
      if (AROUND.has(method) && method !== SUBSCRIBE) return this.#besides(method, params, context, next);
      if (!this.#host.has(SUBSCRIBE)) return next();
      if (method === SUBSCRIBE) return this.#watch().subscribe(params, context, next);
      return method === 'subscriptions/listen' ? this.#watch().listen(params, context, next) : next();
    });
  }

  #watch() {
    if (this.#watching === null) {
      const { Watching } = require('./watching.js');
      this.#watching = new Watching(this, this.#host);
    }
    return this.#watching;
  }

  /** The engine does its part, and the handler gives the answer. */
  async #besides(method, params, context, next) {
    const result = await next();
    if (method === 'logging/setLevel') this.#level = LEVELS.indexOf(params.level);
    return this.#host.has(method) ? this.#host.handle(this, method, params, context) : result;
  }
}

module.exports = { GRACE, LINK, Link };
