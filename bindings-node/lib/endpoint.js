'use strict';

// A server at a path: what `node:http` and web requests have in common.

const native = require('./native.js');
const { MisuseError, refusing } = require('./errors.js');

const DEFAULT_PATH = '/mcp';
const METADATA = '/.well-known/oauth-protected-resource';
const NOTHING = new Uint8Array(0);

/** Refusals of bodies by what the headers say of them: Accept, Content-Length, Content-Type. */
const OF_BODIES = [406, 413, 415];

/** How many different heads of responses are remembered: most are the same but for the length of the body. */
const MAX_HEADS = 256;

class Endpoint {
  #pump;
  #http;
  #number;
  #authorize;
  #state;
  #others;
  #hasMetadata;
  #heads = new Map();

  constructor(pump, { path, authorize, state, ...options } = {}) {
    this.#pump = pump;
    this.#authorize = authorize;
    this.#state = state;
    /** Whether the program has said where the endpoint is. */
    this.isPlaced = path !== undefined;
    this.path = path ?? DEFAULT_PATH;
    /** Whether functions of the program look at requests before they are served. */
    this.isWatched = authorize !== undefined || state !== undefined;
    this.#others = [options.ssePath, options.ssePostPath].filter((other) => other !== undefined);
    this.#hasMetadata = options.resourceMetadata !== undefined;
    const settings = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    this.#http = refusing(() => pump.engine.http(this.path));
    this.#number = this.#http.number;
    refusing(() => this.#http.configure(JSON.stringify(settings)));
    if (authorize !== undefined) this.#http.expectVerdicts();
  }

  get pump() {
    return this.#pump;
  }

  /** The exchanges, by number. */
  get native() {
    return this.#http;
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
   * Begins an exchange; gives its number, or one that `unserved` takes if there is none. Gives a promise if the program
   * decides about requests and takes its time. `describe` gives what the program gets to see of them.
   */
  open(method, target, headers, describe) {
    const number = this.#http.open(method, target, headers);
    if (number === 0 || !this.isWatched) return number;
    // The checks that need no program come first.
    this.endHead(number);
    const isRefused = this.#http.stage(number) !== 0;
    if (isRefused && !this.#isAsked(number)) return number;
    let challenge;
    const setChallenge = (parameters) => {
      challenge = String(parameters);
    };
    const request = { ...describe(), setChallenge };
    if (this.#authorize === undefined) return this.#attach(number, request);
    const refuse = (status) => {
      this.#http.leave(number);
      this.#http.refuseNext(status, challenge);
      const refused = this.#http.open(method, target, headers);
      if (refused !== 0) this.endHead(refused);
      // It is about this request and no other.
      this.#http.forgetVerdict();
      return refused;
    };
    return this.#decided(number, request, refuse, isRefused);
  }

  /** Whether the program is asked about a request that is refused: what is wrong with its body is not for everybody to know. */
  #isAsked(number) {
    return this.#authorize !== undefined && OF_BODIES.includes(this.readHead(this.#http.head(number)).status);
  }

  #decided(number, request, refuse, isRefused) {
    const decide = (verdict) => {
      const status = statusOf(verdict);
      if (status !== 200) return refuse(status);
      if (isRefused) return number;
      if (typeof verdict === 'string') this.#http.setPrincipal(number, verdict);
      return this.#attach(number, request);
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

  #attach(number, request) {
    let state;
    try {
      state = this.#state?.(request);
    } catch (error) {
      this.#pump.report(error, { method: 'state', name: request.path });
      this.#http.leave(number);
      return FAILED;
    }
    if (state !== undefined) {
      this.#pump.states.set(number, state);
      this.#http.attach(number);
    }
    return number;
  }

  /** Has a request checked for which no body is there yet. */
  endHead(number) {
    this.#http.body(number, NOTHING);
  }

  /** Begins an exchange whose request is there with all of its body, where the program need not look at it. */
  openWhole(method, target, headers, body) {
    return native.openWhole(this.#number, `${method}\n${target}\n${headers}`, body);
  }

  /** The whole response, if it is there: then the exchange is over. */
  takeWhole(number) {
    const text = native.takeWhole(this.#number, number);
    if (text === null) return null;
    const end = text.indexOf('\n\n');
    const { status, headers } = this.readHead(text.slice(0, end));
    this.#pump.states.delete(number);
    return { status, headers, body: text.slice(end + 2) };
  }

  /** A head as the engine writes it. */
  readHead(text) {
    let head = this.#heads.get(text);
    if (head === undefined) {
      const [status, ...headers] = text.split('\n');
      head = { status: Number(status), headers };
      if (this.#heads.size === MAX_HEADS) this.#heads.clear();
      this.#heads.set(text, head);
    }
    return head;
  }

  /** The client is gone, or has everything. */
  leave(number) {
    if (number <= 0) return;
    this.#http.leave(number);
    this.#pump.removeConnection(number);
    this.#pump.run();
  }
}

function statusOf(verdict) {
  if (verdict === true || (typeof verdict === 'string' && verdict !== '')) return 200;
  if (verdict === false || verdict === null || verdict === undefined || verdict === '') return 401;
  if (verdict === 401 || verdict === 403) return verdict;
  throw new MisuseError('authorize gives true, the name of the principal, or 401 or 403');
}

/** The number of an exchange that a function of the program has made impossible; 0 if the server takes no more of them. */
const FAILED = -1;

/** What is answered when there is no exchange of that number. */
function unserved(number) {
  return number === FAILED ? BROKEN : UNAVAILABLE;
}

/** What is answered when something of the program has failed. */
const BROKEN = Object.freeze({
  status: 500,
  headers: ['Content-Type', 'text/plain', 'Content-Length', '18'],
  body: 'the server failed\n',
});

/** What is answered when the server takes no requests any more. */
const UNAVAILABLE = Object.freeze({
  status: 503,
  headers: ['Content-Type', 'text/plain', 'Retry-After', '1', 'Content-Length', '33'],
  body: 'the server is busy or going away\n',
});

module.exports = { BROKEN, Endpoint, UNAVAILABLE, unserved };
