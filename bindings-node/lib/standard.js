'use strict';

// Schemas of other libraries, by the Standard Schema and Standard JSON Schema specifications. None of the libraries is
// imported: whatever has the right members is taken.

const { MisuseError } = require('./errors.js');
const { tidy } = require('./generated.js');

// What a message lists before it says how many more there are.
const MAX_ISSUES = 12;

/** Values that are not what a schema wants. The message is for a model that has to correct its call. */
class Mismatch extends Error {
  constructor(issues) {
    super(sentence(issues));
    this.name = 'Mismatch';
    this.issues = issues;
  }
}

/** The JSON Schema of a library's schema; `direction` says of which side of it, `input` or `output`. */
function jsonSchema(schema, what, direction) {
  const standard = schema['~standard'];
  const vendor = standard?.vendor;
  let json;
  try {
    if (typeof standard?.jsonSchema?.[direction] === 'function') json = convert(standard, direction);
    else json = converter(schema)?.(direction);
  } catch (error) {
    const reason = String(error?.message ?? error).replace(/\.$/, '');
    const advice = direction === 'output' && /transform/i.test(reason) ? TRANSFORM_ADVICE : '';
    const message = `${what}: ${vendor ?? 'the library'} cannot write it as JSON Schema: ${reason}${advice}`;
    throw new MisuseError(message, 'ERR_MCPLITE_DEFINITION', { cause: error });
  }
  if (!isObject(json)) throw new MisuseError(`${what}: ${whatToDo(schema, vendor)}`, 'ERR_MCPLITE_DEFINITION');
  return tidy(json);
}

const TRANSFORM_ADVICE =
  '; say what comes out of a transform: in zod with .pipe(z.number()), in valibot with a schema at the end of the pipe';

/** The library's own validation, or null if it has none. */
function validator(schema) {
  const standard = schema['~standard'];
  if (typeof standard?.validate !== 'function') return null;
  return (value) => settled(standard.validate(value), accept);
}

/** Goes on with a result now, or when it is there. */
function settled(result, next) {
  return typeof result?.then === 'function' ? result.then(next) : next(result);
}

function accept(result) {
  if (result.issues) throw new Mismatch([...result.issues]);
  return result.value;
}

function convert(standard, direction) {
  const write = standard.jsonSchema[direction];
  const libraryOptions = LIBRARY_OPTIONS[standard.vendor]?.(direction);
  try {
    return write({ target: 'draft-2020-12', libraryOptions });
  } catch (error) {
    try {
      return write({ target: 'draft-07', libraryOptions });
    } catch {
      // The first one tells more: the second may only say that there is no such target.
      throw error;
    }
  }
}

/** What libraries can write if they are told how: whatever they leave out of the JSON Schema, they still validate. */
const LIBRARY_OPTIONS = {
  zod: (direction) => ({ unrepresentable: 'any', override: (place) => representZod(place, direction) }),
  valibot: (direction) => ({
    overrideAction: ({ valibotAction, jsonSchema, errors }) =>
      errors && (direction === 'input' || valibotAction.kind === 'validation') ? jsonSchema : undefined,
  }),
};

// Besides these, an empty JSON Schema is the truth: `any`, `unknown`, and `custom`.
const ZOD_UNREPRESENTABLE = new Set(['bigint', 'function', 'map', 'nan', 'set', 'symbol', 'transform', 'undefined', 'void']);

function representZod({ zodSchema, jsonSchema }, direction) {
  const { type, coerce, values } = zodSchema._zod.def;
  if (type === 'date' && (coerce || direction === 'output')) {
    // JSON has dates as text, whichever way they go.
    jsonSchema.type = 'string';
    jsonSchema.format = 'date-time';
  } else if (type === 'date') {
    throw new Error('a Date cannot come as JSON; take text with z.coerce.date() or z.iso.datetime()');
  } else if (ZOD_UNREPRESENTABLE.has(type) || values?.some((value) => value === undefined || typeof value === 'bigint')) {
    throw new Error(type === 'transform' ? 'it ends with a transform' : `JSON has nothing like ${type}`);
  }
}

/** The way to a JSON Schema that libraries had before there was a standard for it. */
function converter(schema) {
  if (typeof schema.toJSONSchema === 'function') {
    return (io) => schema.toJSONSchema({ io, target: 'draft-2020-12' });
  }
  if (typeof schema.toJsonSchema === 'function') {
    return (direction) => {
      const side = schema[direction === 'input' ? 'in' : 'out'];
      return (typeof side?.toJsonSchema === 'function' ? side : schema).toJsonSchema();
    };
  }
  return null;
}

function isZod3(schema) {
  return typeof schema._def?.typeName === 'string' && schema._def.typeName.startsWith('Zod');
}

/** For schemas that do not know their JSON Schema. */
function whatToDo(schema, vendor) {
  if (isZod3(schema)) {
    return 'schemas of zod 3 do not know their JSON Schema; use zod 4.2 or newer (npm install zod@latest), or give a JSON Schema';
  }
  if (isObject(schema._zod)) {
    return (
      'this schema of zod does not know its JSON Schema; use zod 4.2 or newer (npm install zod@latest), ' +
      'and if it is from zod/mini, give z.toJSONSchema(schema), which still validates with zod'
    );
  }
  if (vendor === 'valibot') {
    return (
      'a schema of valibot does not know its JSON Schema; npm install @valibot/to-json-schema, ' +
      'import { toStandardJsonSchema } from "@valibot/to-json-schema", and give toStandardJsonSchema(schema)'
    );
  }
  return (
    `schemas of ${vendor ?? 'this library'} do not know their JSON Schema (they have no "~standard".jsonSchema); ` +
    'use a version or a converter that adds it, or give a JSON Schema'
  );
}

/** Issues as the engine writes violations: a JSON Pointer, and what is wrong there. */
function sentence(issues) {
  const told = issues.slice(0, MAX_ISSUES).map((issue) => wording(issue, issue.path ?? []));
  if (issues.length > MAX_ISSUES) told.push(`and ${issues.length - MAX_ISSUES} more`);
  return told.join('; ');
}

function wording(issue, path) {
  // arktype has the path in its message, and without it in the problem.
  const reason = typeof issue.problem === 'string' ? issue.problem : issue.message;
  const told = `${pointer(path) || '/'}: ${reason}`;
  if (!Array.isArray(issue.errors) || issue.errors.length === 0) return told;
  // zod says of a union only that nothing fits; why, it keeps for each branch.
  const branches = issue.errors.map((branch) => branch.map((part) => wording(part, [...path, ...part.path])).join(', '));
  return `${told} (${branches.join(', or ')})`;
}

function pointer(path) {
  const names = path.map((segment) => String(isObject(segment) ? segment.key : segment));
  return names.map((name) => '/' + name.replaceAll('~', '~0').replaceAll('/', '~1')).join('');
}

function isObject(value) {
  return typeof value === 'object' && value !== null;
}

module.exports = { Mismatch, jsonSchema, validator, settled };
