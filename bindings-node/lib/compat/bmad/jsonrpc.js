'use strict';

/** The codes of JSON-RPC, by name and, as in an enum of TypeScript, the names by code. */
const JSON_RPC_ERROR = {};
for (const [name, code] of Object.entries({
  PARSE_ERROR: -32700,
  INVALID_REQUEST: -32600,
  METHOD_NOT_FOUND: -32601,
  INVALID_PARAMS: -32602,
  INTERNAL_ERROR: -32603,
})) {
  JSON_RPC_ERROR[name] = code;
  JSON_RPC_ERROR[code] = name;
}
Object.freeze(JSON_RPC_ERROR);

// What was made here is a response wherever it turns up; what only looks like one may be somebody's data.
const made = new WeakSet();

function makeResult(id, result) {
  // JSON has no undefined, and a response without its result is none.
  const response = { jsonrpc: '2.0', id: id ?? null, result: result === undefined ? null : result };
  made.add(response);
  return response;
}

function makeError(id, code, message, data) {
  const error = { code, message };
  if (data !== undefined) error.data = data;
  const response = { jsonrpc: '2.0', id: id ?? null, error };
  made.add(response);
  return response;
}

function isNotification(request) {
  return request.id === undefined;
}

/** Whether a handler gave a whole response to the request of this id, instead of its result. */
function isResponse(value, id) {
  if (typeof value !== 'object' || value === null) return false;
  if (made.has(value)) return true;
  return value.jsonrpc === '2.0' && value.id === id && ('result' in value) !== ('error' in value);
}

/** The response to a request whose handler returned `value`. */
function responseOf(value, id) {
  if (!isResponse(value, id)) return makeResult(id, value);
  return 'error' in value ? errorOf(value.error, id) : makeResult(id, value.result);
}

/** The response to a request whose handler threw `thrown`, which may be anything. */
function errorOf(thrown, id) {
  try {
    if (isResponse(thrown, id) && 'error' in thrown) return errorOf(thrown.error, id);
    if (typeof thrown === 'string') return makeError(id, JSON_RPC_ERROR.INTERNAL_ERROR, thrown);
    const { code, message, data } = thrown;
    const text = typeof message === 'string' && message !== '' ? message : 'Internal error';
    // Errors of the system have codes too, such as ENOENT, which are no numbers.
    if (!Number.isSafeInteger(code)) return makeError(id, JSON_RPC_ERROR.INTERNAL_ERROR, text);
    return makeError(id, code, text, data);
  } catch {
    return makeError(id, JSON_RPC_ERROR.INTERNAL_ERROR, 'Internal error');
  }
}

module.exports = { JSON_RPC_ERROR, errorOf, isNotification, makeError, makeResult, responseOf };
