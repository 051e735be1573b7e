'use strict';

// What describes values: schemas of libraries, objects of them, and JSON Schemas.

const { MisuseError } = require('./errors.js');

/**
 * Finds out what clients are told of a schema, and how values are validated beyond that.
 *
 * `what` is for messages, such as `inputSchema of tool "add"`. With the direction `input` values come from clients: they
 * see the side of the schema that goes in. With `output` they go to clients, who see the side that comes out.
 *
 * `validate` is null if the JSON Schema says it all. Else it gives what the library makes of a value, or a promise of
 * that, and throws or rejects with a `Mismatch`.
 */
function describe(schema, what, direction = 'input') {
  if (isForeign(schema)) {
    const { jsonSchema, validator } = require('./standard.js');
    return { json: jsonSchema(schema, what, direction), validate: validator(schema) };
  }
  if (!isPlain(schema)) {
    throw unusable(what, `${kind(schema)}; give a schema of zod 4, arktype or valibot, or a JSON Schema`);
  }
  if (isShape(schema, what)) return require('./shape.js').describeShape(schema, what, direction);
  return { json: checked(schema, what), validate: null };
}

/** Whether it is a schema of a library. Some are functions. */
function isForeign(schema) {
  if (schema === null || (typeof schema !== 'object' && typeof schema !== 'function')) return false;
  return (
    typeof schema['~standard'] === 'object' ||
    typeof schema._zod === 'object' ||
    typeof schema._def?.typeName === 'string' ||
    typeof schema.toJSONSchema === 'function' ||
    typeof schema.toJsonSchema === 'function'
  );
}

/** Whether a plain object has schemas as its members. The empty one has no others. */
function isShape(object, what) {
  const names = Object.keys(object);
  const others = names.filter((name) => !isForeign(object[name]));
  if (others.length > 0 && others.length < names.length) {
    throw unusable(
      what,
      `${JSON.stringify(others[0])} is not a schema, but other members are; ` +
        'write objects inside of a shape with the library as well, such as z.object({ … })',
    );
  }
  return others.length === 0;
}

/** A JSON Schema as its author wrote it. */
function checked(json, what) {
  const foreign = Object.keys(json.properties ?? {}).find((name) => isForeign(json.properties[name]));
  if (foreign !== undefined) {
    throw unusable(
      what,
      `"properties" of a JSON Schema has a library's schema in it, ${JSON.stringify(foreign)}; ` +
        'give the object of schemas by itself, without "type" and "properties"',
    );
  }
  return json;
}

function isPlain(value) {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  // The second: objects of other realms, as in tests.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function unusable(what, reason) {
  return new MisuseError(`${what}: ${reason}`, 'ERR_MCPLITE_DEFINITION');
}

function kind(value) {
  if (typeof value === 'boolean') return `${value} says nothing of its values`;
  if (value === null || value === undefined) return `${value} is not a schema`;
  if (Array.isArray(value)) return 'an array is not a schema';
  if (typeof value === 'object') return `an object of class ${value.constructor?.name ?? 'unknown'} is not a schema`;
  return `a ${typeof value} is not a schema`;
}

module.exports = {
  describe,
  textArguments: (json, what) => require('./texts.js').textArguments(json, what),
  textConverter: (json) => require('./texts.js').textConverter(json),
  form: (schema) => require('./form.js').form(schema),
};
