'use strict';

// From what a handler has thrown to the answer that its client gets.

const { TOLD, Suspended } = require('./errors.js');
const { wellFormed } = require('./results.js');

/** The answer for a failure: a `kind` of the engine's or a `code`, `message`, `data`, `stack`. */
function failed(failure) {
  return `failed ${wellFormed(JSON.stringify(failure))}`;
}

/** What a thrown value tells the client, if it was thrown for that; else null. */
function told(error) {
  if (error === null || typeof error !== 'object') return null;
  if (error[TOLD] === undefined && !isForeign(error)) return null;
  const kind = error[TOLD] || undefined;
  const told = { kind, code: kind === undefined ? error.code : undefined, message: String(error.message) };
  if (error.data !== undefined && error.data !== null) told.data = error.data;
  return told;
}

/** Errors of the official SDKs are meant for clients as well. */
function isForeign(error) {
  return error instanceof Error && ['McpError', 'ProtocolError'].includes(error.name) && Number.isInteger(error.code);
}

/** The answer for a thrown value. What was not thrown for the client is reported to the program as well. */
function answerThrown(error, context, server) {
  try {
    const known = told(error);
    if (known !== null) return failed(known);
    if (error instanceof Suspended) return failed({ kind: 'internal', message: 'the handler gave no answer' });
  } catch (trap) {
    // Its data cannot be written, or it throws when it is looked at.
    return answerUnknown(trap, context, server);
  }
  return answerUnknown(error, context, server);
}

function answerUnknown(error, context, server) {
  const { method, name } = context;
  server.report(error, { method, name });
  const kind = method === 'tools/call' ? 'tool-failed' : 'internal';
  if (server.masksErrors) return failed({ kind, message: 'the handler failed' });
  return failed({ kind, message: textOf(error), stack: server.isDebugging ? stackOf(error) : undefined });
}

function stackOf(error) {
  try {
    return typeof error?.stack === 'string' ? error.stack : undefined;
  } catch {
    return undefined;
  }
}

/** What a thrown value says, or what it is if it says nothing. */
function textOf(error) {
  try {
    if (error instanceof Error) return String(error.message || error.name);
    if (typeof error === 'string') return error || 'the handler failed';
    if (error !== null && typeof error === 'object' && typeof error.message === 'string') return error.message;
    return `the handler threw ${error === undefined ? 'undefined' : JSON.stringify(error) ?? String(error)}`;
  } catch {
    return 'the handler failed';
  }
}

module.exports = { failed, answerThrown, textOf };
