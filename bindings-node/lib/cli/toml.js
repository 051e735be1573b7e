'use strict';

// TOML, as far as it takes to change one table of somebody's file and to see that nothing else has changed.

const BARE = /[A-Za-z0-9_-]+/y;
const SCALAR = /[^\s,\]}#]+( \d\d:[^\s,\]}#]+)?/y;
const DATE = /^(\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[-+]\d\d:\d\d)?)?|\d\d:\d\d:\d\d(\.\d+)?)$/;
const INTEGER = /^([-+]?(0|[1-9](_?\d)*)|0x[\dA-Fa-f](_?[\dA-Fa-f])*|0o[0-7](_?[0-7])*|0b[01](_?[01])*)$/;
const FLOAT = /^[-+]?((0|[1-9](_?\d)*)(\.\d(_?\d)*)?([eE][-+]?\d(_?\d)*)?|inf|nan)$/;
const ESCAPES = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', '"': '"', '\\': '\\' };

/** A number, date or time, as it is written. */
class Literal {
  constructor(text) {
    this.text = text;
  }
}

/** Reads a document into Maps; numbers and dates stay as they are written. */
function readToml(text) {
  const reader = new Reader(text);
  const root = new Map();
  let table = root;
  for (reader.skipLines(); !reader.isAtEnd; reader.skipLines()) {
    if (reader.takes('[[')) {
      table = reader.readItem(root);
    } else if (reader.takes('[')) {
      table = reader.readHeader(root);
    } else {
      reader.readPair(table);
    }
    reader.endLine();
  }
  return root;
}

class Reader {
  #text;
  #place = 0;
  /** Tables that have been written out, and may not be again. */
  #opened = new Set();
  /** Arrays and tables in one line, to which nothing can be added. */
  #closed = new Set();

  constructor(text) {
    this.#text = text.replaceAll('\r\n', '\n');
  }

  get isAtEnd() {
    return this.#place >= this.#text.length;
  }

