'use strict';

// What a JSON Schema says about values that people type, and how it is told to people.

const { writeJson } = require('./json.js');
const { quoted } = require('./text.js');

const TRUE = ['true', 'yes', 'on', '1'];
const FALSE = ['false', 'no', 'off', '0'];

// What is the more special reading of a text comes first.
const READERS = {
  integer: (text) => (/^\s*[-+]?\d+(_\d+)*\s*$/.test(text) ? [Number(text.replaceAll('_', ''))] : []),
  number: (text) => loaded(text).filter((value) => typeof value === 'number'),
  boolean: (text) => ([...TRUE, ...FALSE].includes(text.toLowerCase()) ? [TRUE.includes(text.toLowerCase())] : []),
  array: (text) => loaded(text).filter(Array.isArray),
  object: (text) => loaded(text).filter(isObject),
  null: (text) => (['null', ''].includes(text) ? [null] : []),
  string: (text) => [text],
};
const ORDER = Object.keys(READERS);

/** One property: its schema, and the root in which `$ref` finds its targets. */
class Field {
  #schema;
  #root;

  constructor(schema, root) {
    this.#schema = isObject(schema) ? schema : {};
    this.#root = root;
  }

  /** The JSON types that a value may have. */
  get types() {
    const found = new Set(alternatives(this.#schema, this.#root).flatMap(typesOf));
    const known = ORDER.filter((name) => found.has(name));
    return known.length === 0 ? ORDER : known;
  }

  get isArray() {
    return this.types.join() === 'array';
  }

  /** Whether nothing is said about the type. */
  get isAny() {
    const { types } = this;
    return ORDER.every((name) => name === 'integer' || types.includes(name));
  }

  /** The values that are allowed, if they are listed. */
  get choices() {
    return alternatives(this.#schema, this.#root).flatMap((one) => ('const' in one ? [one.const] : one.enum ?? []));
  }

  /** The value that is taken when none is given. */
  get default() {
    return this.#schema.default ?? null;
  }

  get description() {
    return String(this.#schema.description || this.#schema.title || '');
  }

  /** What the items of an array are. */
  get items() {
    const found = alternatives(this.#schema, this.#root).find((one) => isObject(one.items));
    return new Field(found?.items, this.#root);
  }

  /** The type in a few words. */
  get label() {
    const { choices, types, items } = this;
    if (choices.length > 0) return choices.map(inWords).join('|');
    if (this.isAny) return 'any';
    const names = types.filter((name) => name !== 'integer' || !types.includes('number'));
    return names.map((name) => (name === 'array' && !items.isAny ? `array of ${items.label}` : name)).join(' or ');
  }

  /** The value that a person means; a RangeError says what it should be. */
  read(text) {
    if (this.isAny) return loaded(text, text)[0];
    if (this.choices.includes(text)) return text;
    for (const name of this.types) {
      const [value] = READERS[name](text);
      if (value !== undefined) return value;
    }
    throw new RangeError(`must be ${withArticle(this.label)}, not ${quoted(text)}`);
  }
}

/** A value as a person would type it. */
function inWords(value) {
  return typeof value === 'string' ? value : writeJson(value);
}

/** The properties of an object: name, field, and whether it is required. */
function fields(schema) {
  if (!isObject(schema)) return [];
  const required = schema.required ?? [];
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    field: new Field(property, schema),
    isRequired: required.includes(name),
  }));
}

function alternatives(schema, root, depth = 0) {
  if (!isObject(schema) || depth > 16) return [];
  const reference = schema.$ref;
  const found = typeof reference === 'string' && reference.startsWith('#')
    ? alternatives(resolved(reference, root), root, depth + 1) : [];
  const several = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(several)) return [...found, ...several.flatMap((one) => alternatives(one, root, depth + 1))];
  return reference === undefined ? [schema] : found;
}

function resolved(reference, root) {
  const parts = reference.split('/').slice(1).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return parts.reduce((found, part) => (isObject(found) ? found[part] : undefined), root);
}

function typesOf(schema) {
  if (typeof schema.type === 'string') return [schema.type];
  if (Array.isArray(schema.type)) return schema.type;
  if ('const' in schema) return [typeOf(schema.const)];
  return Array.isArray(schema.enum) ? schema.enum.map(typeOf) : ORDER;
}

function typeOf(value) {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON in a text, as a list of one value; of what stands for it, or of none. */
function loaded(text, ...otherwise) {
  try {
    return [JSON.parse(text)];
  } catch {
    return otherwise;
  }
}

function withArticle(label) {
  if (label.includes('|')) return `one of ${label}`;
  return `${/^[aeio]/.test(label) ? 'an' : 'a'} ${label}`;
}

module.exports = { Field, fields, inWords };
