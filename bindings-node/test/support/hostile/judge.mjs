// Whether what the server said is what a case demands, and what holds for every case.

import { isDeepStrictEqual } from 'node:util';

import { PROBE_ID } from './cases.mjs';
import { Wrong, demand } from './messages.mjs';

const KNOWN = new Set([
  'kind', 'code', 'id', 'alt', 'text', 'text_any_of', 'is_error', 'contains', 'check', 'check_all', 'batch', 'answered', 'id_any_of', 'id_token',
  'answered_id', 'max_replies', 'first', 'forbid_methods', 'no_output_after_response', 'note', 'level_note',
]);
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

/** Whether everything in the setup is answered; one that is refused proves nothing. */
export function isSetUp(setup, said) {
  let listening = 0;
  for (const { id, method } of setup.map((line) => JSON.parse(line))) {
    if (method === 'subscriptions/listen') listening += 1;
    else if (id !== undefined) {
      const answer = said.find((message) => message.isReply && isDeepStrictEqual(message.id, id));
      if (answer === undefined) return false;
      demand('result' in answer.value, `the setup was refused: ${answer}`);
    }
  }
  return said.filter(({ value }) => value.method === ACKNOWLEDGED).length === listening;
}

/** Throws if the case has failed. `setup` is what was said to the setup, `since` what was said since the input. */
export function judge(one, { setup, since }) {
  const { expect } = one;
  demand(Object.keys(expect).every((name) => KNOWN.has(name)), `nobody checks all of ${Object.keys(expect)}`);
  demand(isSetUp(one.setup, setup), 'the setup is not answered');
  const said = since.filter(({ id }) => id !== PROBE_ID);
  judgeAlways(one, setup, since, said);
  const replies = said.filter(({ isReply }) => isReply);
  demand(replies.length <= (expect.max_replies ?? Infinity), `${replies.length} replies`);
  for (const message of said) demand(!expect.forbid_methods?.includes(message.value.method), `forbidden: ${message}`);
  if (expect.kind === 'none') demand(said.length === 0, `nothing should be said: ${said[0]}`);
  else if (expect.kind === 'any_but_alive') judgeFree(expect, said, replies);
  else if (expect.kind !== 'error' && expect.kind !== 'result') throw new Wrong(`the case expects ${expect.kind}`);
  else if (expect.batch !== undefined) judgeBatch(expect.batch, replies);
  else judgeReply(expect, said, replies);
}

function judgeAlways(one, setup, since, said) {
  const probes = since.filter(({ id }) => id === PROBE_ID);
  demand(probes.length === 1 && 'result' in probes[0].value, `the probe got ${probes}`);
  demand(setup.filter(({ isReply }) => isReply).length <= one.setup.length, 'more answers than messages in the setup');
  const answers = said.filter(({ isReply }) => isReply).length;
  demand(answers <= messagesIn(one.input), `${answers} answers are too many`);
  if (one.isModern) for (const message of [...setup, ...since]) judgeModern(one, message);
}

/** How many messages the input may count as: each line, and in a batch each element. */
function messagesIn(input) {
  const count = (line) => {
    try {
      const batch = JSON.parse(line);
      if (Array.isArray(batch)) return Math.max(1, batch.length);
    } catch {
      // Counts as one.
    }
    return line.trim() === '' ? 0 : 1;
  };
  return String(input).split('\n').reduce((sum, line) => sum + count(line), 0);
}

function judgeModern(one, message) {
  demand(!message.isRequest, `a request of the server's own: ${message}`);
  const code = message.value.error?.code ?? 0;
  const isReserved = code >= -32099 && code <= -32020 && !(code >= -32022);
  demand(!isReserved && code !== -32002, `code ${code} is forbidden`);
  if ('result' in message.value && !one.id.includes('initialize')) demand('resultType' in message.value.result, `no resultType: ${message}`);
}

/** Where the specification leaves the outcome open. */
function judgeFree(expect, said, replies) {
  if (expect.answered) {
    const reply = only(replies);
    if (expect.id_any_of !== undefined) demand(has(expect.id_any_of, reply.id), `the wrong id: ${reply}`);
    if (expect.id_token !== undefined && 'result' in reply.value) demand(reply.idText === expect.id_token, `the id came back as ${reply.idText}`);
  }
  if ('answered_id' in expect) demand(has(replies.map(({ id }) => id), expect.answered_id), 'no answer');
  if (expect.first !== undefined) {
    demand(said.length > 0, 'nothing was said');
    const { method, params } = said[0].value;
    const subscription = params?._meta?.['io.modelcontextprotocol/subscriptionId'];
    demand(method === expect.first.method && isDeepStrictEqual(subscription, expect.first.subscriptionId), `the first message is ${said[0]}`);
  }
}

/** Each expected reply once, in any order, and nothing else. */
function judgeBatch(batch, replies) {
  const left = [...replies];
  for (const expect of batch) {
    const place = left.findIndex((message) => complaint(expect, message) === null);
    demand(place >= 0, `missing ${JSON.stringify(expect)}`);
    left.splice(place, 1);
  }
  demand(left.length === 0, `one too many: ${left[0]}`);
}

function judgeReply(expect, said, replies) {
  const reply = only(replies);
  const complaints = [expect, ...(expect.alt ?? [])].map((it) => complaint(it, reply));
  demand(complaints.includes(null), complaints[0]);
  if (expect.no_output_after_response) demand(said.at(-1).isReply, 'output after the answer');
}

/** What is wrong about one reply; null if it is as expected. */
function complaint(expect, message) {
  const body = message.value[expect.kind];
  if (body === undefined) return `no ${expect.kind}: ${message}`;
  const wanted = expect.id ?? null;
  const ids = wanted !== null && typeof wanted === 'object' ? wanted.any_of : [wanted];
  if (!has(ids, message.id)) return `not the id ${JSON.stringify(wanted)}: ${message}`;
  if (expect.kind === 'error') {
    if (!has([expect.code].flat(), body.code)) return `not the code ${expect.code}: ${message}`;
  } else if ('is_error' in expect && (body.isError === true) !== expect.is_error) return `isError is wrong: ${message}`;
  const texts = expect.text_any_of ?? ('text' in expect ? [expect.text] : null);
  if (texts !== null && !has(texts, body.content[0].text)) return `another text: ${message}`;
  if ('contains' in expect && !JSON.stringify(body).includes(expect.contains)) return `it does not contain ${expect.contains}: ${message}`;
  const checks = [...(expect.check_all ?? []), ...('check' in expect ? [expect.check] : [])];
  const failed = checks.find((check) => !fits(check, body));
  return failed === undefined ? null : `${JSON.stringify(failed)} does not fit: ${message}`;
}

const TYPES = {
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'nonneg-int': (value) => Number.isInteger(value) && value >= 0,
};

function fits(check, body) {
  const value = check.path.reduce((at, name) => at?.[name], body);
  if (check.type !== undefined && !TYPES[check.type](value)) return false;
  return has(check.in ?? ('eq' in check ? [check.eq] : [value]), value);
}

function only(replies) {
  demand(replies.length === 1, `${replies.length} answers`);
  return replies[0];
}

function has(values, value) {
  return values.some((one) => isDeepStrictEqual(one, value));
}
