'use strict';

// JSON of files that are somebody else's, and JSON that people read.

const { quoted } = require('./text.js');

/** A number of a JSON text, as it is written there. */
class Numeral {
  constructor(text) {
    this.text = text;
  }
}

/** Reads JSON without any loss: objects are Maps, in which no member is twice, and numbers stay as they are written. */
function readJson(text) {
  // What it refuses, it describes better than a few lines can.
  JSON.parse(text);
  const tokens = text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g);
  const next = () => tokens.next().value?.[0];

  function read(token) {
    if (token === '{') return readObject();
    if (token === '[') return readArray();
    return /^[-\d]/.test(token) ? new Numeral(token) : JSON.parse(token);
  }

  function readObject() {
    const members = new Map();
    for (let token = next(); token !== '}'; token = next()) {
      if (token === ',') continue;
      const name = JSON.parse(token);
      if (members.has(name)) throw new SyntaxError(`the member ${quoted(name)} is there twice`);
      next();
      members.set(name, read(next()));
    }
    return members;
  }

  function readArray() {
    const items = [];
    for (let token = next(); token !== ']'; token = next()) if (token !== ',') items.push(read(token));
    return items;
  }

  return read(next());
}

/** Writes JSON in one line with spaces, or in lines that are indented by a number of spaces or a text. */
function writeJson(value, indent = null, margin = '\n') {
  if (value instanceof Numeral) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const inner = indent === null ? margin : margin + (typeof indent === 'number' ? ' '.repeat(indent) : indent);
  const isArray = Array.isArray(value);
  const members = isArray ? value : [...(value instanceof Map ? value : Object.entries(value))];
  const [begin, end] = isArray ? '[]' : '{}';
  if (members.length === 0) return begin + end;
  const parts = members.map((member) => {
    if (isArray) return writeJson(member, indent, inner);
    return `${JSON.stringify(member[0])}: ${writeJson(member[1], indent, inner)}`;
  });
  return indent === null ? begin + parts.join(', ') + end : begin + inner + parts.join(`,${inner}`) + margin + end;
}

module.exports = { Numeral, readJson, writeJson };
