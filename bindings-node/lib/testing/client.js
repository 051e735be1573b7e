'use strict';

// The client for tests.

const { ErrorCode, McpError, MisuseError, ToolError } = require('../../index.cjs');
const { Connection } = require('./connection.js');
const { CallResult, PromptMessages, ReadResult, Subscription } = require('./outcomes.js');
const { PREFIX } = require('./wire.js');

class Client {
  #connection;
  #wire;
  #throws;
  #subscriptions = new Map();

  static async connect(server, options = {}) {
    const client = new Client(server, options);
    try {
      await client.#open();
    } catch (error) {
      await client.close();
      throw error;
    }
    return client;
  }

  constructor(server, options) {
    this.#connection = new Connection(server, options);
    this.#wire = this.#connection.wire;
    this.#throws = options.throwOnError ?? true;
  }

  get revision() {
    return this.#wire.revision;
  }

  get serverInfo() {
    return this.#wire.server.serverInfo ?? {};
  }

  get serverCapabilities() {
    return this.#wire.server.capabilities ?? {};
  }

  get instructions() {
    return this.#wire.server.instructions;
  }

  get notifications() {
    this.#connection.hear();
    return this.#wire.notifications;
  }

  get logs() {
    this.#connection.hear();
    return this.#wire.logs;
  }

  get progress() {
    this.#connection.hear();
    return this.#wire.progress;
  }

  async call(name, args = {}, { throwOnError = this.#throws, ...options } = {}) {
    const result = new CallResult(await this.request('tools/call', { name, arguments: args }, options));
    if (throwOnError && result.isError) throw Object.assign(new ToolError(result.text), { result });
    return result;
  }

  listTools() {
    return this.#listAll('tools/list', 'tools');
  }

  listResources() {
    return this.#listAll('resources/list', 'resources');
  }

  listTemplates() {
    return this.#listAll('resources/templates/list', 'resourceTemplates');
  }

  listPrompts() {
    return this.#listAll('prompts/list', 'prompts');
  }

  async #listAll(method, member) {
    const items = [];
    let cursor;
    do {
      const page = await this.request(method, cursor === undefined ? {} : { cursor });
      items.push(...page[member]);
      cursor = page.nextCursor;
    } while (cursor !== undefined && cursor !== null);
    return items;
  }

  async read(uri, options) {
    return new ReadResult(await this.request('resources/read', { uri }, options));
  }

  async prompt(name, args = {}, options = {}) {
    const texts = Object.fromEntries(
      Object.entries(args).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
    );
    return new PromptMessages(await this.request('prompts/get', { name, arguments: texts }, options));
  }

  async complete(of, argument, value = '', { context, ...options } = {}) {
    const ref = /[{:]/.test(of) ? { type: 'ref/resource', uri: of } : { type: 'ref/prompt', name: of };
    const params = { ref, argument: { name: argument, value }, ...(context && { context: { arguments: context } }) };
    return (await this.request('completion/complete', params, options)).completion;
  }

  async ping() {
    await this.request(this.#wire.isModern ? 'server/discover' : 'ping');
  }

  async setLogLevel(level) {
    this.#wire.logLevel = level;
    if (!this.#wire.isModern) await this.request('logging/setLevel', { level });
  }

  request(method, params, options) {
    return this.#connection.request(method, params, options);
  }

  notify(method, params) {
    this.#connection.send({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  async listen({ tools = false, prompts = false, resources = false, uris = [] }) {
    const lists = Object.entries({ tools, prompts, resources }).filter(([, isWanted]) => isWanted).map(([kind]) => kind);
    return this.#wire.isModern ? this.#openStream(lists, uris) : this.#subscribeEach(lists, uris);
  }

  async subscribe(uri) {
    this.#subscriptions.set(uri, await this.listen({ uris: [uri] }));
  }

  async unsubscribe(uri) {
    const subscription = this.#subscriptions.get(uri);
    if (subscription === undefined) throw new MisuseError(`there is no subscription to ${uri}`);
    this.#subscriptions.delete(uri);
    await subscription.close();
  }

  async waitFor(method) {
    const wire = this.#wire;
    const count = wire.waited.get(method) ?? 0;
    wire.waited.set(method, count + 1);
    const found = () => wire.notifications.filter((note) => note.method === method)[count];
    try {
      await this.#connection.until(() => found() !== undefined, method);
    } catch (error) {
      wire.waited.set(method, wire.waited.get(method) - 1);
      throw error;
    }
    return found().params;
  }

  async close() {
    this.#connection.close();
  }

  async #open() {
    const wire = this.#wire;
    if (wire.isModern) {
      const told = await this.request('server/discover');
      wire.server = { ...told, serverInfo: told._meta?.[`${PREFIX}serverInfo`] };
      return;
    }
    const { revision, capabilities, clientInfo, logLevel } = wire;
    wire.server = await this.request('initialize', { protocolVersion: revision, capabilities, clientInfo });
    const agreed = wire.server.protocolVersion;
    if (wire.isExact && agreed !== revision) {
      throw new McpError(ErrorCode.UnsupportedRevision, `the server speaks ${agreed}, not ${revision}`);
    }
    wire.revision = agreed;
    this.notify('notifications/initialized');
    if (logLevel !== null && wire.server.capabilities.logging) await this.request('logging/setLevel', { level: logLevel });
  }

  async #openStream(lists, uris) {
    const wire = this.#wire;
    const notifications = Object.fromEntries(lists.map((kind) => [`${kind}ListChanged`, true]));
    if (uris.length > 0) notifications.resourceSubscriptions = [...uris];
    const message = wire.compose('subscriptions/listen', { notifications });
    const { id } = message;
    this.#connection.send(message);
    await this.#connection.until(() => wire.accepted.has(id) || !wire.isOpen(id), 'subscriptions/listen');
    if (!wire.accepted.has(id)) this.#connection.result(id);
    return new Subscription(uris, wire.accepted.get(id), () => {
      if (wire.isOpen(id)) this.#connection.send(wire.cancellation(id));
    });
  }

  async #subscribeEach(lists, uris) {
    for (const uri of uris) await this.request('resources/subscribe', { uri });
    const told = lists.filter((kind) => this.serverCapabilities[kind]?.listChanged);
    const accepted = Object.fromEntries(told.map((kind) => [`${kind}ListChanged`, true]));
    if (uris.length > 0) accepted.resourceSubscriptions = [...uris];
    return new Subscription(uris, accepted, async () => {
      for (const uri of uris) await this.request('resources/unsubscribe', { uri });
    });
  }

  static {
    if (Symbol.asyncDispose) this.prototype[Symbol.asyncDispose] = this.prototype.close;
  }
}

module.exports = { Client };
