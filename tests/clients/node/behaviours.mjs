// What is said in which revision and over which way, and what is not.

import * as exchanges from './exchanges.mjs';
import * as offers from './offers.mjs';
import * as sessions from './sessions.mjs';
import { MODERN } from './conversation.mjs';

// What is not spoken, and why: by revision and behaviour.
const UNSPOKEN_IN = [
  [MODERN, 'ping', 'the revision has no ping'],
  [MODERN, 'subscribing by request', 'the revision has listen streams in its place'],
  [MODERN, 'setting the log level', 'the revision has a level in each request'],
  [MODERN, 'cut connection', 'a request ends with its connection'],
  ['2025-03-26', 'elicitation', 'the revision has none'],
  ['2024-11-05', 'elicitation', 'the revision has none'],
];
// The same by way.
const UNSPOKEN_OVER = [
  ['http', 'closing', 'the server outlives its clients'],
  ['sse', 'closing', 'the server outlives its clients'],
  ['sse', 'cut connection', 'a session ends with its connection'],
  ['sse', 'session', 'a session is its stream, and nothing names it to the client'],
];
// The same for one client.
const UNSPOKEN_BY = [
  ['@modelcontextprotocol/sdk', '2026-07-28', 'the client does not know the revision'],
  ['@modelcontextprotocol/sdk', '2025-06-18 and before', 'the client opens with 2025-11-25 only'],
  ['both clients', 'progress that is read together with its answer',
    'they drop it; each message is handed to them in a turn of its own'],
];

export const UNSPOKEN = [...UNSPOKEN_IN, ...UNSPOKEN_OVER, ...UNSPOKEN_BY];

function isSpoken(revision, way, name) {
  return !UNSPOKEN_IN.some(([where, what]) => where === revision && what === name)
    && !UNSPOKEN_OVER.some(([where, what]) => where === way && what === name);
}

/** Names and functions of what is said in a revision over a way. */
export function behaviours(revision, way) {
  const overHttp = way === 'stdio' ? {} : sessions;
  return Object.values({ ...offers, ...exchanges, ...overHttp })
    .map((behaviour) => [behaviour.name.replaceAll('_', ' '), behaviour])
    .filter(([name]) => isSpoken(revision, way, name));
}
