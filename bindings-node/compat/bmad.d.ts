/**
 * The server API of BMAD-MCP on the engine of mcplite: programs written for it run with the import changed.
 *
 * @module mcplite/compat/bmad
 */

import type { Limits } from "../index.js";

export interface JsonRpcRequest {
  jsonrpc: "2.0";
  /** Without one the request is a notification, which is not answered. */
  id?: string | number | null;
  method: string;
  params?: unknown;
}

export interface JsonRpcError {
  code: number;
  message: string;
  data?: unknown;
}

/** Has either a result or an error. */
export interface JsonRpcResponse {
  jsonrpc: "2.0";
  id: string | number | null;
  result?: unknown;
  error?: JsonRpcError;
}

export type JsonRpcMessage = JsonRpcRequest | JsonRpcResponse;

/** How messages come to a server and leave it. */
export interface Transport {
  start(): Promise<void> | void;
  stop(): Promise<void> | void;
  send(message: JsonRpcMessage): Promise<void> | void;
  onMessage(handler: (message: JsonRpcMessage) => void): void;
}

/** A request in progress. */
export interface Call {
  /** Aborts when the client wants no answer any more. */
  readonly signal: AbortSignal;
}

/**
 * Answers a method with what it returns or resolves to, whatever JSON it is, at once if it is no promise.
 * What it throws is an error: `{ code, message, data }` as it is, also from `makeError`; anything else has the code
 * -32603 and its own message. What `makeResult` made is sent as it is.
 */
export type Handler = (params: any, request: JsonRpcRequest, call: Call) => unknown;

export interface McpServerOptions {
  name: string;
  version?: string;
  /** The revision of the protocol that clients get which begin with a handshake. Default `"2024-11-05"`. */
  protocolVersion?: string;
  limits?: Limits;
  /** Is told what nobody else can be: what handlers of notifications throw, and what a transport could not send.
   * Default: `console.error`. */
  onError?: (error: unknown) => void;
}

export class McpServer {
  constructor(transport: Transport, options: McpServerOptions);
  /** Sets who answers a method, in the place of whoever did before. */
  on(method: string, handler: Handler): void;
  /** Starts the transport, and takes messages from now on. */
  start(): Promise<void>;
  /** Takes no more requests, lets those in progress finish, and stops the transport. */
  stop(): Promise<void>;
}

/** A transport within the process, for tests. */
export class MemoryTransport implements Transport {
  /** What the server has sent. */
  inbox: JsonRpcMessage[];
  start(): void;
  stop(): void;
  send(message: JsonRpcMessage): void;
  onMessage(handler: (message: JsonRpcMessage) => void): void;
  /** Hands in a message, as if a client had sent it. */
  receive(message: JsonRpcMessage): void;
}

export enum JSON_RPC_ERROR {
  PARSE_ERROR = -32700,
  INVALID_REQUEST = -32600,
  METHOD_NOT_FOUND = -32601,
  INVALID_PARAMS = -32602,
  INTERNAL_ERROR = -32603,
}

export function makeResult(id: string | number | null | undefined, result: unknown): JsonRpcResponse;
export function makeError(id: string | number | null | undefined, code: number, message: string, data?: unknown): JsonRpcResponse;
/** Whether a request wants no answer. */
export function isNotification(request: JsonRpcRequest): boolean;
