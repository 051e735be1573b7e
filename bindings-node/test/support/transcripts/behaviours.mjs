// What the handlers of `tests/transcripts/fixture.json` do, a few lines for each.

import { McpError, NotFoundError, ToolError, audio, image } from 'mcplite';

import { ASKING } from './asking.mjs';
import { RawCall } from './call.mjs';

const TOLD = Symbol.for('mcplite.told');
const PNG = image(Uint8Array.of(0x89, 0x50, 0x4e, 0x47));
const WAV = audio(Buffer.from('RIFF'));

/** What handlers share with one another and with whoever plays a transcript. */
export class Memory {
  /** The questions of the fixture file, by their names. */
  questions = {};
  /** Calls that wait to be answered, by their key: the context, and how its promise is settled. */
  held = new Map();
  /** Calls that wait to be taken. */
  waiting = [];
  /** The ids of the pages where the user is done. */
  elicited = new Set();
  /** What the notification that `remember` is for said last, as JSON. */
  last = '';

  hold(context, key = 'held') {
    return new Promise((resolve, reject) => this.held.set(key, { context, resolve, reject }));
  }
}

/** The function of arguments and context that answers the calls of an item; `does` names it. */
export function behaviour(item, memory) {
  if (Object.hasOwn(BEHAVIOURS, item.does)) return (args, context) => BEHAVIOURS[item.does](args, context, memory);
  return (args, context) => ASKING[item.does](item, args, context, memory);
}

/** An error of a kind that the engine knows by that name. */
function failure(kind, text, data) {
  return Object.defineProperty(new McpError(0, text, data), TOLD, { value: kind });
}

const WITH_DATA = {
  'missing-capability': ['sampling is needed', { requiredCapabilities: { sampling: {} } }],
  'unsupported-revision': ['', { supported: ['2026-07-28'], requested: '1999-01-01' }],
};

const BLOCKS = [
  { type: 'text', text: 'a', annotations: { audience: ['user'], priority: 1, lastModified: '2026-01-01T00:00:00Z' }, _meta: { 'com.example/a': 1 } },
  { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
  { type: 'resource_link', uri: 'test://static', name: 'static', title: 'Static', size: 11, icons: [{ src: 'https://example.com/i.png' }] },
  { type: 'resource', resource: { uri: 'test://e', mimeType: 'text/plain', text: 'e', _meta: { 'com.example/e': 1 } } },
];

const CONTENT = [
  'text é \u{1f600} "quoted"\n',
  PNG,
  WAV,
  { type: 'resource', resource: { uri: 'attachment:data', mimeType: 'application/pdf', blob: Buffer.from('%PDF').toString('base64') } },
  { type: 'resource', resource: { uri: 'test://embedded', mimeType: 'text/plain', text: 'embedded' } },
  { type: 'resource_link', uri: 'test://static', name: 'static', mimeType: 'text/plain' },
];

const BEHAVIOURS = {
  echo({ text }) {
    if (typeof text !== 'string') throw failure('invalid-arguments', 'text is missing or of the wrong type');
    return text;
  },
  add({ a, b }) {
    const sum = a + b;
    if (!Number.isFinite(sum)) throw new ToolError('the sum is too large');
    return { content: [String(sum)], structuredContent: { sum } };
  },
  list: (args, context) => new RawCall(context).answer('data', '[1,2,3]'),
  fail() {
    throw Object.assign(new Error('it broke'), { stack: 'at fail (fixture)' });
  },
  'fail-as'({ kind, code }) {
    if (code !== undefined) throw new McpError(code, 'own words', { elicitations: [] });
    throw failure(kind, ...(WITH_DATA[kind] ?? ['own words']));
  },
  content(args, context) {
    const blocks = CONTENT.map((block) => (typeof block === 'string' ? { type: 'text', text: block } : block));
    new RawCall(context).answer('tool', `{"content":${JSON.stringify(blocks)},"_meta":{"com.example/own": [1, 2]}}`);
  },
  blocks: () => BLOCKS,
  result(args, context) {
    const whole = { content: [{ type: 'text', text: 'whole' }], structuredContent: { n: 1 }, isError: false, _meta: { 'com.example/own': true } };
    new RawCall(context).answer('result', JSON.stringify(whole));
  },
  progress(args, context) {
    context.progress(0, 100, 'starting');
    context.progress(50, 100);
    context.progress(100, undefined, 'done');
    return 'progressed';
  },
  log(args, context) {
    context.log('debug', 'in detail', 'fixture');
    context.info('in general');
    new RawCall(context).log('error', '{"code": 7}', 'fixture');
    return 'logged';
  },
  hold: ({ key }, context, memory) => memory.hold(context, key),
  silent: (args, context) => new RawCall(context).release(),
  whoami(args, context) {
    const { method, name, revision, clientCapabilities, meta, principal } = context;
    const client = JSON.parse(new RawCall(context).read('clientInfo'));
    return { method, name, revision, client, capabilities: clientCapabilities, traceparent: meta.traceparent ?? '', principal: principal ?? '' };
  },
  pull: (args, context, memory) => new Promise((resolve) => memory.waiting.push(resolve)),
  read: (args, context) => `${context.name} ${new RawCall(context).read('arguments') || '{}'}`,
  gone() {
    throw new NotFoundError('it is gone');
  },
  greet: ({ name, style = 'Hello' }) => ({ description: 'A greeting', messages: [`${style}, ${name}!`] }),
  talk: () => [
    'What is this?',
    PNG,
    { role: 'assistant', content: { type: 'resource_link', uri: 'test://static', name: 'static' } },
    { role: 'assistant', content: WAV },
  ],
  styles(value) {
    const values = ['hello', 'hey', 'hi'].filter((style) => style.startsWith(value));
    return { values, total: values.length, hasMore: false };
  },
  ids: (value, context) => ({ values: [context.arguments.prefix ?? 'none', ...Array.from({ length: 120 }, (_, number) => String(number))] }),
  reflect(params, context) {
    const call = new RawCall(context);
    call.answer('result', `{"params":${call.read('arguments')}}`);
  },
  nothing: () => ({}),
  'no-tools': () => ({ tools: [] }),
  remember(params, context, memory) {
    const call = new RawCall(context);
    memory.last = call.read('arguments');
    call.release();
  },
  recall: (params, context, memory) => new RawCall(context).answer('result', `{"last":${memory.last}}`),
};
