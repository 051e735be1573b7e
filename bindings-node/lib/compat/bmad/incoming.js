'use strict';

const MAX_ID = 1024;

/** Reads a message that came as text; gives null if it is none, which the engine can explain. */
function parsed(message, limit) {
  if (typeof message !== 'string' && !(message instanceof Uint8Array)) return message;
  if (message.length > limit) return null;
  try {
    return JSON.parse(typeof message === 'string' ? message : Buffer.from(message).toString());
  } catch {
    return null;
  }
}

/** Whether a message is a request or notification that handlers may see. */
function isCall(message, depth) {
  return typeof message === 'object' && message !== null && message.jsonrpc === '2.0'
    && typeof message.method === 'string' && isId(message.id) && isWithin(message, depth);
}

function isId(id) {
  if (typeof id === 'string') return id.length <= MAX_ID;
  return id === undefined || id === null || Number.isFinite(id);
}

/** Whether a value is nested in no more than so many levels, which one that contains itself is not. */
function isWithin(value, depth) {
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0) return false;
  for (const name in value) {
    if (!isWithin(value[name], depth - 1)) return false;
  }
  return true;
}

module.exports = { isCall, isId, parsed };
