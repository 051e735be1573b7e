// What the handlers of `tests/transcripts/fixture-asking.json` do, which ask the client.

import { UrlElicitationRequiredError } from 'mcplite';

import { RawCall } from './call.mjs';

const LOGIN = { elicitationId: 'login', url: 'https://example.com/login', message: 'Please log in.' };

/** Asks one question from outside of a handler: the answer is the reply. */
export function askHeld({ context, resolve }, name, memory) {
  const call = new RawCall(context);
  if (!call.isOpen) return;
  const answer = call.ask(name, memory.questions[name]);
  if (answer === null) call.endAsked();
  else resolve(answer);
}

/** How the package asks a question of the fixture; undefined for one that it would ask in other words. */
function put(context, key, { method, params }) {
  if (method === 'roots/list') return async () => ({ roots: await context.roots({ key }) });
  if (method === 'sampling/createMessage') {
    const { messages, maxTokens, tools, toolChoice } = params;
    return async () => (await context.sample(messages, { maxTokens, tools, toolChoice, key })).raw;
  }
  if (params.mode === 'url') {
    const { message, url, elicitationId } = params;
    return async () => (await context.elicitUrl(message, url, { elicitationId, key })).raw;
  }
  if (params.mode === 'form') return async () => (await context.elicit(params.message, params.requestedSchema, { key })).raw;
  return undefined;
}

function questions({ asks }, memory) {
  return Object.entries(asks).map(([key, name]) => [key, memory.questions[name]]);
}

/** The answers to everything that the item asks, if all are there. */
function answersTo(item, call, memory) {
  const answers = questions(item, memory).map(([key, question]) => call.ask(key, question));
  return answers.includes(null) ? null : answers.join(' ');
}

function replyOrEnd(answers, call) {
  if (answers === null) call.endAsked();
  return answers;
}

export const ASKING = {
  ask(item, args, context, memory) {
    const asked = questions(item, memory).map(([key, question]) => put(context, key, question));
    if (!asked.includes(undefined)) return allOf(asked);
    const call = new RawCall(context);
    return replyOrEnd(answersTo(item, call, memory), call);
  },
  'ask-and-let-go'(item, args, context, memory) {
    const call = new RawCall(context);
    const answers = answersTo(item, call, memory);
    if (answers === null) call.release();
    return answers;
  },
  'ask-if-possible'(item, args, context, memory) {
    const call = new RawCall(context);
    const isPossible = questions(item, memory).every(([, question]) => call.canAsk(question));
    const answers = answersTo(item, call, memory);
    return answers === null && !isPossible ? 'nobody to ask' : replyOrEnd(answers, call);
  },
  'ask-rounds'(item, { rounds = 2 }, context, memory) {
    const call = new RawCall(context);
    let round = Number(call.read('kept') ?? 0);
    call.progress(round, rounds);
    const [[key, question]] = questions(item, memory);
    for (; round < rounds; round += 1) {
      if (call.ask(`${key}-${round}`, question) !== null) continue;
      call.keep(String(round));
      call.endAsked();
      return undefined;
    }
    return `${rounds} rounds`;
  },
  'ask-then-hold'(item, { key }, context, memory) {
    const call = new RawCall(context);
    if (answersTo(item, call, memory) !== null) return memory.hold(context, key);
    call.endAsked();
    return undefined;
  },
  'log-in'(item, args, context, memory) {
    if (memory.elicited.has('login')) return 'logged in';
    throw new UrlElicitationRequiredError('log in first', [LOGIN]);
  },
};

async function allOf(asked) {
  const answers = await Promise.all(asked.map((ask) => ask()));
  return answers.map((answer) => JSON.stringify(answer)).join(' ');
}
