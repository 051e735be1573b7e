// `${/arguments/name}` in a fixture: a JSON Pointer to what an attempt knows.

const PLACEHOLDER = /\$\{([^}]*)\}/g;

/** The value that is pointed at; nothing is an empty text. */
function find(known, pointer) {
  let found = known;
  for (const part of pointer.split('/').slice(1)) {
    if (found === null || typeof found !== 'object' || !Object.hasOwn(found, part)) return '';
    found = found[part];
  }
  return found;
}

/** The same value, with what placeholders in its texts stand for. */
export function fillIn(value, known) {
  if (typeof value === 'string') {
    return value.replace(PLACEHOLDER, (_, pointer) => {
      const found = find(known, pointer);
      return typeof found === 'string' ? found : JSON.stringify(found);
    });
  }
  if (Array.isArray(value)) return value.map((part) => fillIn(part, known));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, fillIn(part, known)]));
}
