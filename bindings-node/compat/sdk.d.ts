/**
 * The low-level server API of the TypeScript SDK on the engine of mcplite: programs written for it run with the
 * imports changed, in every revision of the protocol.
 *
 * @module mcplite/compat/sdk
 */

import type { Context, HttpOptions, Icon, JsonSchema, Limits, LogLevel, StandardSchema } from "../index.js";
import { McpError as CoreError } from "../index.js";

type Awaitable<T> = T | Promise<T> | PromiseLike<T>;
type Meta = { [name: string]: any };

/* ---------------------------------------------------------------- content */

export type JSONSchema = JsonSchema;

export interface TextContent { type: "text"; text: string; [member: string]: unknown }
/** `data` is base64. */
export interface ImageContent { type: "image"; data: string; mimeType: string; [member: string]: unknown }
/** `data` is base64. */
export interface AudioContent { type: "audio"; data: string; mimeType: string; [member: string]: unknown }
export interface EmbeddedResource { type: "resource"; resource: ResourceContent; [member: string]: unknown }
export interface ResourceLink { type: "resource_link"; uri: string; name: string; [member: string]: unknown }
export type ContentItem = TextContent | ImageContent | AudioContent | EmbeddedResource | ResourceLink;

/** `blob` is base64. */
export interface ResourceContent { uri: string; mimeType?: string; text?: string; blob?: string; [member: string]: unknown }

export interface Tool { name: string; description?: string; inputSchema: JSONSchema; [member: string]: unknown }
export interface ToolResponse {
  content?: ContentItem[];
  structuredContent?: unknown;
  isError?: boolean;
  metadata?: Record<string, any>;
  [member: string]: unknown;
}

export interface Resource { uri: string; name: string; description?: string; mimeType?: string; [member: string]: unknown }
export interface ResourceTemplate { uriTemplate: string; name: string; description?: string; mimeType?: string; [member: string]: unknown }

export interface PromptArgument { name: string; description?: string; required?: boolean; default?: any; [member: string]: unknown }
export interface Prompt { name: string; description?: string; arguments?: PromptArgument[]; [member: string]: unknown }
/** Clients get what a system says as a message of the user, and a response of a tool as one message for each block. */
export interface PromptMessage {
  role: "user" | "assistant" | "system";
  content: ContentItem | ContentItem[] | ToolResponse | string | { [member: string]: unknown };
}

/* ---------------------------------------------------------------- messages */

export interface MCPRequest { jsonrpc: "2.0"; id: string | number; method: string; params?: any }
export interface JSONRPCError { code: number; message: string; data?: any }
export interface MCPResponse { jsonrpc: "2.0"; id: string | number; result?: any; error?: JSONRPCError }
export type JSONRPCMessage = MCPRequest | MCPResponse | { jsonrpc: "2.0"; method: string; params?: any };

