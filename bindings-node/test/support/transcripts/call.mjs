// A call as the engine knows it, for what transcripts do and the package has no words for: answers to the byte,
// questions in the fixture's own words, letting go without an answer.

import { createRequire } from 'node:module';

import { McpServer } from 'mcplite';

const NATIVE = Symbol.for('mcplite.native');

/** The engine of a server. */
export function engineOf(server) {
  return server[NATIVE];
}

/** The addon that the package has loaded. */
export const addon = (() => {
  const { constructor: Engine } = engineOf(new McpServer({ name: 'any' }));
  const loaded = Object.values(createRequire(import.meta.url).cache);
  return loaded.find(({ exports }) => exports?.Engine === Engine).exports;
})();

export class RawCall {
  #engine;
  #context;

  constructor(context) {
    this.#engine = engineOf(context.server);
    this.#context = context;
  }

  get isOpen() {
    return this.#context.number !== 0;
  }

  read(what) {
    return this.#engine.read(this.#context.number, what);
  }

  /** Answers in a form of the engine's, with JSON as it stands. */
  answer(form, json) {
    addon.answer(this.#engine.number, `${this.#context.number} ${form} ${json}\n`);
  }

  log(level, json, logger) {
    this.#engine.log(this.#context.number, level, json, logger);
  }

  progress(done, total) {
    this.#engine.progress(this.#context.number, done, total);
  }

  ask(key, { method, params }) {
    return this.#engine.ask(this.#context.number, key, method, written(params));
  }

  canAsk({ method, params }) {
    return this.#engine.canAsk(this.#context.number, method, written(params));
  }

  keep(text) {
    this.#engine.keepText(this.#context.number, text);
  }

  /** Ends an attempt that has asked. */
  endAsked() {
    this.answer('asked', '0');
  }

  /** Lets go of it without an answer. */
  release() {
    this.#engine.release(this.#context.number);
  }
}

function written(params) {
  return params === undefined ? '' : JSON.stringify(params);
}
