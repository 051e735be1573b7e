// How servers and their ways to clients can be set up.

import type { Icon } from "./content.js";
import type { Awaitable } from "./offers.js";

export interface Limits {
  messageBytes?: number | undefined;
  depth?: number | undefined;
  openCalls?: number | undefined;
  outputBytes?: number | undefined;
  idBytes?: number | undefined;
  nameBytes?: number | undefined;
  definitionBytes?: number | undefined;
  schemaSteps?: number | undefined;
  batchMessages?: number | undefined;
  subscriptions?: number | undefined;
  listenStreams?: number | undefined;
  askRounds?: number | undefined;
  stateBytes?: number | undefined;
  unreadableAnswers?: number | undefined;
  memoryBytes?: number | undefined;
}

export interface ServerOptions {
  /** The server's name, for programs. */
  name: string;
  /** The server's version. Default `"0.0.0"`. */
  version?: string | undefined;
  /** The server's name, for people. */
  title?: string | undefined;
  description?: string | undefined;
  /** How a model should use this server. */
  instructions?: string | undefined;
  websiteUrl?: string | undefined;
  icons?: Icon[] | undefined;
  /** How many milliseconds a call may take. Default: as long as it likes. */
  timeout?: number | undefined;
  /** Accepts `"5"` where a number is expected, as models often write it. Default: no. */
  coerce?: boolean | undefined;
  /** Which error codes clients get. Default `"spec"`. */
  errors?: "spec" | "classic" | "gateway" | undefined;
  /** Lets clients see stack traces, where the error preset has room for them. */
  debug?: boolean | undefined;
  /** Hides even the messages of errors that handlers throw, other than ToolError and McpError. */
  maskErrors?: boolean | undefined;
  /** Items per page of a list; 0, the default, for everything at once. */
  pageSize?: number | undefined;
  /** For how many milliseconds clients may keep lists and resources. Default 0. */
  cacheTtl?: number | undefined;
  /** Whether what may be kept may be shared between users. Default: no. */
  cachePublic?: boolean | undefined;
  /** How many milliseconds a client may take to answer a question; null for ever. Default ten minutes. */
  questionTtl?: number | null | undefined;
  /** The revisions to speak. Default: all. */
  revisions?: readonly string[] | undefined;
  /** Whether clients may have log messages. Default: yes. */
  logging?: boolean | undefined;
  /** Whether results say which server made them (2026-07-28). Default: yes. */
  identify?: boolean | undefined;
  /** Keys of 32 bytes for servers of several processes whose handlers ask clients. The first seals, all open. */
  sealKeys?: readonly Uint8Array[] | undefined;
  experimental?: Record<string, unknown> | undefined;
  extensions?: Record<string, unknown> | undefined;
  /** Capabilities to announce although nothing of the kind is registered yet. */
  declare?: { [Kind in "tools" | "resources" | "prompts" | "completions"]?: boolean | undefined } | undefined;
  limits?: Limits | undefined;
  /** What handlers find as `ctx.state`, unless the connection has one. */
  state?: unknown;
  /** Is told of errors that handlers throw, other than ToolError and McpError. Default: `console.error`. */
  onError?: ((error: unknown, request: { method: string; name: string }) => void) | undefined;
}

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The request as it came: an `IncomingMessage`, or a web `Request`. */
  readonly raw: any;
  /** Adds parameters to the challenge of a refusal, such as `scope="files:read"`. */
  setChallenge(parameters: string): void;
}

export interface HttpOptions {
  /** Where the endpoint is. Default `/mcp`, or wherever a framework has mounted the handler. */
  path?: string | undefined;
  /** Decides about requests: true, the name of the principal, or 401 or 403; false and nothing are 401. */
  authorize?: (request: HttpRequest) => Awaitable<boolean | number | string | null | undefined>;
  /** What handlers find as `ctx.state`. */
  state?: ((request: HttpRequest) => unknown) | undefined;
  allowedHosts?: readonly string[] | undefined;
  allowedOrigins?: readonly string[] | undefined;
  corsOrigins?: readonly string[] | undefined;
  bodyBytes?: number | undefined;
  headerCount?: number | undefined;
  headerBytes?: number | undefined;
  exchanges?: number | undefined;
  sessions?: number | undefined;
  sessionIdleMs?: number | undefined;
  stateless?: boolean | undefined;
  keepaliveMs?: number | undefined;
  replayBytes?: number | undefined;
  retryMs?: number | undefined;
  resourceMetadata?: Record<string, unknown> | undefined;
  ssePath?: string | undefined;
  ssePostPath?: string | undefined;
}

export interface StdioOptions {
  /** How many milliseconds calls have to finish when the client is gone. Default 5000. */
  grace?: number | undefined;
  /** Whether the process ends with its client, even if something keeps it alive. Default: yes. */
  exit?: boolean | undefined;
}