  #wrong(why) {
    return new SyntaxError(`${why} (line ${this.#text.slice(0, this.#place).split('\n').length})`);
  }

  takes(token) {
    this.#skip(/[ \t]*/y);
    if (!this.#text.startsWith(token, this.#place)) return false;
    this.#place += token.length;
    return true;
  }

  #expect(token) {
    if (!this.takes(token)) throw this.#wrong(`there should be ${JSON.stringify(token)}`);
  }

  skipLines() {
    this.#skip(/([ \t\n]|#[^\n]*)*/y);
  }

  endLine() {
    this.#skip(/[ \t]*(#[^\n]*)?/y);
    if (!this.isAtEnd && !this.takes('\n')) throw this.#wrong('the line should end');
  }

  /** The table that a line in brackets begins. */
  readHeader(root) {
    const header = this.#readKey();
    this.#expect(']');
    const above = this.#descend(root, header.slice(0, -1));
    const name = header.at(-1);
    if (!above.has(name)) above.set(name, new Map());
    const table = above.get(name);
    const isTaken = this.#opened.has(table) || this.#closed.has(table);
    if (!(table instanceof Map) || isTaken) throw this.#wrong(`${header.join('.')} is there already`);
    this.#opened.add(table);
    return table;
  }

  /** The table that a line in double brackets adds to an array. */
  readItem(root) {
    const header = this.#readKey();
    this.#expect(']]');
    const above = this.#descend(root, header.slice(0, -1));
    const name = header.at(-1);
    if (!above.has(name)) above.set(name, []);
    const items = above.get(name);
    if (!Array.isArray(items) || this.#closed.has(items)) throw this.#wrong(`${header.join('.')} is there already`);
    items.push(new Map());
    return items.at(-1);
  }

  readPair(table) {
    const key = this.#readKey();
    this.#expect('=');
    const value = this.#readValue();
    const inner = this.#descend(table, key.slice(0, -1));
    if (inner.has(key.at(-1))) throw this.#wrong(`${key.join('.')} is there already`);
    if (inner !== table) this.#opened.add(inner);
    inner.set(key.at(-1), value);
  }

  /** The parts of a key with dots. */
  #readKey() {
    const parts = [];
    do {
      this.#skip(/[ \t]*/y);
      const isQuoted = /["']/.test(this.#text[this.#place]);
      const part = isQuoted ? this.#readString(false) : this.#skip(BARE);
      if (part === '' && !isQuoted) throw this.#wrong('there should be a key');
      parts.push(part);
    } while (this.takes('.'));
    return parts;
  }

  /** Finds or makes the tables of a path. */
  #descend(root, path) {
    let table = root;
    for (const part of path) {
      if (!table.has(part)) table.set(part, new Map());
      const found = table.get(part);
      if (this.#closed.has(found)) throw this.#wrong(`nothing can be added to ${part}`);
      table = Array.isArray(found) ? found.at(-1) : found;
      if (!(table instanceof Map)) throw this.#wrong(`${part} is no table`);
    }
    return table;
  }

  #readValue() {
    this.#skip(/[ \t]*/y);
    const mark = this.#text[this.#place];
    if (mark === '"' || mark === "'") return this.#readString(true);
    if (this.takes('[')) return this.#readArray();
    if (this.takes('{')) return this.#readTable();
    const word = this.#skip(SCALAR);
    if (word === 'true' || word === 'false') return word === 'true';
    if (INTEGER.test(word) || FLOAT.test(word) || DATE.test(word)) return new Literal(word);
    throw this.#wrong('there should be a value');
  }

  #readArray() {
    const items = [];
    this.#closed.add(items);
    for (this.skipLines(); !this.takes(']'); this.skipLines()) {
      items.push(this.#readValue());
      this.skipLines();
      if (!this.takes(',')) {
        this.#expect(']');
        break;
      }
    }
    return items;
  }

  #readTable() {
    const table = new Map();
    if (!this.takes('}')) {
      do this.readPair(table);
      while (this.takes(','));
      this.#expect('}');
    }
    this.#closed.add(table);
    return table;
  }

  #readString(mayBeLong) {
    const mark = this.#text[this.#place];
    const isLong = mayBeLong && this.#text.startsWith(mark.repeat(3), this.#place);
    const pattern = isLong ? mark === '"' ? /"""((?:\\[^]|[^\\])*?"{0,2})"""(?!")/y : /'''([^]*?'{0,2})'''(?!')/y
      : mark === '"' ? /"((?:\\.|[^"\\\n])*)"/y : /'([^'\n]*)'/y;
    pattern.lastIndex = this.#place;
    const found = pattern.exec(this.#text);
    if (found === null) throw this.#wrong('a text does not end');
    this.#place = pattern.lastIndex;
    const body = isLong ? found[1].replace(/^\n/, '') : found[1];
    return mark === '"' ? this.#unescaped(body) : body;
  }

  #unescaped(body) {
    const pattern = /\\(?:u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|([ \t]*\n[ \t\n]*)|([^]))/g;
    return body.replace(pattern, (_, short, long, gap, letter) => {
      if (short ?? long) return String.fromCodePoint(Number.parseInt(short ?? long, 16));
      if (gap !== undefined) return '';
      if (!Object.hasOwn(ESCAPES, letter)) throw this.#wrong(`\\${letter} means nothing`);
      return ESCAPES[letter];
    });
  }

  #skip(pattern) {
    pattern.lastIndex = this.#place;
    const [found] = pattern.exec(this.#text) ?? [''];
    this.#place += found.length;
    return found;
  }
}

/** The path in a line that begins a table, or null. */
function headerOf(line) {
  if (!line.trimStart().startsWith('[')) return null;
  try {
    const path = [];
    for (let found = readToml(line); found.size > 0;) {
      const [[key, value]] = found;
      path.push(key);
      found = Array.isArray(value) ? value[0] : value;
    }
    return path;
  } catch {
    return null;
  }
}

/** A table, with those below it. */
function writeToml(path, table) {
  const isTable = ([, value]) => value instanceof Map;
  const members = [...table].filter((member) => !isTable(member));
  const lines = members.map(([key, value]) => `${writeKey(key)} = ${writeValue(value)}\n`);
  const below = [...table].filter(isTable).map(([key, value]) => `\n${writeToml([...path, key], value)}`);
  return [`[${path.map(writeKey).join('.')}]\n`, ...lines, ...below].join('');
}

function writeKey(key) {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
}

function writeValue(value) {
  if (value instanceof Literal) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeValue).join(', ')}]`;
  if (value instanceof Map) return `{ ${[...value].map(([key, item]) => `${writeKey(key)} = ${writeValue(item)}`).join(', ')} }`;
  return JSON.stringify(value).replaceAll('\x7f', '\\u007f');
}

module.exports = { headerOf, readToml, writeToml };
