'use strict';

// JSON Schemas as libraries write them, made short and plain: they are read by models, and by hosts that know less of
// JSON Schema than libraries do.

// How many references are replaced by what they refer to before it is taken to be too much.
const MAX_INLINED = 200;

const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const DATA = new Set(['const', 'enum', 'default', 'examples']);

/** Leaves out what says nothing, and has references only where a schema contains itself. */
function tidy(json) {
  const { $schema: _, ...rest } = inlined(json);
  return withObjectType(rewritten(rest, withoutNoise));
}

/** The same schema for another place: references into it find it there. `place` is a JSON Pointer. */
function moved(json, place) {
  return rewritten(json, (schema) => {
    const { $ref } = schema;
    const isOwn = typeof $ref === 'string' && ($ref === '#' || $ref.startsWith('#/'));
    return isOwn ? { ...schema, $ref: `#${place}${$ref.slice(1)}` } : schema;
  });
}

/** What a reference into the document refers to; undefined if it is none of those. */
function referred(root, reference) {
  if (reference === '#') return root;
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined;
  const names = reference.slice(2).split('/').map(unescaped);
  return names.reduce((place, name) => (isObject(place) && Object.hasOwn(place, name) ? place[name] : undefined), root);
}

/** Builds a schema anew from the inside out. What is data in it, such as a default, stays as it is. */
function rewritten(schema, change) {
  if (!isObject(schema)) return schema;
  const go = (part) => rewritten(part, change);
  const parts = Object.entries(schema).map(([keyword, part]) => {
    if (DATA.has(keyword) || !isObject(part)) return [keyword, part];
    if (Array.isArray(part)) return [keyword, part.map(go)];
    if (!MAPS.has(keyword)) return [keyword, go(part)];
    return [keyword, Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, go(inner)]))];
  });
  return change(Object.fromEntries(parts));
}

function withoutNoise(schema) {
  // zod writes the range of a double into every integer.
  if (schema.type === 'integer') {
    if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
    if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  }
  const names = schema.propertyNames;
  if (isObject(names) && names.type === 'string' && Object.keys(names).length === 1) delete schema.propertyNames;
  return schema;
}

/** Older clients demand of tools that the type is said, also where it is clear from the branches. */
function withObjectType(json) {
  if (json.type !== undefined || !isObjectOnly(json, json)) return json;
  return { type: 'object', ...json };
}

function isObjectOnly(schema, root) {
  if (!isObject(schema)) return false;
  if (schema.type !== undefined) return schema.type === 'object';
  const branches = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(branches)) return branches.length > 0 && branches.every((branch) => isObjectOnly(branch, root));
  if (Array.isArray(schema.allOf)) return schema.allOf.some((part) => isObjectOnly(part, root));
  const target = referred(root, schema.$ref);
  return target !== undefined && target !== root && target.type === 'object';
}

/** Puts definitions where they are referred to, except those that contain themselves. */
function inlined(root) {
  const keyword = root.$defs ? '$defs' : 'definitions';
  const definitions = root[keyword];
  if (!isObject(definitions) || hasDeepReference(root, keyword)) return root;
  const recursive = new Set(Object.keys(definitions).filter((name) => reaches(definitions, keyword, name)));
  let count = 0;
  const replace = (schema) => {
    const name = definitionName(schema, keyword);
    if (name === null || recursive.has(name) || !Object.hasOwn(definitions, name) || ++count > MAX_INLINED) return schema;
    const { $ref: _, ...siblings } = schema;
    return { ...rewritten(definitions[name], replace), ...siblings };
  };
  const { [keyword]: _, ...rest } = root;
  let made = rewritten(rest, replace);
  const own = definitionName(made, keyword);
  // A root that is a reference would have no type of its own.
  if (own !== null && recursive.has(own)) {
    const { $ref: __, ...siblings } = made;
    made = { ...rewritten(definitions[own], replace), ...siblings };
  }
  if (count > MAX_INLINED) return root;
  const kept = [...recursive].map((name) => [name, rewritten(definitions[name], replace)]);
  return kept.length > 0 ? { ...made, [keyword]: Object.fromEntries(kept) } : made;
}

/** Whether something refers into the inside of a definition, which has to stay for it. */
function hasDeepReference(root, keyword) {
  let found = false;
  rewritten(root, (schema) => {
    const { $ref } = schema;
    found ||= typeof $ref === 'string' && $ref.startsWith(`#/${keyword}/`) && definitionName(schema, keyword) === null;
    return schema;
  });
  return found;
}

/** Whether a definition refers to itself, by whatever detours. */
function reaches(definitions, keyword, start) {
  const seen = new Set();
  const waiting = [start];
  while (waiting.length > 0) {
    const name = waiting.pop();
    rewritten(definitions[name], (schema) => {
      const next = definitionName(schema, keyword);
      if (next !== null && !seen.has(next)) {
        seen.add(next);
        if (Object.hasOwn(definitions, next)) waiting.push(next);
      }
      return schema;
    });
  }
  return seen.has(start);
}

function definitionName(schema, keyword) {
  const start = `#/${keyword}/`;
  if (typeof schema.$ref !== 'string' || !schema.$ref.startsWith(start)) return null;
  const name = schema.$ref.slice(start.length);
  return name.includes('/') ? null : unescaped(name);
}

function unescaped(name) {
  let decoded = name;
  try {
    decoded = decodeURIComponent(name);
  } catch {
    // Not every library writes fragments as URIs want them.
  }
  return decoded.replaceAll('~1', '/').replaceAll('~0', '~');
}

function isObject(value) {
  return typeof value === 'object' && value !== null;
}

module.exports = { tidy, moved, referred };
