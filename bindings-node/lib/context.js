'use strict';

// The context of a call: what a handler knows of its request, and can tell or ask the client.

const { misused } = require('./errors.js');
const { wellFormed } = require('./results.js');

/** What can still be read when nobody waits for the call any more. */
const READABLE = [
  'method', 'name', 'id', 'meta', 'revision', 'clientInfo', 'clientCapabilities', 'principal', 'sessionId', 'headers',
];

class Context {
  #pump;
  #server;
  #entry;
  /** The engine's number for the call; 0 when it is over. */
  #number;
  #state;
  #arguments;
  /** What has been read, so that it is read once. */
  #known = null;
  #controller = null;
  #isCancelled = false;
  #asking = null;

  /** How a handler has ended that did not wait for its question, for the pump. */
  outcome = null;

  constructor(pump, server, entry, number, args, state) {
    this.#pump = pump;
    this.#server = server;
    this.#entry = entry;
    this.#number = number;
    this.#arguments = args;
    this.#state = state;
  }

  get server() {
    return this.#server;
  }

  get method() {
    return this.#read('method');
  }

  get name() {
    return this.#read('name');
  }

  get requestId() {
    return parsed(this.#read('id'), null);
  }

  get arguments() {
    return this.#arguments;
  }

  get meta() {
    return parsed(this.#read('meta'), {});
  }

  get revision() {
    return this.#read('revision');
  }

  get clientInfo() {
    return parsed(this.#read('clientInfo'), {});
  }

  get clientCapabilities() {
    return parsed(this.#read('clientCapabilities'), {});
  }

  get principal() {
    return this.#read('principal');
  }

  get headers() {
    return parsed(this.#read('headers'), {});
  }

  get sessionId() {
    return this.#read('sessionId');
  }

  get state() {
    return this.#state === undefined ? this.#server.state : this.#state;
  }

  get signal() {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#isCancelled) this.#abort();
    }
    return this.#controller.signal;
  }

  get cancelled() {
    return this.#isCancelled;
  }

  progress(done, total, message) {
    this.#tell((engine, number) => engine.progress(number, done, total, message));
  }

  log(level, data, logger) {
    const json = wellFormed(JSON.stringify(data) ?? 'null');
    this.#tell((engine, number) => engine.log(number, level, json, logger));
  }

  debug(data) {
    this.log('debug', data);
  }

  info(data) {
    this.log('info', data);
  }

  warning(data) {
    this.log('warning', data);
  }

  error(data) {
    this.log('error', data);
  }

  closeStream() {
    if (this.#number === 0) return false;
    try {
      this.#pump.engine.closeStream(this.#number);
    } catch {
      return false;
    }
    this.#pump.runSoon();
    return true;
  }

  canElicit(mode = 'form') {
    return this.#questions().canAsk('elicitation/create', { mode });
  }

  canSample() {
    return this.#questions().canAsk('sampling/createMessage');
  }

  canListRoots() {
    return this.#questions().canAsk('roots/list');
  }

  elicit(message, form, options) {
    return this.#questions().elicit(message, form, options);
  }

  elicitUrl(message, url, options) {
    return this.#questions().elicitUrl(message, url, options);
  }

  sample(messages, options) {
    return this.#questions().sample(messages, options);
  }

  roots(options) {
    return this.#questions().roots(options);
  }

  once(key, make) {
    return this.#questions().once(key, make);
  }

  toJSON() {
    return { method: this.method, name: this.name, requestId: this.requestId };
  }

  // The rest is for the library.

  /** @internal */
  get entry() {
    return this.#entry;
  }

  /** @internal */
  get number() {
    return this.#number;
  }

  /** @internal */
  get isOver() {
    return this.#number === 0 && !this.isSuspended;
  }

  /** @internal Whether the client is asked, and the handler waits here. */
  get isSuspended() {
    return this.#asking !== null && this.#asking.isSuspended;
  }

  /** @internal The same call as handlers of a mounted server know it. */
  belongTo(server) {
    this.#server = server;
  }

  /** @internal */
  setArguments(args) {
    this.#arguments = args;
  }

  /** @internal The call is answered. */
  end() {
    this.#remember();
    this.#number = 0;
    this.#asking?.forget();
  }

  /** @internal The client is asked. Until it has answered, there is no call to read from. */
  suspend() {
    this.#rememberAll();
    this.#number = 0;
  }

  /** @internal The client has answered, and the next attempt goes on with this handler. */
  resume(number) {
    this.#number = number;
    this.#asking.resume();
  }

  /** @internal Nobody waits for the answer any more. */
  cancel() {
    this.#isCancelled = true;
    if (this.#number !== 0) {
      this.#rememberAll();
      this.#read('cancelReason');
    }
    this.#number = 0;
    if (this.#controller !== null) this.#abort();
    this.#asking?.cancel();
  }

  #abort() {
    const reason = this.#known?.get('cancelReason');
    this.#controller.abort(new DOMException(reason || 'nobody waits for the answer any more', 'AbortError'));
  }

  /** Answered calls are read from seldom, and then for messages about them. */
  #remember() {
    if (this.#known !== null && this.#number !== 0) this.#rememberAll();
  }

  #rememberAll() {
    for (const what of READABLE) this.#read(what);
  }

  #read(what) {
    this.#known ??= new Map();
    if (!this.#known.has(what)) {
      if (this.#number === 0) return null;
      this.#known.set(what, this.#pump.engine.read(this.#number, what));
    }
    return this.#known.get(what);
  }

  #tell(tell) {
    if (this.#number === 0) return;
    try {
      tell(this.#pump.engine, this.#number);
    } catch (error) {
      throw misused(error);
    }
    this.#pump.runSoon();
  }

  #questions() {
    if (this.#asking === null) {
      const { Asking } = require('./asking.js');
      this.#asking = new Asking(this.#pump, this);
    }
    return this.#asking;
  }
}

function parsed(text, otherwise) {
  return text === null || text === '' ? otherwise : JSON.parse(text);
}

module.exports = { Context };
