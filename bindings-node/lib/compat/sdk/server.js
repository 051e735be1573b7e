'use strict';

const { Handlers } = require('./handlers.js');
const { LINK } = require('./link.js');
const { merged, settingsOf } = require('./settings.js');
const { TransportLink } = require('./transport_link.js');

/** A server whose program answers the requests of the protocol itself. */
class Server {
  #info;
  #options;
  #capabilities;
  #handlers;
  #links = new Set();
  #client = {};
  #host;

  /** Is called when a client has finished its handshake. */
  oninitialized = undefined;
  /** Is called when a connection has ended. */
  onclose = undefined;
  /** Is told of errors that belong to no request. */
  onerror = undefined;

  constructor(serverInfo, options = {}) {
    if (typeof serverInfo?.name !== 'string') throw new TypeError('a server needs a name: new Server({ name, version }, { capabilities })');
    this.#info = serverInfo;
    this.#options = options;
    this.#capabilities = options.capabilities ?? {};
    this.#handlers = new Handlers((error) => this.#report(error), (...texts) => options.logger?.error?.(...texts));
    this.#handlers.onError = options.errorHandler;
    this.#host = {
      settings: () => settingsOf(this.#info, this.#capabilities, this.#options),
      methods: () => this.#handlers.methods(),
      has: (method) => this.#handlers.hasRequest(method),
      handle: (link, method, params, context) => this.#handle(link, method, params, context),
      report: (error) => this.#report(error),
      closed: (link) => this.#closed(link),
    };
  }

  /** Answers the requests that a schema describes with what `handler` returns, in the place of who did before. */
  setRequestHandler(schema, handler) {
    this.#install(this.#handlers.setRequest(schema, handler));
  }

  removeRequestHandler(method) {
    if (this.#handlers.removeRequest(method)) this.#uninstall(method);
  }

  assertCanSetRequestHandler(method) {
    if (this.#handlers.hasRequest(method)) throw new Error(`A request handler for ${method} already exists, which would be overridden`);
  }

  setNotificationHandler(schema, handler) {
    this.#install(this.#handlers.setNotification(schema, handler));
  }

  removeNotificationHandler(method) {
    if (this.#handlers.removeNotification(method)) this.#uninstall(method);
  }

  /** Answers requests that have no handler of their own. */
  get fallbackRequestHandler() {
    return this.#handlers.fallbackRequest;
  }

  set fallbackRequestHandler(handler) {
    this.#handlers.fallbackRequest = handler;
    this.#placeFallback();
  }

  get fallbackNotificationHandler() {
    return this.#handlers.fallbackNotification;
  }

  set fallbackNotificationHandler(handler) {
    this.#handlers.fallbackNotification = handler;
    this.#placeFallback();
  }

  /** Sets what makes answers of the errors that handlers throw. */
  setErrorHandler(handler) {
    this.#handlers.onError = handler;
  }

  /** Announces more, to clients of connections that are made from now on. */
  registerCapabilities(capabilities) {
    if (this.#links.size > 0) throw new Error('Cannot register capabilities after connecting to transport');
    this.#capabilities = merged(this.#capabilities, capabilities);
  }

  /** Serves the clients that come by a transport; resolves when it is ready for them. */
  async connect(transport) {
    const link = typeof transport?.[LINK] === 'function' ? transport[LINK](this.#host) : new TransportLink(this.#host, transport);
    this.#links.add(link);
    try {
      await link.start();
    } catch (error) {
      this.#links.delete(link);
      link.finish();
      throw error;
    }
    this.#options.logger?.info?.(`${this.#info.name} is connected`);
  }

  /** Lets requests in progress finish, and ends all connections. */
  async close() {
    await Promise.all(Array.from(this.#links, (link) => link.close()));
  }

  /** Sends a notification to clients: changes to those that want to know, others to all. */
  async notification({ method, params }) {
    await Promise.all(Array.from(this.#links, async (link) => link.tell(method, params)));
  }

  sendLoggingMessage(params) {
    return this.notification({ method: 'notifications/message', params });
  }

  sendResourceUpdated(params) {
    return this.notification({ method: 'notifications/resources/updated', params });
  }

  sendResourceListChanged() {
    return this.notification({ method: 'notifications/resources/list_changed' });
  }

  sendToolListChanged() {
    return this.notification({ method: 'notifications/tools/list_changed' });
  }

  sendPromptListChanged() {
    return this.notification({ method: 'notifications/prompts/list_changed' });
  }

  /** What the client that has come last can do. */
  getClientCapabilities() {
    return this.#client.capabilities;
  }

  /** The name and version of the client that has come last. */
  getClientVersion() {
    return this.#client.info;
  }

  #handle(link, method, params, context) {
    if (method === 'notifications/initialized' || this.#client.info === undefined) {
      this.#client = { capabilities: context.clientCapabilities, info: context.clientInfo };
    }
    if (method === 'notifications/initialized') this.#initialized();
    return this.#handlers.handle(link, method, params, context);
  }

  #initialized() {
    try {
      this.oninitialized?.();
    } catch (error) {
      this.#report(error);
    }
  }

  #install(method) {
    for (const link of this.#links) link.install(method);
  }

  #uninstall(method) {
    for (const link of this.#links) link.uninstall(method);
  }

  #placeFallback() {
    if (this.#handlers.hasFallback) this.#install('*');
    else this.#uninstall('*');
  }

  #closed(link) {
    if (!this.#links.delete(link)) return;
    this.#options.logger?.info?.(`${this.#info.name} is disconnected`);
    this.onclose?.();
  }

  #report(error) {
    const { logger } = this.#options;
    try {
      if (this.onerror !== undefined) this.onerror(error);
      else if (typeof logger?.error === 'function') logger.error('mcplite:', error);
      else console.error(error);
    } catch (another) {
      console.error(another);
    }
  }
}

module.exports = { Server };
