'use strict';

// Reading `key=value` and `key:=json` into the arguments of a call.

const fs = require('node:fs');

const { Field, fields } = require('./schema.js');
const { standard } = require('./standard.js');
const { usage } = require('./terminal.js');
const { nearest, quoted } = require('./text.js');

/**
 * The arguments that a person gave, each of the type that the schema asks for.
 *
 * `whole` is a JSON object to begin with. A key that stands twice makes an array.
 */
function readArguments(pairs, schema, whole = null) {
  const known = new Map(fields(schema).map(({ name, field }) => [name, field]));
  const args = whole === null ? {} : readWhole(whole);
  const told = new Map();
  for (const pair of pairs) {
    const [name, value] = readPair(pair, known, schema);
    told.set(name, [...(told.get(name) ?? []), value]);
  }
  for (const [name, values] of told) {
    const isArray = known.get(name)?.isArray ?? false;
    if (values.length === 1 && (!isArray || Array.isArray(values[0]))) [args[name]] = values;
    else if (isArray || !known.has(name)) args[name] = values.flat();
    else throw usage(`${name} is given ${values.length} times, but takes one value`);
  }
  return args;
}

function readWhole(text) {
  let value;
  try {
    value = JSON.parse(text === '-' ? fs.readFileSync(standard().input, 'utf8') : text);
  } catch (error) {
    throw usage(`--json is no JSON: ${error.message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw usage(`--json must be an object, such as '{"a": 1}'`);
  }
  return value;
}

function readPair(pair, known, schema) {
  const [, name, isJson, text] = /^([^=]*?)(:?)=(.*)$/s.exec(pair) ?? [];
  if (!name) throw usage(`${quoted(pair)} is no argument`, 'write key=value, or key:=json for a JSON value');
  if (isJson) {
    try {
      return [name, JSON.parse(text)];
    } catch (error) {
      throw usage(`the value of ${name} is no JSON: ${error.message}`);
    }
  }
  if (!known.has(name)) return [name, readUnknown(name, text, known, schema)];
  let field = known.get(name);
  if (field.isArray && !text.trimStart().startsWith('[')) field = field.items;
  try {
    return [name, field.read(text)];
  } catch (error) {
    throw usage(`${name} ${error.message}`);
  }
}

function readUnknown(name, text, known, schema) {
  const extra = schema?.additionalProperties;
  if (extra === false || (known.size > 0 && extra === undefined)) {
    const close = nearest(name, known.keys());
    const hint = close === undefined ? `it takes ${[...known.keys()].join(', ') || 'nothing'}` : `did you mean ${close}?`;
    throw usage(`there is no argument ${quoted(name)}`, hint);
  }
  return new Field(extra, schema).read(text);
}

module.exports = { readArguments };
