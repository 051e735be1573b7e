// What a handler does, step by step; ../README.md has the vocabulary.

import { setTimeout as sleep } from 'node:timers/promises';
import { MissingCapabilityError } from './package.mjs';
import { fillIn } from './placeholders.mjs';

/** Steps that are over at once. */
const AT_ONCE = {
  'say': (attempt, { text }) => fillIn(text, attempt.known),
  'result': (attempt, { result }) => {
    const filled = fillIn(result, attempt.known);
    return attempt.item.kind === 'completion' ? filled.completion : filled;
  },
  'progress': ({ ctx }, { progress, total, message }) => ctx.progress(progress, total, message),
  'log': ({ ctx }, { level, text }) => ctx.log(level, text),
  'need': (attempt, { method, capabilities }) => {
    if (!attempt.canAsk(method)) throw new MissingCapabilityError('the client has to be asked', capabilities);
  },
  'close-stream': ({ ctx }) => void ctx.closeStream(),
  'list-changed': ({ ctx }, { list }) => ctx.server.notifyListChanged(list.replace(/s$/, '')),
};

/** Steps that something has to be waited for. */
const WAITING = {
  'wait': (_, { ms }) => sleep(ms),
  'ask': (attempt, { questions }) => attempt.ask(questions),
  'ask-if-possible': (attempt, { questions }) => attempt.askIfPossible(questions),
  'keep': async (attempt, { state }) => {
    attempt.known.state = await attempt.ctx.once('state', () => state);
  },
};

/** Whether the handler of an item can do without waiting. */
export function isAtOnce(item) {
  return item.steps.every(({ does }) => Object.hasOwn(AT_ONCE, does));
}

/** One attempt at answering a call. */
export class Attempt {
  #questions;

  constructor(said, item, args, ctx) {
    this.#questions = said.questions;
    this.item = item;
    this.ctx = ctx;
    this.known = { constants: said.constants, arguments: args ?? {}, answers: {} };
  }

  /** Takes the steps from the first, until one of them answers. */
  answerAtOnce() {
    for (const step of this.item.steps) {
      const value = AT_ONCE[step.does](this, step);
      if (value !== undefined) return value;
    }
    throw new Error('no step answers');
  }

  async answer() {
    for (const step of this.item.steps) {
      const value = await (WAITING[step.does] ?? AT_ONCE[step.does])(this, step);
      if (value !== undefined) return value;
    }
    throw new Error('no step answers');
  }

  canAsk(method) {
    const { ctx } = this;
    switch (method) {
      case 'elicitation/create': return ctx.canElicit();
      case 'sampling/createMessage': return ctx.canSample();
      case 'roots/list': return ctx.canListRoots();
      default: throw new Error(`nobody asks ${method}`);
    }
  }

  /** Asks everything before it waits for the first answer: that makes it one round. */
  async ask(names) {
    const asked = Object.entries(names).map(async ([key, name]) => {
      this.known.answers[key] = await this.#askOne(key, this.#questions[name]);
    });
    await Promise.all(asked);
  }

  askIfPossible(names) {
    const possible = Object.entries(names).filter(([, name]) => this.canAsk(this.#questions[name].method));
    return this.ask(Object.fromEntries(possible));
  }

  async #askOne(key, { method, params }) {
    const filled = fillIn(params, this.known);
    const { ctx } = this;
    if (method === 'elicitation/create') return (await ctx.elicit(filled.message, filled.requestedSchema, { key })).raw;
    if (method === 'sampling/createMessage') return (await ctx.sample(filled.messages, { maxTokens: filled.maxTokens, key })).raw;
    return { roots: await ctx.roots({ key }) };
  }
}
