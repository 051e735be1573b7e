'use strict';

// Keeps a server going: takes the calls that wait in the engine, runs their handlers, hands the answers back, and
// sees to it that output is taken, time is kept and signals are heard. Everything happens on one thread, so that
// nothing waits while nobody is here: whoever does something with the engine runs the pump afterwards.

const native = require('./native.js');
const { MisuseError } = require('./errors.js');

// Bits of `Engine.flags`.
const CALLS = 1;
const NOTED = 2;
const TIME = 4;

/** The answer to calls whose handler was taken away before they could be taken. */
const GONE = 'failed {"kind":"internal","message":"its handler is gone"}';

/** How many pumps may run inside of handlers of one another. */
const MAX_DEPTH = 8;

/** The longest that a timer of Node's can wait. */
const MAX_DELAY = 2 ** 31 - 1;

/** Loaded with the first call. */
let Context;

class Pump {
  #engine;
  #number;
  #server;
  /** What answers, by the number that the engine knows it by. */
  #handlers = new Map();
  #lastHandler = 0;
  /** Contexts of calls whose handlers have not ended, by number. */
  #pending = new Map();
  /** Contexts of calls that were just begun. */
  #fresh = [];
  /** Those who look again when it is known which of those wait. */
  #visitors = [];
  /** Contexts that wait for the answer of a client of an older revision. */
  #suspended = new Map();
  #lastSuspended = 0;
  /** Whoever is told of output, by the number of the connection. */
  #connections = new Map();
  /** What the program attached to connections. */
  states = new Map();
  #observer = null;
  #answers = '';
  #isDue = false;
  #depth = 0;
  #timer = null;
  #timerDue = 0;
  #idle = [];
  #reference = null;

  constructor(engine, server) {
    this.#engine = engine;
    this.#number = engine.number;
    this.#server = server;
  }

  get engine() {
    return this.#engine;
  }

  get pendingCalls() {
    return this.#pending.size + this.#suspended.size + this.#fresh.length;
  }

  report(error, request) {
    this.#server.report(error, request);
  }

  observe(observer) {
    this.#observer = observer;
    this.#engine.observe(observer !== null);
  }

  /** Keeps what answers calls of an item; gives the number for the engine, which says when it is forgotten. */
  addHandler(handler) {
    this.#lastHandler += 1;
    this.#handlers.set(this.#lastHandler, handler);
    return this.#lastHandler;
  }

  addConnection(token, connection) {
    this.#connections.set(token, connection);
  }

  removeConnection(token) {
    this.#connections.delete(token);
    this.states.delete(token);
  }

  /** The same for one that ended without anybody saying so. */
  forgetConnection(token) {
    this.removeConnection(token);
    this.runSoon();
  }

  /** For those that must not hold it. */
  get reference() {
    this.#reference ??= new WeakRef(this);
    return this.#reference;
  }