/** What the requests and notifications of the protocol bring, and what handlers give for them. */
export interface Methods {
  "tools/list": { params: PageParams; result: Page & { tools: Tool[] } };
  "tools/call": { params: { name: string; arguments?: any; _meta?: Meta }; result: ToolResponse | void };
  "resources/list": { params: PageParams; result: Page & { resources: Resource[] } };
  "resources/templates/list": { params: PageParams; result: Page & { resourceTemplates: ResourceTemplate[] } };
  "resources/read": { params: ResourceParams; result: { contents: ResourceContent[]; [member: string]: unknown } };
  "resources/subscribe": { params: ResourceParams; result: Subscribed | Nothing };
  "resources/unsubscribe": { params: ResourceParams; result: Nothing };
  "prompts/list": { params: PageParams; result: Page & { prompts: Prompt[] } };
  "prompts/get": {
    params: { name: string; arguments?: any; _meta?: Meta };
    result: { description?: string; messages: PromptMessage[]; [member: string]: unknown };
  };
  "completion/complete": {
    params: {
      ref: { type: string; name?: string; uri?: string };
      argument: { name: string; value: string };
      context?: { arguments?: Record<string, string> };
      _meta?: Meta;
    };
    result: { completion: { values: string[]; total?: number; hasMore?: boolean }; [member: string]: unknown };
  };
  "logging/setLevel": { params: { level: LogLevel; _meta?: Meta }; result: Nothing };
  ping: { params: { _meta?: Meta }; result: Nothing };
  initialize: {
    params: { protocolVersion: string; capabilities: Record<string, any>; clientInfo: Record<string, any>; _meta?: Meta };
    result: never;
  };
  "notifications/initialized": { params: { _meta?: Meta }; result: void };
  "notifications/cancelled": { params: { requestId?: string | number; reason?: string; _meta?: Meta }; result: never };
  "notifications/progress": {
    params: { progressToken: string | number; progress: number; total?: number; message?: string; _meta?: Meta };
    result: void;
  };
  "notifications/roots/list_changed": { params: { _meta?: Meta }; result: void };
  "notifications/message": { params: { level: LogLevel; data: unknown; logger?: string; _meta?: Meta }; result: void };
  "notifications/resources/updated": { params: ResourceParams; result: void };
  "notifications/resources/list_changed": { params: { _meta?: Meta }; result: void };
  "notifications/tools/list_changed": { params: { _meta?: Meta }; result: void };
  "notifications/prompts/list_changed": { params: { _meta?: Meta }; result: void };
}

type PageParams = { cursor?: string; _meta?: Meta };
type Page = { nextCursor?: string; [member: string]: unknown };
type ResourceParams = { uri: string; _meta?: Meta };
type Nothing = { [member: string]: unknown } | void;
type Subscribed = { subscription: AsyncIterable<unknown> | Iterable<unknown>; [member: string]: unknown } | AsyncIterable<unknown>;

/** A message of one method, as handlers get it. */
export interface Message<M extends keyof Methods> { method: M; params: Methods[M]["params"] }

/** What messages of one method look like. */
export interface RequestSchema<M extends keyof Methods = keyof Methods> {
  readonly method: M;
  readonly shape: { readonly method: { readonly value: M } };
  parse(message: unknown): Message<M>;
  safeParse(message: unknown): { success: true; data: Message<M> } | { success: false; error: Error };
  readonly "~standard": StandardSchema<Message<M>>["~standard"];
  readonly isOfProtocol: true;
}

/** The request that a schema describes. */
export type ParsedRequest<S> =
  S extends RequestSchema<infer M> ? Message<M>
  : S extends StandardSchema<any, infer R> ? R
  : { method: string; params: any };

/** Schemas that are not of this package. */
type OwnSchema<M> = StandardSchema<any, M> & { readonly isOfProtocol?: never };
type OwnMethod = string | { readonly method: string; readonly isOfProtocol?: never };

export const ListToolsRequestSchema: RequestSchema<"tools/list">;
export const CallToolRequestSchema: RequestSchema<"tools/call">;
export const ListResourcesRequestSchema: RequestSchema<"resources/list">;
export const ListResourceTemplatesRequestSchema: RequestSchema<"resources/templates/list">;
export const ReadResourceRequestSchema: RequestSchema<"resources/read">;
/** A `subscription` is consumed until the client watches the resource no more: each item tells it that there is news. */
export const SubscribeResourceRequestSchema: RequestSchema<"resources/subscribe">;
export const SubscribeRequestSchema: typeof SubscribeResourceRequestSchema;
export const UnsubscribeResourceRequestSchema: RequestSchema<"resources/unsubscribe">;
export const UnsubscribeRequestSchema: typeof UnsubscribeResourceRequestSchema;
export const ListPromptsRequestSchema: RequestSchema<"prompts/list">;
export const GetPromptRequestSchema: RequestSchema<"prompts/get">;
export const CompleteRequestSchema: RequestSchema<"completion/complete">;
export const SetLevelRequestSchema: RequestSchema<"logging/setLevel">;
export const PingRequestSchema: RequestSchema<"ping">;
/** Has no handlers: the engine makes the handshake. */
export const InitializeRequestSchema: RequestSchema<"initialize">;
export const InitializedNotificationSchema: RequestSchema<"notifications/initialized">;
/** Has no handlers: see `extra.signal`. */
export const CancelledNotificationSchema: RequestSchema<"notifications/cancelled">;
export const ProgressNotificationSchema: RequestSchema<"notifications/progress">;
export const RootsListChangedNotificationSchema: RequestSchema<"notifications/roots/list_changed">;
export const LoggingMessageNotificationSchema: RequestSchema<"notifications/message">;
export const ResourceUpdatedNotificationSchema: RequestSchema<"notifications/resources/updated">;
export const ResourceListChangedNotificationSchema: RequestSchema<"notifications/resources/list_changed">;
export const ToolListChangedNotificationSchema: RequestSchema<"notifications/tools/list_changed">;
export const PromptListChangedNotificationSchema: RequestSchema<"notifications/prompts/list_changed">;

