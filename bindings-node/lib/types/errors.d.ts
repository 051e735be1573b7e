// What goes wrong.

/** Answers with an error of this code. */
export class McpError extends Error {
  constructor(code: number, message: string, data?: unknown);
  readonly code: number;
  readonly data: unknown;
}

/** Tells the model what went wrong, as a result with `isError`. */
export class ToolError extends McpError { constructor(message: string, data?: unknown) }

export class NotFoundError extends McpError { constructor(message: string, data?: unknown) }

export class NotAuthorisedError extends McpError { constructor(message: string, data?: unknown) }

export class InvalidParamsError extends McpError { constructor(message: string, data?: unknown) }

/** The client lacks a capability, such as `{ elicitation: {} }`. */
export class MissingCapabilityError extends McpError { constructor(message: string, capabilities: Record<string, unknown>) }

export class UrlElicitationRequiredError extends McpError {
  constructor(message: string, elicitations: readonly { message: string; url: string; elicitationId: string }[]);
}

/** Ends an attempt that has asked its client; the handler runs again when there is an answer. Let it pass. */
export class Suspended extends Error {}

/** What the engine refuses a program. `code` says why: `ERR_MCPLITE_DEFINITION`, `_EXISTS`, `_NOT_FOUND`, `_LIMIT`, `_BUSY`,
 * `_CLOSED`, `_CANCELLED`, `_ANSWERED`, `_MISUSE`. */
export class MisuseError extends Error { readonly code: string }

/** The codes of JSON-RPC and of the protocol. */
export const ErrorCode: {
  readonly ParseError: -32700; readonly InvalidRequest: -32600; readonly MethodNotFound: -32601; readonly InvalidParams: -32602;
  readonly InternalError: -32603; readonly ResourceNotFound: -32002; readonly HeaderMismatch: -32020;
  readonly MissingCapability: -32021; readonly UnsupportedRevision: -32022; readonly UrlElicitationRequired: -32042;
};
