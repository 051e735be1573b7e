'use strict';

// Forms that clients show to their users: flat objects of strings, numbers, booleans and choices.

const { describe } = require('./schema.js');

const FORMATS = new Set(['date', 'date-time', 'email', 'uri']);

// Libraries' schemas never change, and handlers ask with the same ones again and again.
const known = new WeakMap();

/**
 * What a client is asked to show, and how what the user filled in becomes what the handler asked for.
 *
 * A schema of anything but an object becomes a form with the one field `value`. `unwrap` takes the content of the answer
 * and gives what the schema makes of it, or a promise of that; like `validate` of `describe` it may refuse it.
 */
function form(schema) {
  const isObject = typeof schema === 'object' || typeof schema === 'function';
  const before = isObject && schema !== null ? known.get(schema) : undefined;
  if (before) return before;
  const made = build(schema);
  if (isObject && schema['~standard'] !== undefined) known.set(schema, made);
  return made;
}

function build(schema) {
  const { json, validate } = describe(schema, 'the form to elicit');
  const isWrapped = json.type !== 'object' && json.properties === undefined;
  const whole = isWrapped ? { type: 'object', properties: { value: json }, required: ['value'] } : json;
  const { $schema: _, additionalProperties: __, ...rest } = whole;
  const properties = Object.entries(whole.properties ?? {}).map(([name, property]) => {
    const made = field(property);
    // Forms have no patterns. The engine would check them, but not all that libraries write; libraries do.
    if (validate) delete made.pattern;
    return [name, made];
  });
  return {
    json: { ...rest, properties: Object.fromEntries(properties) },
    unwrap: (content) => {
      const value = isWrapped ? content?.value : content;
      return validate ? validate(value) : value;
    },
  };
}

/** A field as the specification has it, if that takes no more than saying the same in other words. */
function field(property, titles = 'oneOf') {
  if (typeof property !== 'object' || property === null) return property;
  const { $schema: _, ...made } = choice(withoutNull(property), titles);
  if (made.type === undefined) Object.assign(made, typeOfValues(made.enum ?? (made.const === undefined ? [] : [made.const])));
  if (made.type === 'array' && made.items) made.items = field(made.items, 'anyOf');
  // Clients may refuse a form with others. The library still checks them.
  if (made.format !== undefined && !FORMATS.has(made.format)) delete made.format;
  return made;
}

/** A form has no way to say null: a field is filled in or it is not. */
function withoutNull(property) {
  const { type, anyOf } = property;
  if (Array.isArray(type)) {
    const types = type.filter((one) => one !== 'null');
    return { ...property, type: types.length === 1 ? types[0] : types };
  }
  if (!Array.isArray(anyOf)) return property;
  const others = anyOf.filter((branch) => branch?.type !== 'null');
  if (others.length === anyOf.length) return property;
  const { anyOf: _, ...rest } = property;
  return others.length === 1 ? { ...others[0], ...rest } : { ...rest, anyOf: others };
}

/** One text, and branches that are single texts, are a choice, with titles or without. */
function choice(property, titles) {
  const { anyOf, oneOf, const: only, ...rest } = property;
  if (typeof only === 'string') return { type: 'string', ...rest, enum: [only] };
  const branches = anyOf ?? oneOf;
  if (!Array.isArray(branches) || !branches.every((branch) => typeof branch?.const === 'string')) return property;
  if (branches.every((branch) => branch.title === undefined)) {
    return { type: 'string', ...rest, enum: branches.map((branch) => branch.const) };
  }
  const titled = branches.map((branch) => ({ const: branch.const, title: branch.title ?? branch.const }));
  return titles === 'anyOf' ? { ...rest, anyOf: titled } : { type: 'string', ...rest, oneOf: titled };
}

function typeOfValues(values) {
  const types = new Set(values.map((value) => typeof value));
  const [type] = types;
  return types.size === 1 && ['string', 'number', 'boolean'].includes(type) ? { type } : {};
}

module.exports = { form };
