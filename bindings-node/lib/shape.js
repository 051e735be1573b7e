'use strict';

// Raw shapes: objects whose members are schemas of a library, such as `{ a: z.number(), b: z.string().optional() }`.

const { moved } = require('./generated.js');
const { Mismatch, jsonSchema, settled } = require('./standard.js');

/** An object schema of a shape. */
function describeShape(shape, what, direction) {
  const fields = Object.entries(shape).map(([name, schema]) => field(name, schema, what, direction));
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const json = { type: 'object', properties: Object.fromEntries(fields.map(({ name, json }) => [name, json])) };
  if (required.length > 0) json.required = required;
  return { json, validate: (value) => validated(fields, value) };
}

function field(name, schema, what, direction) {
  const json = jsonSchema(schema, `${what}, ${JSON.stringify(name)}`, direction);
  const place = `/properties/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`;
  return {
    name,
    json: moved(json, place),
    isRequired: !isOptional(schema, direction),
    validate: (value) => schema['~standard']?.validate?.(value) ?? { value },
  };
}

/** Whether a member may be missing, which only the whole object's JSON Schema would say. */
function isOptional(schema, direction) {
  if (schema._zod) return (direction === 'input' ? schema._zod.optin : schema._zod.optout) !== undefined;
  const standard = schema['~standard'];
  if (typeof standard?.validate !== 'function') return false;
  let result;
  try {
    result = standard.validate(undefined);
  } catch {
    return false;
  }
  if (typeof result?.then === 'function') {
    // It cannot be waited for. The library still refuses what is missing when the tool is called.
    result.then(undefined, () => {});
    return true;
  }
  return !result.issues && (direction === 'input' || result.value === undefined);
}

/** Validates each member by itself; what the shape does not know is left out. */
function validated(fields, value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Mismatch([{ message: 'must be an object', path: [] }]);
  }
  const results = fields.map(({ name, validate }) => validate(Object.hasOwn(value, name) ? value[name] : undefined));
  const isLater = results.some((result) => typeof result?.then === 'function');
  return settled(isLater ? Promise.all(results) : results, (all) => gathered(fields, value, all));
}

function gathered(fields, value, results) {
  const issues = results.flatMap(({ issues }, index) => {
    return [...(issues ?? [])].map((issue) => beneath(fields[index].name, issue));
  });
  if (issues.length > 0) throw new Mismatch(issues);
  const members = fields.map(({ name }, index) => [name, results[index].value]);
  return Object.fromEntries(members.filter(([name, member]) => member !== undefined || Object.hasOwn(value, name)));
}

/** An issue of a member, as one of the object. Its own members are kept, since some libraries have theirs there. */
function beneath(name, issue) {
  const { message, problem, errors, path } = issue;
  return { message, problem, errors, path: [name, ...(path ?? [])] };
}

module.exports = { describeShape };
