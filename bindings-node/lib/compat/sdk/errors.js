'use strict';

const core = require('../../../index.cjs');

/** Answers a request with an error of this code. */
class MCPError extends core.McpError {
  constructor(code, message, data) {
    super(code, message, data);
    this.name = 'MCPError';
  }
}

const ErrorCode = Object.freeze({ ...core.ErrorCode, ConnectionClosed: -32000, RequestTimeout: -32001 });

/** What a client is told of something that a handler threw, or that an error handler made of it. */
function errorFrom(thrown) {
  try {
    if (typeof thrown === 'string') return new MCPError(ErrorCode.InternalError, thrown);
    const { code, message, data } = thrown;
    const text = typeof message === 'string' && message !== '' ? message : 'Internal error';
    return new MCPError(isCode(code) ? code : ErrorCode.InternalError, text, data);
  } catch {
    // It is nothing that has members, or refuses to show them.
    return new MCPError(ErrorCode.InternalError, 'Internal error');
  }
}

/** Codes are integers; errors of the system have others, such as ENOENT. */
function isCode(code) {
  return Number.isInteger(code) && Math.abs(code) < 2 ** 31;
}

module.exports = { ErrorCode, MCPError, errorFrom };
