'use strict';

// What goes wrong: errors that handlers throw for their clients, and mistakes of the program.

/** By which errors are known, also those of another copy of this package. */
const TOLD = Symbol.for('mcplite.told');

const ErrorCode = Object.freeze({
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  ResourceNotFound: -32002,
  HeaderMismatch: -32020,
  MissingCapability: -32021,
  UnsupportedRevision: -32022,
  UrlElicitationRequired: -32042,
});

class McpError extends Error {
  constructor(code, message, data) {
    super(message);
    this.code = code;
    this.data = data;
  }

  /** The engine's name for what went wrong, which each revision has its own code for; none for a code of one's own. */
  get [TOLD]() {
    return '';
  }
}
nameAfterClass(McpError, 'McpError');

class ToolError extends McpError {
  constructor(message, data) {
    super(ErrorCode.InternalError, message, data);
  }

  get [TOLD]() {
    return 'tool-failed';
  }
}
nameAfterClass(ToolError, 'ToolError');

class NotFoundError extends McpError {
  constructor(message, data) {
    super(ErrorCode.ResourceNotFound, message, data);
  }

  get [TOLD]() {
    return 'resource-not-found';
  }
}
nameAfterClass(NotFoundError, 'NotFoundError');

class NotAuthorisedError extends McpError {
  constructor(message, data) {
    super(ErrorCode.InvalidRequest, message, data);
  }

  get [TOLD]() {
    return 'not-authorised';
  }
}
nameAfterClass(NotAuthorisedError, 'NotAuthorisedError');

class InvalidParamsError extends McpError {
  constructor(message, data) {
    super(ErrorCode.InvalidParams, message, data);
  }

  get [TOLD]() {
    return 'invalid-params';
  }
}
nameAfterClass(InvalidParamsError, 'InvalidParamsError');

class MissingCapabilityError extends McpError {
  constructor(message, capabilities) {
    super(ErrorCode.MissingCapability, message, { requiredCapabilities: { ...capabilities } });
  }

  get [TOLD]() {
    return 'missing-capability';
  }
}
nameAfterClass(MissingCapabilityError, 'MissingCapabilityError');

class UrlElicitationRequiredError extends McpError {
  constructor(message, elicitations) {
    const pages = elicitations.map((page) => ({ mode: 'url', ...page }));
    super(ErrorCode.UrlElicitationRequired, message, { elicitations: pages });
  }

  get [TOLD]() {
    return 'url-elicitation-required';
  }
}
nameAfterClass(UrlElicitationRequiredError, 'UrlElicitationRequiredError');

/** What the engine refuses a client that handlers have no class for. */
class EngineError extends McpError {
  #kind;

  constructor({ kind, code, message, data }) {
    super(code, message, data);
    this.#kind = kind;
  }

  get [TOLD]() {
    return this.#kind;
  }
}
nameAfterClass(EngineError, 'McpError');

const REFUSALS = { 'resource-not-found': NotFoundError, 'not-authorised': NotAuthorisedError, 'invalid-params': InvalidParamsError };

/** What the engine refuses a client, as an error that is told in the same way. */
function refusal(error) {
  const { kind, code, message, data } = error;
  return kind in REFUSALS ? Object.assign(new REFUSALS[kind](message, data), { code }) : new EngineError(error);
}

/** Arguments that a schema library refuses, after the engine has let them pass. */
class InvalidArgumentsError extends McpError {
  constructor(message) {
    super(ErrorCode.InvalidParams, message);
  }

  get [TOLD]() {
    return 'invalid-arguments';
  }
}
nameAfterClass(InvalidArgumentsError, 'InvalidArgumentsError');

class Suspended extends Error {
  constructor() {
    super('the client is asked, and the handler runs again when there is an answer');
  }
}
nameAfterClass(Suspended, 'Suspended');

class MisuseError extends Error {
  constructor(message, code = 'ERR_MCPLITE_MISUSE', options) {
    super(message, options);
    this.code = code;
  }
}
nameAfterClass(MisuseError, 'MisuseError');

function nameAfterClass(type, name) {
  // On the prototype, as the errors of the language have it.
  Object.defineProperty(type.prototype, 'name', { value: name, configurable: true, writable: true });
}

/** Does something with the engine; what it refuses is thrown as a MisuseError. */
function refusing(work) {
  try {
    return work();
  } catch (error) {
    throw misused(error);
  }
}

function misused(error) {
  const code = error?.code;
  if (typeof code !== 'string' || error instanceof MisuseError) return error;
  if (code.startsWith('ERR_MCPLITE')) return new MisuseError(error.message, code);
  // Of the layer between: a value of the wrong type.
  return /^[A-Z][A-Za-z]+$/.test(code) ? new TypeError(error.message) : error;
}

module.exports = {
  TOLD, ErrorCode, McpError, ToolError, NotFoundError, NotAuthorisedError, InvalidParamsError, MissingCapabilityError,
  UrlElicitationRequiredError, refusal, InvalidArgumentsError, Suspended, MisuseError, refusing, misused,
};