  /**
   * Does what there is to do. Handlers that were just begun are watched from now on, unless more messages follow at once:
   * most of them will have ended by the time that those are through.
   */
  run(isMoreToCome = false) {
    if (this.#depth >= MAX_DEPTH) {
      throw new MisuseError('too many messages are handled inside of handlers of one another', 'ERR_MCPLITE_BUSY');
    }
    this.#depth += 1;
    try {
      if (this.#fresh.length > 0 && !isMoreToCome) this.#flushAnswers();
      let flags = CALLS;
      for (;;) {
        // Looking for calls is as cheap as asking whether there are some.
        const batch = flags & CALLS ? native.takeCalls(this.#number) : null;
        flags = batch === null ? native.flags(this.#number) : this.#runCalls(batch);
        if (flags & CALLS) continue;
        if (flags & NOTED) this.#hear(JSON.parse(this.#engine.takeSignals()));
        else {
          if (flags & TIME) this.#keepTime();
          break;
        }
      }
    } finally {
      this.#depth -= 1;
    }
    this.#mindTimer();
    if (this.#idle.length > 0) this.#tellIdle();
  }

  /** Does the same soon: when what runs now, and whatever it has started, has come to a stop. */
  runSoon() {
    if (this.#isDue) return;
    this.#isDue = true;
    process.nextTick(() => {
      this.#isDue = false;
      this.#flushAnswers();
      this.run(true);
      for (const visitor of this.#visitors.splice(0)) visitor.onReady();
    });
  }

  /** Has somebody told when handlers that were just begun have ended, or turn out to wait; says whether there are any. */
  lookAgain(visitor) {
    if (this.#fresh.length > 0) this.#visitors.push(visitor);
    return this.#fresh.length > 0;
  }

  /** Resolves when no handler is at work any more. */
  whenIdle() {
    return new Promise((resolve) => {
      this.#idle.push(resolve);
      this.#tellIdle();
    });
  }

  #tellIdle() {
    if (this.pendingCalls > 0 || this.#answers !== '') return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Runs the handlers of a batch of calls; gives what there is to do then. */
  #runCalls(text) {
    const batch = JSON.parse(text);
    let answers = '';
    for (let at = 0; at < batch.length; at += 4) {
      const answer = this.#start(batch[at], batch[at + 1], batch[at + 2], batch[at + 3]);
      if (answer !== '') answers += `${batch[at]} ${answer}\n`;
    }
    if (this.#fresh.length > 0) this.#mindFresh();
    return answers === '' ? native.flags(this.#number) : this.#handIn(answers);
  }

  /** Looks again at handlers that have not ended at once when those have that do not really wait for anything. */
  #mindFresh() {
    if (!this.#isDue) queueMicrotask(() => this.runSoon());
  }

  /** Runs the handler of a call; gives its answer, or that it is pending. */
  #start(number, handler, connection, args) {
    if (handler < 0) return this.#resume(-handler, number);
    const entry = this.#handlers.get(handler);
    if (entry === undefined) return GONE;
    Context ??= require('./context.js').Context;
    const context = new Context(this, this.#server, entry, number, args, this.states.get(connection));
    try {
      const given = entry.call(args, context);
      if (typeof given?.then !== 'function') {
        const answer = entry.answer(given, context);
        context.end();
        return answer;
      }
      // Not everything that has a `then` keeps the promise.
      Promise.resolve(given).then(
        (value) => this.#finish(context, () => entry.answer(value, context)),
        (error) => this.#finish(context, () => entry.fail(error, context)),
      );
    } catch (error) {
      const answer = entry.fail(error, context);
      context.end();
      return answer;
    }
    this.#fresh.push(context);
    return '';
  }

  /** A handler has ended that was not at once. */
  #finish(context, answer) {
    if (context.isOver) return;
    if (context.isSuspended) {
      // It did not wait for its question; its client is asked all the same, and has the answer then.
      context.outcome = answer;
      return;
    }
    const { number } = context;
    this.#answers += `${number} ${this.#made(answer, context)}\n`;
    context.end();
    this.#pending.delete(number);
    this.runSoon();
  }

  #made(answer, context) {
    try {
      return answer();
    } catch (error) {
      return context.entry.fail(error, context);
    }
  }

  /** Ends an attempt whose client is asked now, and which goes on here when it has answered. */
  suspend(context) {
    this.#lastSuspended += 1;
    const token = this.#lastSuspended;
    const { number } = context;
    context.suspend();
    this.#pending.delete(number);
    this.#suspended.set(token, context);
    try {
      this.#engine.suspend(number, token);
    } catch {
      // Nobody waits for it any more, and this is the first to notice.
      this.#suspended.delete(token);
      this.#engine.release(number);
      context.cancel();
    }
    this.runSoon();
  }

  /** Ends an attempt whose client brings its answer with a request of its own. */
  replyAsked(context) {
    const { number } = context;
    this.#pending.delete(number);
    context.end();
    this.#answers += `${number} asked 0\n`;
    this.runSoon();
  }

  #resume(token, number) {
    const context = this.#suspended.get(token);
    if (context === undefined) return GONE;
    this.#suspended.delete(token);
    context.resume(number);
    if (context.outcome !== null) {
      const answer = this.#made(context.outcome, context);
      context.end();
      return answer;
    }
    this.#pending.set(number, context);
    return 'pending 0';
  }

  #flushAnswers() {
    for (const context of this.#fresh.splice(0)) {
      if (context.isOver || context.isSuspended) continue;
      this.#pending.set(context.number, context);
      this.#answers += `${context.number} pending 0\n`;
    }
    const answers = this.#answers;
    this.#answers = '';
    if (answers !== '') this.#handIn(answers);
  }

  #handIn(answers) {
    const given = native.answer(this.#number, answers);
    if (typeof given === 'number') return given;
    for (const { method, name, message } of JSON.parse(given)) {
      this.#server.report(new TypeError(`what the handler gave cannot be sent: ${message}`), { method, name });
    }
    return native.flags(this.#number);
  }

  #hear({ cancelled, output, dropped, handlers, events }) {
    for (const number of cancelled) {
      const context = this.#pending.get(number);
      if (context === undefined) continue;
      this.#pending.delete(number);
      context.cancel();
      this.#engine.release(number);
    }
    for (const token of dropped) {
      const context = this.#suspended.get(token);
      if (context === undefined) continue;
      this.#suspended.delete(token);
      context.cancel();
    }
    for (const handler of handlers) this.#handlers.delete(handler);
    for (const token of output) this.#tellOfOutput(this.#connections.get(token));
    for (const event of events) this.#tell(event);
  }

  /** What one connection does with its output must not cost another its own. */
  #tellOfOutput(connection) {
    try {
      connection?.onReady();
    } catch (error) {
      this.#server.report(error, { method: 'onOutput', name: '' });
    }
  }

  #tell(event) {
    try {
      this.#observer?.(event);
    } catch (error) {
      this.#server.report(error, { method: 'observer', name: event.event });
    }
  }

  #keepTime() {
    const timeout = this.#engine.timeoutMs();
    if (timeout < 0) return;
    const due = performance.now() + timeout;
    if (this.#timer !== null) {
      if (this.#timerDue <= due) return;
      clearTimeout(this.#timer);
    }
    this.#timerDue = due;
    this.#timer = setTimeout(() => this.#tick(), Math.min(timeout, MAX_DELAY));
  }

  #tick() {
    this.#timer = null;
    this.#engine.tick();
    this.#keepTime();
    this.run();
  }

  /** Deadlines keep the process alive as long as there is a handler that they are about. */
  #mindTimer() {
    if (this.#timer === null) return;
    if (this.pendingCalls > 0) this.#timer.ref();
    else this.#timer.unref();
  }
}

module.exports = { Pump };
