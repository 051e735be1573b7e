'use strict';

// From what a handler gave to the answer that its client gets: the form and the JSON of a line for the engine.

// Bytes of every realm: test runners have realms of their own.
const { isUint8Array } = require('node:util/types');

const CONTENT = { text: 'text', image: 'data', audio: 'data', resource: 'resource', resource_link: 'uri' };
const MAX_VALUES = 100;

/** The answer of a tool. `entry` says whether the tool has an output schema, and whether its values are wrapped. */
function answerTool(value, entry) {
  if (entry.isStructured) return answerStructured(value, entry);
  if (typeof value === 'string') return `text ${quoted(value)}`;
  if (value === undefined || value === null) return 'nothing 0';
  if (typeof value === 'object') {
    if (isToolResult(value)) return `tool ${written(withBlocks(value), entry)}`;
    if (isPart(value)) return `content ${written([block(value)], entry)}`;
    if (Array.isArray(value) && hasParts(value)) return `content ${written(value.map(block), entry)}`;
  }
  const json = written(value, entry);
  if (json.startsWith('{')) return `data ${json}`;
  return `text ${json.startsWith('"') ? json : quoted(json)}`;
}

function answerStructured(value, entry) {
  if (value !== null && typeof value === 'object' && isToolResult(value)) return `tool ${written(withBlocks(value), entry)}`;
  if (!entry.isWrapped) return `data ${written(value === undefined ? {} : value, entry)}`;
  const json = written(value === undefined ? null : value, entry);
  const text = typeof value === 'string' ? value : json;
  return `tool {"content":[{"type":"text","text":${quoted(text)}}],"structuredContent":{"result":${json}}}`;
}

function isToolResult(value) {
  return Array.isArray(value.content) && (value.content.length === 0 || value.content.every(isPartOrText));
}

function withBlocks(result) {
  return result.content.every((part) => isBlock(part) && !hasBytes(part)) ? result : { ...result, content: result.content.map(block) };
}

function isBlock(value) {
  return value !== null && typeof value === 'object' && Object.hasOwn(CONTENT, value.type) && value[CONTENT[value.type]] !== undefined;
}

function isPart(value) {
  return isUint8Array(value) || isBlock(value);
}

function isPartOrText(value) {
  return typeof value === 'string' || isPart(value);
}

/** Whether a list is one of blocks: texts only, or anything with content among it. An empty one is a value. */
function hasParts(values) {
  return values.length > 0 && values.every(isPartOrText);
}

/** One block of content. */
function block(part) {
  if (typeof part === 'string') return { type: 'text', text: part };
  if (isUint8Array(part)) return require('./content.js').fromBytes(part);
  if (!hasBytes(part)) return part;
  if (part.type === 'resource') return { ...part, resource: contentsOf(part.resource) };
  return { ...part, data: base64(part.data) };
}

function hasBytes(part) {
  return isUint8Array(part.data) || isUint8Array(part.resource?.blob);
}

function answerResource(value, entry, context) {
  if (typeof value === 'string') return `text ${quoted(value)}`;
  if (value === undefined || value === null) {
    throw refusal(entry, value, 'give its contents, or throw a NotFoundError if there are none');
  }
  if (isUint8Array(value)) return `content ${written([bytesOf(value, entry, context)], entry)}`;
  if (Array.isArray(value.contents)) return answerRead(value, entry, context);
  if (Array.isArray(value) && value.length > 0 && value.every(isContents)) {
    return `content ${written(value.map((part) => contentsOf(part, entry, context)), entry)}`;
  }
  const json = written(value, entry);
  return `text ${json.startsWith('"') ? json : quoted(json)}`;
}

function answerRead({ contents, ...rest }, entry, context) {
  const parts = contents.map((part) => contentsOf(part, entry, context));
  if (Object.keys(rest).length === 0) return `content ${written(parts, entry)}`;
  return `result ${written({ contents: parts, ...rest }, entry)}`;
}

function isContents(value) {
  return isUint8Array(value) || (value !== null && typeof value === 'object' && (typeof value.text === 'string' || value.blob !== undefined));
}

function contentsOf(part, entry, context) {
  if (isUint8Array(part)) return bytesOf(part, entry, context);
  const whole = part.uri === undefined && context !== undefined ? { uri: context.name, ...part } : part;
  return isUint8Array(whole.blob) ? { ...whole, blob: base64(whole.blob) } : whole;
}

