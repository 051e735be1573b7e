'use strict';

// Asking the client. Before 2026-07-28 the engine waits for the client, and the handler waits with it. Since then
// the client brings its answers with a request of its own, which starts the handler anew: the promise that it waits
// for is rejected, so that what stands in `finally` is done.

const { Suspended, ToolError, misused } = require('./errors.js');
const { asMessage, wellFormed } = require('./results.js');

/** What is asked for unless something else is. */
const TEXT = { type: 'string' };

class Asking {
  #pump;
  #context;
  #questions = 0;
  /** Those who wait for the attempt to end, or for the next one. */
  #waiting = [];
  #isDue = false;
  #kept = null;
  /** What is being made once, or was. */
  #making = new Map();
  isSuspended = false;

  constructor(pump, context) {
    this.#pump = pump;
    this.#context = context;
  }

  canAsk(method, params) {
    const { number } = this.#context;
    return number !== 0 && this.#pump.engine.canAsk(number, method, params === undefined ? '' : JSON.stringify(params));
  }

  elicit(message, form, { key } = {}) {
    return settled(async () => {
      const { json, unwrap } = require('./schema.js').form(form ?? TEXT);
      const params = { mode: 'form', message, requestedSchema: json };
      const raw = await this.#ask(key, 'elicitation/create', params);
      const data = raw.action === 'accept' ? await filled(unwrap, raw.content) : undefined;
      return { action: raw.action, accepted: raw.action === 'accept', data, raw };
    });
  }

  elicitUrl(message, url, { elicitationId, key } = {}) {
    return settled(async () => {
      const raw = await this.#ask(key, 'elicitation/create', { mode: 'url', message, url, elicitationId });
      return { action: raw.action, accepted: raw.action === 'accept', data: undefined, raw };
    });
  }

  sample(messages, options = {}) {
    return settled(async () => {
      const given = Array.isArray(messages) ? messages : [messages];
      const raw = await this.#ask(options.key, 'sampling/createMessage', {
        messages: given.map(asMessage),
        maxTokens: options.maxTokens ?? 1024,
        systemPrompt: options.system,
        temperature: options.temperature,
        stopSequences: options.stop,
        modelPreferences: options.preferences,
        tools: options.tools,
        toolChoice: options.toolChoice,
      });
      const blocks = Array.isArray(raw.content) ? raw.content : [raw.content];
      const text = blocks.map((block) => (typeof block?.text === 'string' ? block.text : '')).join('');
      return { content: raw.content, text, model: raw.model, stopReason: raw.stopReason, raw };
    });
  }

  roots({ key } = {}) {
    return settled(async () => {
      const raw = await this.#ask(key, 'roots/list');
      return Array.isArray(raw.roots) ? raw.roots : [];
    });
  }

  once(key, make) {
    const before = this.#making.get(key);
    if (before !== undefined) return before;
    const made = settled(() => this.#made(String(key), make));
    this.#making.set(key, made);
    // What fails is tried again.
    made.catch(() => this.#making.delete(key));
    return made;
  }

  /** What is remembered, also where it was made just now: handlers get the same in every attempt. */
  async #made(key, make) {
    const kept = this.#remembered();
    if (!(key in kept)) {
      const json = JSON.stringify(await make());
      kept[key] = json === undefined ? null : JSON.parse(json);
      this.#store();
    }
    return kept[key];
  }

  #remembered() {
    if (this.#kept === null) {
      const { number } = this.#context;
      const text = number === 0 ? null : this.#pump.engine.read(number, 'kept');
      // Without a prototype, so that every name is one like any other.
      this.#kept = Object.assign(Object.create(null), text === null ? {} : JSON.parse(text));
    }
    return this.#kept;
  }

  #store() {
    const { number } = this.#context;
    // While the client is asked there is no attempt that could keep anything; the next one does.
    if (number === 0 || this.isSuspended) return;
    try {
      this.#pump.engine.keepText(number, JSON.stringify(this.#kept));
    } catch (error) {
      throw misused(error);
    }
  }

  async #ask(key, method, params) {
    this.#questions += 1;
    const name = key ?? `question-${this.#questions}`;
    const json = params === undefined ? '' : wellFormed(JSON.stringify(params));
    for (;;) {
      if (this.#context.isOver) throw this.#context.cancelled ? aborted() : new Suspended();
      if (!this.isSuspended) {
        const answer = this.#answer(name, method, json);
        if (answer !== null) return JSON.parse(answer);
      }
      await this.#next();
    }
  }

  #answer(name, method, json) {
    try {
      return this.#pump.engine.ask(this.#context.number, name, method, json);
    } catch (error) {
      throw misused(error);
    }
  }

  /** Waits for the next attempt. Whatever is asked until the loop comes round is asked together. */
  #next() {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      if (this.#isDue || this.isSuspended) return;
      this.#isDue = true;
      setImmediate(() => {
        this.#isDue = false;
        if (!this.#context.isOver && !this.isSuspended) this.#endAttempt();
      });
    });
  }

  #endAttempt() {
    if (this.#pump.engine.isModern(this.#context.number)) {
      this.#pump.replyAsked(this.#context);
      return;
    }
    this.isSuspended = true;
    this.#pump.suspend(this.#context);
  }

  /** The next attempt has begun. */
  resume() {
    this.isSuspended = false;
    if (this.#kept !== null) this.#store();
    this.#release((waiter) => waiter.resolve());
  }

  /** The attempt is over, and whatever comes next begins from the top. */
  forget() {
    this.#release((waiter) => waiter.reject(new Suspended()));
  }

  cancel() {
    this.isSuspended = false;
    this.#release((waiter) => waiter.reject(aborted()));
  }

  #release(tell) {
    for (const waiter of this.#waiting.splice(0)) tell(waiter);
  }
}

/** What a library makes of what the user filled in. What it refuses is for the model to hear: it can ask again. */
async function filled(unwrap, content) {
  try {
    return await unwrap(content);
  } catch (error) {
    throw new ToolError(`what the user filled in does not fit: ${error.message}`);
  }
}

function aborted() {
  return new DOMException('nobody waits for the answer any more', 'AbortError');
}

/** A promise whose rejection is nobody's accident: a handler that never looks at its question is no defect. */
function settled(ask) {
  const promise = ask();
  promise.catch(() => {});
  return promise;
}

module.exports = { Asking };
