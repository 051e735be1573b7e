/**
 * A complete Model Context Protocol server that lives inside your program.
 *
 * @module mcplite
 */

import type { IncomingMessage, ServerResponse } from "node:http";

/** The version of the engine and of the package. */
export const version: string;

/** The revisions of the protocol that are spoken, the oldest first. */
export const PROTOCOL_VERSIONS: readonly string[];

/* ---------------------------------------------------------------- schemas */

/** A schema library's schema, as the Standard Schema specification describes it. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown, ...rest: any[]) => unknown;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** A JSON Schema, 2020-12 or draft-07. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** What can describe values: a Standard Schema that knows its JSON Schema (zod 4, arktype, valibot with its
 * converter), an object of such schemas, or a JSON Schema. */
export type AnySchema = StandardSchema<any, any> | { readonly [name: string]: StandardSchema<any, any> } | JsonSchema;

type Simplify<T> = { [K in keyof T]: T[K] } & {};

/** The type of the values that a JSON Schema describes, as far as TypeScript can tell. */
export type FromJsonSchema<S> =
  S extends { readonly const: infer C } ? C
  : S extends { readonly enum: readonly (infer E)[] } ? E
  : S extends { readonly anyOf: readonly (infer A)[] } ? FromJsonSchema<A>
  : S extends { readonly oneOf: readonly (infer A)[] } ? FromJsonSchema<A>
  : S extends { readonly type: readonly (infer T)[] } ? (T extends string ? FromJsonSchema<Omit<S, "type"> & { readonly type: T }> : unknown)
  : S extends { readonly type: "string" } ? string
  : S extends { readonly type: "number" | "integer" } ? number
  : S extends { readonly type: "boolean" } ? boolean
  : S extends { readonly type: "null" } ? null
  : S extends { readonly type: "array"; readonly items: infer I } ? FromJsonSchema<I>[]
  : S extends { readonly type: "array" } ? unknown[]
  : S extends { readonly properties: infer P } ? FromProperties<P, S extends { readonly required: readonly (infer R)[] } ? R : never>
  : S extends { readonly type: "object" } ? Record<string, unknown>
  : any;

type FromProperties<P, R> = Simplify<
  { -readonly [K in keyof P as K extends R ? K : never]: FromJsonSchema<P[K]> }
  & { -readonly [K in keyof P as K extends R ? never : K]?: FromJsonSchema<P[K]> }
>;

type OptionalKeys<S> = { [K in keyof S]: S[K] extends StandardSchema<any, infer O> ? (undefined extends O ? K : never) : never }[keyof S];
type FromShape<S> = Simplify<
  { -readonly [K in Exclude<keyof S, OptionalKeys<S>>]: S[K] extends StandardSchema<any, infer O> ? O : never }
  & { -readonly [K in OptionalKeys<S>]?: S[K] extends StandardSchema<any, infer O> ? O : never }
>;

/** The type of the values that a schema gives to handlers. */
export type Infer<S> =
  S extends StandardSchema<any, infer O> ? O
  : S extends { readonly [name: string]: StandardSchema<any, any> } ? FromShape<S>
  : FromJsonSchema<S>;

/* ---------------------------------------------------------------- content */

export interface Annotations {
  audience?: ("user" | "assistant")[];
  priority?: number;
  lastModified?: string;
}

interface Common {
  annotations?: Annotations;
  _meta?: Record<string, unknown>;
}

export interface TextContent extends Common { type: "text"; text: string }
/** `data` is base64. */
export interface ImageContent extends Common { type: "image"; data: string; mimeType: string }
/** `data` is base64. */
export interface AudioContent extends Common { type: "audio"; data: string; mimeType: string }
export interface ResourceLink extends Common {
  type: "resource_link"; uri: string; name: string; title?: string; description?: string; mimeType?: string; size?: number; icons?: Icon[];
}
export interface EmbeddedResource extends Common { type: "resource"; resource: ResourceContents }
export type Content = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** `blob` is base64. */
export interface ResourceContents {
  uri: string; mimeType?: string; text?: string; blob?: string; _meta?: Record<string, unknown>;
}

/** An image, from bytes or base64. The type is found out from the bytes unless it is given. */
export function image(data: Uint8Array | string, mimeType?: string): ImageContent;
/** Sound, from bytes or base64. */
export function audio(data: Uint8Array | string, mimeType?: string): AudioContent;

export interface Icon { src: string; mimeType?: string; sizes?: string[]; theme?: "light" | "dark" }

