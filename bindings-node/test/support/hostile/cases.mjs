// The cases as they stand in the corpus, with their repetitions written out.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { modernMeta, request } from '../client.mjs';

const CORPUS = join(process.env.MCPLITE_REPOSITORY, 'tests', 'adversarial', 'corpus.jsonl');

export const PROBE_ID = 'probe-x';

/** All cases, in the order of the file. */
export function load() {
  const lines = readFileSync(CORPUS, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => made(writtenOut(JSON.parse(line))));
}

/** One hostile message, what comes before it, and what must come of it. */
function made({ id, class: group, era, framing, setup, input, input_b64: encoded, expect }) {
  const isModern = era === 'modern';
  return {
    id, isModern, expect,
    group,
    /** Whether the input is a piece of a stream, which may hold several lines. */
    isStream: framing === 'stdio-raw',
    setup: setup.flatMap((text) => text.split('\n').filter(Boolean)),
    input: encoded === undefined ? Buffer.from(input) : Buffer.from(encoded, 'base64'),
    /** A request that any server answers that is alive. */
    probe: isModern ? request(PROBE_ID, 'server/discover', { _meta: modernMeta() }) : request(PROBE_ID, 'ping'),
  };
}

/** Puts strings in the place of objects whose only member is `parts`. */
function writtenOut(value) {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(writtenOut);
  const names = Object.keys(value);
  if (names.length === 1 && names[0] === 'parts') return value.parts.map((part) => repeated(...part)).join('');
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, writtenOut(member)]));
}

function repeated(text, count, mark = '') {
  if (mark === '') return text.repeat(count);
  return Array.from({ length: count }, (_, number) => text.replaceAll(mark, String(number))).join('');
}
