'use strict';

// Arguments that come as text, as those of prompts do.

const { MisuseError } = require('./errors.js');
const { referred } = require('./generated.js');
const { Mismatch } = require('./standard.js');

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const TRUE = new Set(['true', 'yes', '1', 'on']);
const FALSE = new Set(['false', 'no', '0', 'off']);

/** What the specification has for the arguments of a prompt, from the schema of an object. */
function textArguments(json, what) {
  if (json.type !== 'object') {
    throw new MisuseError(`${what}: the arguments of a prompt are an object, which this schema is not`, 'ERR_MCPLITE_DEFINITION');
  }
  const required = new Set(json.required);
  return Object.entries(json.properties ?? {}).map(([name, property]) => {
    const { title, description } = { ...referred(json, property.$ref), ...property };
    return {
      name,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      required: required.has(name),
    };
  });
}

/** A function that turns texts into what the schema wants, or null if it wants nothing else. */
function textConverter(json) {
  const required = new Set(json.required);
  const fields = Object.entries(json.properties ?? {})
    .map(([name, property]) => ({ name, property, kinds: kinds(property, json), isRequired: required.has(name) }))
    .filter(({ property, kinds }) => kinds !== null || property.enum);
  if (fields.length === 0) return null;
  return (texts) => converted(fields, texts);
}

function converted(fields, texts) {
  const issues = [];
  const values = { ...texts };
  for (const { name, property, kinds, isRequired } of fields) {
    if (!Object.hasOwn(texts, name)) continue;
    const text = texts[name];
    if (!isRequired && text.trim() === '' && !property.enum?.includes(text)) {
      // A field of the client's form that was left empty.
      delete values[name];
      continue;
    }
    const value = kinds === null ? text : read(text, kinds);
    const isListed = !property.enum || property.enum.includes(value);
    if (value === undefined) issues.push(issue(name, `must be ${[...kinds].map((kind) => NOUNS[kind]).join(' or ')}`, text));
    else if (!isListed) issues.push(issue(name, `must be one of ${JSON.stringify(property.enum)}`, text));
    else values[name] = value;
  }
  if (issues.length > 0) throw new Mismatch(issues);
  return values;
}

const NOUNS = {
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  array: 'a JSON array',
  object: 'a JSON object',
  null: 'null',
};

const READERS = {
  integer: (text) => (NUMBER.test(text) && Number.isInteger(Number(text)) ? Number(text) : undefined),
  number: (text) => (NUMBER.test(text) ? Number(text) : undefined),
  boolean: (text) => (TRUE.has(text.toLowerCase()) ? true : FALSE.has(text.toLowerCase()) ? false : undefined),
  array: (text) => parsed(text, (value) => Array.isArray(value)),
  object: (text) => parsed(text, (value) => typeof value === 'object' && value !== null && !Array.isArray(value)),
  null: (text) => (text === 'null' ? null : undefined),
};

function read(text, kinds) {
  for (const kind of kinds) {
    const value = READERS[kind](text.trim());
    if (value !== undefined) return value;
  }
  return undefined;
}

function parsed(text, isRight) {
  try {
    const value = JSON.parse(text);
    return isRight(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function issue(name, message, text) {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return { message: `${message}, but is ${JSON.stringify(shown)}`, path: [name] };
}

/** The types that a schema allows, if text is none of them; null if text will do, or nobody can tell. */
function kinds(schema, root) {
  const found = new Set();
  return collect(schema, root, found, new Set()) && found.size > 0 ? found : null;
}

function collect(schema, root, found, seen) {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return false;
  seen.add(schema);
  const add = (type) => type !== 'string' && type in READERS && Boolean(found.add(type));
  if (schema.type !== undefined) return [schema.type].flat().every(add);
  if (schema.const !== undefined) return add(typeOf(schema.const));
  if (schema.enum) return schema.enum.every((value) => add(typeOf(value)));
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) return branches.every((branch) => collect(branch, root, found, seen));
  return schema.$ref !== undefined && collect(referred(root, schema.$ref), root, found, seen);
}

function typeOf(value) {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

module.exports = { textArguments, textConverter };