function bytesOf(bytes, entry, context) {
  return { uri: context.name, mimeType: entry.mimeType, blob: base64(bytes) };
}

function answerPrompt(value, entry) {
  const whole = value !== null && typeof value === 'object' && Array.isArray(value.messages) ? value : { messages: Array.isArray(value) ? value : [value] };
  let messages;
  try {
    messages = whole.messages.map(asMessage);
  } catch (error) {
    throw refusal(entry, value, error.message);
  }
  return `prompt ${written({ ...whole, messages }, entry)}`;
}

/** A message of a conversation: text is the user's. */
function asMessage(message) {
  if (typeof message === 'string') return { role: 'user', content: block(message) };
  if (message !== null && typeof message === 'object') {
    if (isPart(message)) return { role: 'user', content: block(message) };
    if (typeof message.role === 'string' && message.content !== undefined) {
      const { content } = message;
      return { ...message, content: Array.isArray(content) ? content.map(block) : block(content) };
    }
  }
  throw new TypeError('a message is a string, or an object with role and content');
}

function answerCompletion(value, entry) {
  if (value === undefined || value === null) return 'completion {"values":[]}';
  const given = typeof value === 'string' ? { values: [value] } : typeof value[Symbol.iterator] === 'function' ? listed(value) : value;
  if (!Array.isArray(given.values) || !given.values.every((suggestion) => typeof suggestion === 'string')) {
    throw refusal(entry, value, 'suggestions are an array of strings, or an object with values');
  }
  // One more than is sent, so that the engine says that there are more.
  const values = given.values.slice(0, MAX_VALUES + 1);
  return `completion ${written({ values, total: given.total, hasMore: given.hasMore }, entry)}`;
}

function listed(values) {
  if (Array.isArray(values)) return { values, total: values.length > MAX_VALUES ? values.length : undefined };
  const taken = [];
  // Iterators may be endless.
  for (const value of values) {
    taken.push(value);
    if (taken.length > MAX_VALUES) break;
  }
  return { values: taken };
}

function answerMethod(value, entry) {
  if (value === undefined || value === null) return 'result {}';
  const json = written(value, entry);
  return json.startsWith('{') ? `result ${json}` : `result {"result":${json}}`;
}

/** What the results of the engine have, unless they are empty. */
const MEMBERS = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'resources/read': 'contents',
  'prompts/list': 'prompts',
  'completion/complete': 'completion',
  'server/discover': 'capabilities',
};

/** Answers in the engine's place, with the result that it gave or with one like it. */
function answerPassed(value, entry, context) {
  const { method } = context;
  const member = MEMBERS[method];
  if (value !== null && typeof value === 'object' && (member === undefined || value[member] !== undefined)) {
    return `result ${written(value, entry)}`;
  }
  if (method === 'resources/read') return answerResource(value, entry, context);
  if (method === 'completion/complete') return answerCompletion(value, entry);
  if (member === undefined && (value === null || value === undefined)) return 'result {}';
  throw new TypeError(`middleware gave ${typeName(value)} for ${method}: give the object that next() gave, or throw`);
}

/** The JSON of a value, or an error that says which handler gave what cannot be written. */
function written(value, entry) {
  let json;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    throw refusal(entry, value, error.message);
  }
  if (json === undefined) throw refusal(entry, value, 'JSON has no word for it');
  return wellFormed(json);
}

/** The same JSON without halves of characters, which no message may have: they are replaced. */
function wellFormed(json) {
  if (!json.includes('\\ud')) return json;
  return json.replace(/\\(?:u(d[89a-f][0-9a-f]{2})|.)/g, (escape, half) => (half === undefined ? escape : '\ufffd'));
}

/** The JSON of a text. */
function quoted(text) {
  return JSON.stringify(text.isWellFormed() ? text : text.toWellFormed());
}

function refusal(entry, value, why) {
  return new TypeError(`the ${entry.noun} gave ${typeName(value)}, which cannot be sent: ${why}`);
}

function typeName(value) {
  if (value === null || value === undefined) return String(value);
  return typeof value === 'object' ? value.constructor?.name || 'an object' : `a ${typeof value}`;
}

function base64(bytes) {
  return typeof bytes === 'string' ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

module.exports = { answerTool, answerResource, answerPrompt, answerCompletion, answerMethod, answerPassed, asMessage, isToolResult, wellFormed };