/** A whole result of a tool, as the specification writes it. */
export interface ToolResult {
  content: Content[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

export interface PromptMessage { role: "user" | "assistant"; content: Content | Content[] | string }
export interface PromptResult { description?: string; messages: PromptMessage[]; _meta?: Record<string, unknown> }

export interface ReadResult { contents: ResourceContents[]; _meta?: Record<string, unknown> }
export interface Completion { values: string[]; total?: number; hasMore?: boolean }

/* ---------------------------------------------------------------- servers */

type Awaitable<T> = T | Promise<T> | PromiseLike<T>;

export interface Limits {
  messageBytes?: number; depth?: number; openCalls?: number; outputBytes?: number; idBytes?: number; nameBytes?: number;
  definitionBytes?: number; schemaSteps?: number; batchMessages?: number; subscriptions?: number; listenStreams?: number;
  askRounds?: number; stateBytes?: number; unreadableAnswers?: number; memoryBytes?: number;
}

export interface ServerOptions {
  /** The server's name, for programs. */
  name: string;
  /** The server's version. Default `"0.0.0"`. */
  version?: string;
  /** The server's name, for people. */
  title?: string;
  description?: string;
  /** How a model should use this server. */
  instructions?: string;
  websiteUrl?: string;
  icons?: Icon[];
  /** How many milliseconds a call may take. Default: as long as it likes. */
  timeout?: number;
  /** Accepts `"5"` where a number is expected, as models often write it. Default: no. */
  coerce?: boolean;
  /** Which error codes clients get. Default `"spec"`. */
  errors?: "spec" | "classic" | "gateway";
  /** Lets clients see stack traces, where the error preset has room for them. */
  debug?: boolean;
  /** Hides even the messages of errors that handlers throw, other than ToolError and McpError. */
  maskErrors?: boolean;
  /** Items per page of a list; 0, the default, for everything at once. */
  pageSize?: number;
  /** For how many milliseconds clients may keep lists and resources. Default 0. */
  cacheTtl?: number;
  /** Whether what may be kept may be shared between users. Default: no. */
  cachePublic?: boolean;
  /** How many milliseconds a client may take to answer a question; null for ever. Default ten minutes. */
  questionTtl?: number | null;
  /** The revisions to speak. Default: all. */
  revisions?: readonly string[];
  /** Whether clients may have log messages. Default: yes. */
  logging?: boolean;
  /** Whether results say which server made them (2026-07-28). Default: yes. */
  identify?: boolean;
  /** Keys of 32 bytes for servers of several processes whose handlers ask clients. The first seals, all open. */
  sealKeys?: readonly Uint8Array[];
  experimental?: Record<string, unknown>;
  extensions?: Record<string, unknown>;
  /** Capabilities to announce although nothing of the kind is registered yet. */
  declare?: { tools?: boolean; resources?: boolean; prompts?: boolean; completions?: boolean };
  limits?: Limits;
  /** What handlers find as `ctx.state`, unless the connection has one. */
  state?: unknown;
  /** Is told of errors that handlers throw, other than ToolError and McpError. Default: `console.error`. */
  onError?: (error: unknown, request: { method: string; name: string }) => void;
}

export interface ToolAnnotations {
  title?: string; readOnlyHint?: boolean; destructiveHint?: boolean; idempotentHint?: boolean; openWorldHint?: boolean;
}

export interface ToolConfig<I extends AnySchema | undefined = AnySchema | undefined, O extends AnySchema | undefined = AnySchema | undefined> {
  title?: string;
  description?: string;
  /** What the tool takes. Arguments are validated before the handler is called. Without it: nothing. */
  inputSchema?: I;
  /** What the tool gives: structured content is validated. Anything but an object is wrapped as `{ result: … }`. */
  outputSchema?: O;
  annotations?: ToolAnnotations;
  icons?: Icon[];
  _meta?: Record<string, unknown>;
  /** How many milliseconds a call may take. */
  timeout?: number;
  coerce?: boolean;
  /** Not listed, but can be called. */
  hidden?: boolean;
  /** The handler checks patterns that the engine cannot, such as those with look-around. */
  hostEnforces?: boolean;
  /** Takes the place of a tool of the same name. */
  replace?: boolean;
}

/** What tools may give: text, whole results, blocks of content, or data. */
export type ToolReturn = string | number | boolean | null | undefined | void | ToolResult | Content | Uint8Array | readonly unknown[] | object;

type Arguments<I> = [I] extends [undefined] ? Record<string, never> : [I] extends [AnySchema] ? Infer<I> : Record<string, any>;
type Output<O> = [O] extends [undefined] ? ToolReturn : [O] extends [AnySchema] ? Infer<O> | ToolResult : ToolReturn;

export interface ResourceConfig {
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
  annotations?: Annotations;
  icons?: Icon[];
  _meta?: Record<string, unknown>;
  /** Suggests values for the variables of a template. */
  complete?: Record<string, CompletionHandler>;
  timeout?: number;
  cacheTtl?: number;
  cachePublic?: boolean;
  hidden?: boolean;
  replace?: boolean;
}

/** Contents: text, bytes, whole results, or data that is written as JSON. */
export type ResourceReturn = string | Uint8Array | ReadResult | readonly ResourceContents[] | object;
export type CompletionHandler = (value: string, ctx: Context & { readonly arguments: Record<string, string> }) => Awaitable<readonly string[] | Completion | string | null | undefined>;

/** A family of resources, as `registerResource` of other libraries takes it; a string does as well. */
export class ResourceTemplate {
  constructor(uriTemplate: string, options?: { complete?: Record<string, CompletionHandler>; list?: undefined });
  readonly uriTemplate: string;
}

export interface PromptConfig<A extends AnySchema | undefined = AnySchema | undefined> {
  title?: string;
  description?: string;
  /** What the prompt takes: texts, which are converted where the schema wants numbers or booleans. */
  argsSchema?: A;
  /** The same in the specification's own words. */
  arguments?: { name: string; title?: string; description?: string; required?: boolean }[];
  /** Suggests values for arguments. */
  complete?: Record<string, CompletionHandler>;
  icons?: Icon[];
  _meta?: Record<string, unknown>;
  timeout?: number;
  replace?: boolean;
}

export type PromptReturn = string | PromptResult | PromptMessage | readonly (PromptMessage | string)[];

/** Something that is offered, to be taken back. */
export interface Registered {
  readonly name: string;
  /** Whether it is offered now. */
  readonly enabled: boolean;
  /** Offers it no more, until `enable`. Calls under way finish. */
  disable(): void;
  enable(): void;
  /** Changes members of its definition, such as its description. */
  update(config: Record<string, unknown>): void;
  /** Offers it no more. */
  remove(): void;
}

export interface Request {
  /** Such as `tools/call`. */
  readonly method: string;
  /** The tool, prompt or URI that is asked for; empty if there is none. */
  readonly name: string;
  /** The arguments, or the params of methods of your own. */
  readonly arguments: any;
  readonly context: Context;
}

/** Surrounds every request but `initialize`. `next` gives what the handler returned, or for requests that the
 * engine answers itself the result as the specification writes it. */
export type Middleware = (request: Request, next: () => Promise<any>) => unknown;

export type ServerEvent =
  | { event: "request-received"; method: string; id: string | number }
  | { event: "request-completed"; method: string; id: string | number; durationUs: number; outcome: Outcome; code?: number }
  | { event: "tool-invoked"; name: string; traceparent?: string; durationUs: number; outcome: Outcome; code?: number }
  | { event: "session-opened" }
  | { event: "session-closed" }
  | { event: "exchange-ended"; method: string; path: string; status: number; durationUs: number }
  | { event: "diagnostic"; text: string };
export type Outcome = "ok" | "error" | "tool-error" | "cancelled" | "asked";

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
  path?: string;
  /** Decides about requests: true, the name of the principal, or 401 or 403; false and nothing are 401. */
  authorize?: (request: HttpRequest) => Awaitable<boolean | number | string | null | undefined>;
  /** What handlers find as `ctx.state`. */
  state?: (request: HttpRequest) => unknown;
  allowedHosts?: readonly string[];
  allowedOrigins?: readonly string[];
  corsOrigins?: readonly string[];
  bodyBytes?: number;
  headerCount?: number;
  headerBytes?: number;
  exchanges?: number;
  sessions?: number;
  sessionIdleMs?: number;
  stateless?: boolean;
  keepaliveMs?: number;
  replayBytes?: number;
  retryMs?: number;
  resourceMetadata?: Record<string, unknown>;
  ssePath?: string;
  ssePostPath?: string;
}

export interface StdioOptions {
  /** How many milliseconds calls have to finish when the client is gone. Default 5000. */
  grace?: number;
  /** Whether the process ends with its client, even if something keeps it alive. Default: yes. */
  exit?: boolean;
}

/** A client's way to the server, which carries messages as objects. */
export interface Transport {
  start(): Awaitable<void>;
  send(message: any): Awaitable<void>;
  close?(): Awaitable<void>;
  stop?(): Awaitable<void>;
  onMessage?(handler: (message: any) => void): void;
  onError?(handler: (error: Error) => void): void;
  onmessage?: ((message: any, ...rest: any[]) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

export interface Connection {
  /** Ends the connection; requests in progress finish first. */
  close(): Promise<void>;
}

/** What is offered to clients, over any number of connections at once. */
export class McpServer {
  constructor(options: ServerOptions);
  readonly name: string;
  readonly version: string;
  state: unknown;

  registerTool<const I extends AnySchema | undefined = undefined, const O extends AnySchema | undefined = undefined>(
    name: string,
    config: ToolConfig<I, O>,
    handler: (args: Arguments<I>, ctx: Context) => Awaitable<Output<O>>,
  ): Registered;

  /** Offers a resource that never changes; the engine answers for it by itself. */
  registerResource(name: string, uri: string, config: ResourceConfig, contents: string | Uint8Array): Registered;
  /** Offers a resource, or with `{variables}` in its URI a family of them. */
  registerResource(name: string, uri: string, config: ResourceConfig, handler: (uri: URL, ctx: Context) => Awaitable<ResourceReturn>): Registered;
  registerResource(
    name: string, uri: string | ResourceTemplate, config: ResourceConfig,
    handler: (uri: URL, variables: Record<string, string>, ctx: Context) => Awaitable<ResourceReturn>,
  ): Registered;

  registerPrompt<const A extends AnySchema | undefined = undefined>(
    name: string,
    config: PromptConfig<A>,
    handler: (args: [A] extends [undefined] ? Record<string, string> : Arguments<A>, ctx: Context) => Awaitable<PromptReturn>,
  ): Registered;

  /** Answers a method of your own, or one of the protocol in the engine's place. `*` stands for all others. */
  on(method: string, handler: (params: any, ctx: Context) => unknown): Registered;

  /** Adds middleware, inside of what was added before. */
  use(middleware: Middleware): this;
  /** Tells a function of everything that happens, soon after. */
  observe(observer: ((event: ServerEvent) => void) | null): this;
  /** Offers the tool `read` of another server as `prefix__read`, and whatever it offers later. */
  mount(prefix: string, other: McpServer): this;

  /** Tells everybody who watches it that a resource has changed. */
  notifyUpdated(uri: string): void;
  /** Tells that a list has changed, for programs that answer list requests themselves. */
  notifyListChanged(kind: "tool" | "resource" | "template" | "prompt"): void;
  /** Tells the client that was sent to a page that the user is done there. */
  notifyElicited(elicitationId: string): void;

  /** Serves the client at standard input and output until it is gone. */
  stdio(options?: StdioOptions): Promise<void>;
  /** A connection fed by hand: bytes in, bytes out. */
  session(options?: { state?: unknown; principal?: string }): Session;
  /** A listener for `node:http`, and a handler for Express and its like. */
  httpHandler(options?: HttpOptions): HttpHandler;
  /** A function from web requests to web responses, with options. */
  fetchHandler(options?: HttpOptions): FetchHandler;
  /** The same without options. It may be passed around without its server. */
  readonly fetch: (request: globalThis.Request) => Promise<Response>;
  /** Serves a client that comes by a transport. */
  connect(transport: Transport, options?: { state?: unknown; principal?: string }): Promise<Connection>;

  /** Takes no more requests, and lets open calls finish; whatever serves, ends. */
  shutdown(): Promise<void>;
  /** Ends everything at once: open calls are cancelled. */
  close(): void;

  /** What is offered, in the specification's words. */
  readonly offers: {
    tools: Record<string, any>[]; resources: Record<string, any>[]; resourceTemplates: Record<string, any>[]; prompts: Record<string, any>[];
  };
  /** Bytes that the engine holds for this server. */
  readonly memoryUsed: number;
}

export interface HttpHandler {
  (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): void;
  /** How many sessions of clients before 2026-07-28 there are. */
  readonly sessions: number;
  close(): void;
}

export interface FetchHandler {
  (request: globalThis.Request, ...rest: any[]): Promise<Response>;
  readonly sessions: number;
  close(): void;
}

/** One connection. */
export class Session {
  private constructor();
  /** Takes one whole message; gives all messages that are ready, separated by newlines, or null. */
  handle(message: string | Uint8Array): Buffer | null;
  /** Takes bytes of a stream whose messages end with newlines; gives what is to be written. */
  receive(bytes: string | Uint8Array): Buffer;
  /** The input has ended. Output and open calls go on. */
  end(): void;
  /** The next message that is ready, or null. */
  poll(): Buffer | null;
  /** All messages that are ready, each with a newline. */
  drain(): Buffer;
  /** Is called when there is output that nobody has taken, and when the session is finished. */
  onOutput: (() => void) | null;
  /** The messages, as they become ready, until the session is finished or closed. */
  [Symbol.asyncIterator](): AsyncIterator<Buffer>;
  /** Sends a notification of your own. */
  notify(method: string, params?: object): void;
  /** Cancels open calls, discards output, and refuses everything from now on. */
  close(): void;
  readonly isFinished: boolean;
  readonly isClosed: boolean;
  readonly openCalls: number;
}

/* ---------------------------------------------------------------- contexts */

export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/** What a handler knows of its request, and can tell or ask the client. */
export interface Context {
  readonly server: McpServer;
  readonly method: string;
  readonly name: string;
  readonly requestId: string | number | null;
  readonly arguments: any;
  readonly meta: Record<string, any>;
  readonly revision: string;
  readonly clientInfo: { name?: string; version?: string; [member: string]: unknown };
  readonly clientCapabilities: Record<string, any>;
  /** Who asks, as the program has found out. */
  readonly principal: string | null;
  /** The headers of the HTTP request, by names in lower case; empty elsewhere. */
  readonly headers: Record<string, string>;
  readonly sessionId: string | null;
  /** What the program attached to the connection, else to the server. */
  readonly state: any;
  /** Aborts when nobody waits for the answer any more: cancelled, timed out, or the client is gone. */
  readonly signal: AbortSignal;
  readonly cancelled: boolean;

  /** Tells the client how far the work has come, if it wants to know. */
  progress(done: number, total?: number, message?: string): void;
  log(level: LogLevel, data: unknown, logger?: string): void;
  debug(data: unknown): void;
  info(data: unknown): void;
  warning(data: unknown): void;
  error(data: unknown): void;
  /** Ends the connection on which the client waits, and lets it come back; says whether it was possible. */
  closeStream(): boolean;

  canElicit(mode?: "form" | "url"): boolean;
  canSample(): boolean;
  canListRoots(): boolean;
  /** Asks the user. The handler may run again from the top when the user has answered, see `once`. */
  elicit(message: string): Promise<Elicited<string>>;
  elicit<const S extends AnySchema>(message: string, form: S, options?: { key?: string }): Promise<Elicited<Infer<S>>>;
  /** Asks the user to visit a page. */
  elicitUrl(message: string, url: string, options?: { elicitationId?: string; key?: string }): Promise<Elicited<undefined>>;
  /** Asks the client's model. */
  sample(messages: string | readonly (string | PromptMessage)[], options?: SampleOptions): Promise<Sampled>;
  /** Asks the client which folders it works on. */
  roots(options?: { key?: string }): Promise<Root[]>;
  /** Calls a function once for this request, however often the handler runs; its JSON is remembered. */
  once<T>(key: string, make: () => Awaitable<T>): Promise<T>;
}

export interface Elicited<T> {
  readonly action: "accept" | "decline" | "cancel";
  readonly accepted: boolean;
  /** What the user filled in; undefined if the user did not. */
  readonly data: T | undefined;
  readonly raw: Record<string, any>;
}

export interface SampleOptions {
  maxTokens?: number; system?: string; temperature?: number; stop?: readonly string[];
  preferences?: Record<string, unknown>; tools?: readonly Record<string, unknown>[]; toolChoice?: Record<string, unknown>; key?: string;
}

export interface Sampled {
  readonly content: any;
  readonly text: string;
  readonly model: string;
  readonly stopReason: string | undefined;
  readonly raw: Record<string, any>;
}

export interface Root { uri: string; name?: string; _meta?: Record<string, unknown> }

/* ---------------------------------------------------------------- errors */

/** Answers with an error of this code. */
export class McpError extends Error {
  constructor(code: number, message: string, data?: unknown);
  readonly code: number;
  readonly data: unknown;
}
/** Tells the model what went wrong, as a result with `isError`. */
export class ToolError extends Error { constructor(message: string) }
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
