'use strict';

// A server: tools, resources and prompts, and the ways to serve them.

const native = require('./native.js');
const { Pump } = require('./pump.js');
const { Registry } = require('./registry.js');
const { MisuseError, refusing } = require('./errors.js');

/** Options that the engine knows by the same names. */
const OPTIONS = [
  'title', 'description', 'instructions', 'websiteUrl', 'icons', 'timeout', 'coerce', 'errors', 'debug', 'pageSize', 'cacheTtl',
  'cachePublic', 'questionTtl', 'revisions', 'logging', 'identify', 'experimental', 'extensions',
];
const OWN_OPTIONS = ['name', 'version', 'maskErrors', 'sealKeys', 'declare', 'limits', 'state', 'onError'];
const DECLARED = { tools: 'declareTools', resources: 'declareResources', prompts: 'declarePrompts', completions: 'declareCompletions' };

/** Loaded with the first thing that is offered. */
let items;

const NATIVE = Symbol.for('mcplite.native');

class McpServer {
  #engine;
  #pump;
  #registry;
  #onError;
  #serving = new Set();
  #fetch = null;

  constructor(info, more) {
    const options = { ...info, ...more };
    if (typeof options.name !== 'string') {
      throw new TypeError("a server has a name: new McpServer({ name: 'demo', version: '1.0.0' })");
    }
    const { name, version = '0.0.0' } = options;
    this.name = name;
    this.version = version;
    this.state = options.state;
    this.masksErrors = options.maskErrors === true;
    this.isDebugging = options.debug === true;
    this.#onError = options.onError ?? reportToConsole;
    this.#engine = refusing(() => new native.Engine(name, String(version)));
    this.#pump = new Pump(this.#engine, this);
    this.#registry = new Registry(this, this.#pump);
    for (const property of ['masksErrors', 'isDebugging']) Object.defineProperty(this, property, { enumerable: false });
    this.#configure(options);
  }

  #configure(options) {
    const settings = { ...options.limits };
    for (const [name, value] of Object.entries(options)) {
      if (value === undefined || OWN_OPTIONS.includes(name)) continue;
      if (!OPTIONS.includes(name)) {
        throw new MisuseError(`there is no option ${JSON.stringify(name)}; there are: ${[...OPTIONS, ...OWN_OPTIONS].join(', ')}`);
      }
      settings[name] = value;
    }
    for (const [kind, isDeclared] of Object.entries(options.declare ?? {})) settings[DECLARED[kind] ?? kind] = isDeclared;
    refusing(() => this.#engine.configure(JSON.stringify(settings)));
    if (options.sealKeys?.length > 0) {
      if (!options.sealKeys.every((key) => key.byteLength === 32)) throw new MisuseError('a seal key is 32 bytes');
      refusing(() => this.#engine.setSealKeys(Buffer.concat(options.sealKeys)));
    }
  }

  registerTool(name, config, handler) {
    checkHandler(handler, 'registerTool(name, config, handler)');
    return this.#offer(config, (all) => [items.tool(this, name, all, handler)]);
  }

  registerResource(name, uri, config, source) {
    const template = typeof uri === 'string' ? uri : uri?.uriTemplate;
    if (typeof template !== 'string') throw new TypeError('registerResource(name, uri, config, handler): the URI is a string');
    const suggestions = (all) => Object.entries({ ...uri.complete, ...all.complete });
    return this.#offer(config, (all) => [
      items.resource(this, name, template, all, source),
      ...suggestions(all).map(([argument, suggest]) => items.completion(this, 'template', template, argument, suggest)),
    ]);
  }

  registerPrompt(name, config, handler) {
    checkHandler(handler, 'registerPrompt(name, config, handler)');
    return this.#offer(config, (all) => [
      items.prompt(this, name, all, handler),
      ...Object.entries(all.complete ?? {}).map(([argument, suggest]) => items.completion(this, 'prompt', name, argument, suggest)),
    ]);
  }

  on(method, handler) {
    checkHandler(handler, 'on(method, handler)');
    return this.#offer({ replace: true }, () => [items.method(this, method, handler)]);
  }

  #offer(config, make) {
    items ??= require('./items.js');
    const { Registration } = require('./registration.js');
    return new Registration(this.#registry, config ?? {}, make);
  }

  use(middleware) {
    checkHandler(middleware, 'use(middleware)');
    this.#registry.surround(middleware);
    return this;
  }

  observe(observer) {
    if (observer !== null) checkHandler(observer, 'observe(observer)');
    this.#pump.observe(observer);
    return this;
  }

  mount(prefix, other) {
    if (!(other instanceof McpServer)) throw new TypeError('mount(prefix, server): what is mounted is a McpServer');
    this.#registry.mount(prefix, other.#registry);
    return this;
  }

  notifyUpdated(uri) {
    this.#engine.notifyUpdated(uri);
    this.#pump.runSoon();
  }

  notifyListChanged(kind) {
    refusing(() => this.#engine.notifyListChanged(kind));
    this.#pump.runSoon();
  }

  notifyElicited(elicitationId) {
    try {
      this.#engine.notifyElicited(elicitationId);
    } catch (error) {
      // Nothing is told to those that are gone.
      if (error.code !== 'ERR_MCPLITE_NOT_FOUND') throw error;
    }
    this.#pump.runSoon();
  }

  session(options) {
    const { Session } = require('./session.js');
    return new Session(this.#pump, options);
  }

  stdio(options) {
    return require('./stdio.js').serveStdio(this, options);
  }

  connect(transport, options) {
    return require('./transport.js').connect(this, transport, options);
  }

  httpHandler(options) {
    return require('./http.js').httpHandler(this.#pump, options);
  }

  fetchHandler(options) {
    return require('./fetch.js').fetchHandler(this.#pump, options);
  }

  get fetch() {
    this.#fetch ??= this.fetchHandler();
    return this.#fetch;
  }

  async shutdown() {
    this.#engine.shutdown();
    this.#pump.run();
    const ended = [...this.#serving].map((end) => end());
    await this.#pump.whenIdle();
    await Promise.allSettled(ended);
  }

  close() {
    this.#engine.close();
    this.#pump.run();
  }

  get offers() {
    const list = (kind) => this.#registry.list(kind);
    return { tools: list('tool'), resources: list('resource'), resourceTemplates: list('template'), prompts: list('prompt') };
  }

  get memoryUsed() {
    return this.#engine.memoryUsed;
  }

  /** @internal The engine, for tests that bring their own clock. */
  get [NATIVE]() {
    return this.#engine;
  }

  /** @internal The middleware, for items. */
  get layers() {
    return this.#registry.layers;
  }

  /** @internal Tells the developer of something that went wrong in a handler. */
  report(error, request) {
    try {
      this.#onError(error, request);
    } catch (failure) {
      reportToConsole(failure, { method: 'onError', name: '' });
    }
  }

  /** @internal Something serves clients, and is ended by a function when the server shuts down. */
  serving(end) {
    this.#serving.add(end);
    return () => this.#serving.delete(end);
  }
}

function checkHandler(handler, usage) {
  if (typeof handler !== 'function') throw new TypeError(`${usage} needs a function, and has ${handler === null ? 'null' : typeof handler}`);
}

function reportToConsole(error, { method, name }) {
  console.error(`mcplite: ${`${method} ${name}`.trim()} failed`, error);
}

module.exports = { McpServer };