/* ---------------------------------------------------------------- servers */

export interface ServerInfo {
  name: string;
  version: string;
  title?: string;
  description?: string;
  websiteUrl?: string;
  icons?: Icon[];
  /** `description` and `homepage` are told to clients of revisions that have a place for them. */
  metadata?: { description?: string; author?: string; homepage?: string; [member: string]: unknown };
}

/** What is announced. Changes of lists and of resources are told to clients that want it, whether or not it says so. */
export interface ServerCapabilities {
  tools?: object;
  resources?: { subscribe?: boolean; listChanged?: boolean; [member: string]: unknown };
  prompts?: object;
  logging?: object;
  completions?: object;
  experimental?: { [name: string]: any };
  extensions?: { [name: string]: any };
  [name: string]: any;
}

export interface Logger {
  error?(...texts: any[]): void;
  info?(...texts: any[]): void;
  [level: string]: any;
}

/** Makes an answer of what a handler threw. Without an answer the client is told the error itself. */
export type ErrorHandler = (error: any, request: MCPRequest) => Awaitable<{ error: JSONRPCError } | JSONRPCError | null | undefined | void>;

export interface ServerOptions {
  capabilities?: ServerCapabilities;
  /** Is told of errors that nobody has expected, and of connections. */
  logger?: Logger;
  errorHandler?: ErrorHandler;
  instructions?: string;
  limits?: Limits;
  /** How many milliseconds a request may take. */
  timeout?: number;
}

/** What a handler gets besides its request. */
export interface RequestHandlerExtra {
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  readonly requestId: string | number;
  readonly sessionId: string | undefined;
  readonly _meta: Record<string, any>;
  readonly requestInfo: { headers: Record<string, any>; [member: string]: unknown };
  readonly authInfo: any;
  /** The context of mcplite: progress, logging, and asking the client. */
  readonly context: Context;
  /** Sends a notification that belongs to this request. */
  sendNotification(notification: { method: string; params?: any }): Promise<void>;
}

export class Server {
  constructor(serverInfo: ServerInfo, options?: ServerOptions);

  setRequestHandler<M extends keyof Methods>(
    schema: RequestSchema<M>, handler: (request: Message<M>, extra: RequestHandlerExtra) => Awaitable<Methods[M]["result"]>,
  ): void;
  /** A schema of one's own with a literal `method`, such as `z.object({ method: z.literal("my/method") })`. */
  setRequestHandler<R extends { method: string }>(
    schema: OwnSchema<R>, handler: (request: R, extra: RequestHandlerExtra) => Awaitable<object | void>,
  ): void;
  setRequestHandler(
    method: OwnMethod, handler: (request: { method: string; params: any }, extra: RequestHandlerExtra) => Awaitable<object | void>,
  ): void;
  removeRequestHandler(method: string): void;
  assertCanSetRequestHandler(method: string): void;

  setNotificationHandler<M extends keyof Methods>(schema: RequestSchema<M>, handler: (notification: Message<M>) => Awaitable<void>): void;
  setNotificationHandler<N extends { method: string }>(schema: OwnSchema<N>, handler: (notification: N) => Awaitable<void>): void;
  setNotificationHandler(method: OwnMethod, handler: (notification: { method: string; params: any }) => Awaitable<void>): void;
  removeNotificationHandler(method: string): void;

  fallbackRequestHandler: ((request: { method: string; params: any }, extra: RequestHandlerExtra) => Awaitable<object | void>) | undefined;
  fallbackNotificationHandler: ((notification: { method: string; params: any }) => Awaitable<void>) | undefined;
  setErrorHandler(handler: ErrorHandler | undefined): void;
  registerCapabilities(capabilities: ServerCapabilities): void;

  /** Serves the clients that come by a transport; resolves when it is ready for them. */
  connect(transport: Transport | StdioServerTransport | HttpServerTransport): Promise<void>;
  /** Lets requests in progress finish, and ends all connections. */
  close(): Promise<void>;

  /** Sends a notification to clients: changes to those that want to know, others to all. */
  notification(notification: { method: string; params?: any }): Promise<void>;
  sendLoggingMessage(params: { level: LogLevel; data: unknown; logger?: string }): Promise<void>;
  sendResourceUpdated(params: { uri: string }): Promise<void>;
  sendResourceListChanged(): Promise<void>;
  sendToolListChanged(): Promise<void>;
  sendPromptListChanged(): Promise<void>;

  getClientCapabilities(): Record<string, any> | undefined;
  getClientVersion(): { name?: string; version?: string; [member: string]: unknown } | undefined;
  oninitialized: (() => void) | undefined;
  onclose: (() => void) | undefined;
  /** Is told of errors that belong to no request. Default: the logger, else `console.error`. */
  onerror: ((error: any) => void) | undefined;
}

/* ---------------------------------------------------------------- transports */

export type MessageHandler = (message: any, extra?: any) => void;

/** What carries messages: with methods `onMessage` and `onError`, or with members as the SDK's own transports have. */
export interface Transport {
  start(): Awaitable<void>;
  send(message: any, ...rest: any[]): Awaitable<void>;
  close?(): Awaitable<void>;
  onMessage?(handler: MessageHandler): void;
  onError?(handler: (error: any) => void): void;
  onClose?(handler: () => void): void;
  onmessage?: MessageHandler | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  sessionId?: string | undefined;
}

/** Standard input and output, or two streams of one's own. */
export class StdioServerTransport {
  constructor(input?: NodeJS.ReadableStream, output?: NodeJS.WritableStream);
  close(): Promise<void>;
  onclose: (() => void) | undefined;
  onerror: ((error: any) => void) | undefined;
}

/** The pages that may read answers: all, some, or those of `origin`. */
export type CorsOptions = boolean | string | readonly string[] | { origin?: boolean | string | readonly string[]; [member: string]: unknown };

export interface HttpServerTransportOptions extends Omit<HttpOptions, "path" | "state"> {
  /** Default 3000; 0 for one that is free. */
  port?: number;
  /** Default `127.0.0.1`. Who listens everywhere, at `0.0.0.0` or `::`, is reached by any name. */
  host?: string;
  /** Default `/mcp`. */
  path?: string;
  cors?: CorsOptions;
}

export class HttpServerTransport {
  constructor(options?: HttpServerTransportOptions);
  /** Where it listens; undefined before that. */
  readonly port: number | undefined;
  readonly url: string | undefined;
  address(): { address: string; family: string; port: number } | null;
  close(): Promise<void>;
}

/* ---------------------------------------------------------------- errors */

/** Answers a request with an error of this code. */
export class MCPError extends CoreError {
  constructor(code: number, message: string, data?: any);
  readonly data: any;
}
export { MCPError as McpError };

export const ErrorCode: {
  readonly ParseError: -32700; readonly InvalidRequest: -32600; readonly MethodNotFound: -32601; readonly InvalidParams: -32602;
  readonly InternalError: -32603; readonly ConnectionClosed: -32000; readonly RequestTimeout: -32001; readonly ResourceNotFound: -32002;
  readonly UrlElicitationRequired: -32042;
};

export const JSONRPC_VERSION: "2.0";
export const LATEST_PROTOCOL_VERSION: string;
export const SUPPORTED_PROTOCOL_VERSIONS: readonly string[];
