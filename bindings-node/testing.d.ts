/**
 * An in-memory client for tests of your own server, in both eras of the protocol.
 *
 * @module mcplite/testing
 */

import type { Completion, Content, LogLevel, McpServer, PromptMessage, ResourceContents, Root } from "./index.js";

type Awaitable<T> = T | Promise<T> | PromiseLike<T>;
type Json = Record<string, any>;

/** The fields of a form, or the value of its only field; an action; or a whole result. */
export type ElicitAnswer = Json | string | number | boolean;
/** What the model says: text, content or a whole result. */
export type SampleAnswer = string | Content | readonly Content[] | Json;
export type RootsAnswer = readonly (string | Root)[] | { roots: readonly Root[] };

/** The client can do what it has answers for, unless `capabilities` says otherwise. What a function that answers
 * throws is thrown by the call that led to the question, except for an McpError before 2026-07-28, which is the
 * client's answer there. */
export interface ClientOptions {
  /** Which era of the protocol is spoken; the same test should pass in both. Default `"modern"`. */
  era?: "modern" | "legacy";
  /** Exactly this revision, such as `"2025-06-18"`, instead of the newest of an era. */
  revision?: string;
  /** Answers forms, and pages to visit: `"accept"`, `"decline"`, `"cancel"`, or what is filled in. */
  elicit?: ElicitAnswer | ((params: Json) => Awaitable<ElicitAnswer>);
  sample?: SampleAnswer | ((params: Json) => Awaitable<SampleAnswer>);
  roots?: RootsAnswer | (() => Awaitable<RootsAnswer>);
  capabilities?: Json;
  /** Is called with every log message from `logLevel` on. */
  onLog?: (level: LogLevel, data: any, logger: string | undefined) => void;
  onProgress?: (progress: number, total: number | undefined, message: string | undefined) => void;
  /** Is called with every notification. */
  onNotification?: (method: string, params: Json) => void;
  /** Default `"debug"`; null asks for none. */
  logLevel?: LogLevel | null;
  clientInfo?: { name: string; version: string; [member: string]: unknown };
  /** Who the client is, to handlers. */
  principal?: string;
  /** What handlers find as `ctx.state`. */
  state?: unknown;
  /** How many milliseconds to wait for an answer; null for ever. Default ten seconds. */
  timeout?: number | null;
  /** Whether a tool that fails is thrown as a ToolError, with its `result`. Default: yes. */
  throwOnError?: boolean;
}

export interface RequestOptions {
  /** Cancels the request, which then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** The `_meta` of the request. */
  meta?: Json;
}

export interface CallOptions extends RequestOptions {
  throwOnError?: boolean;
}

/** A client in the same process, for tests. Any number of requests may be under way at once. */
export class Client {
  private constructor();
  /** Gets to know the server, by the handshake or by asking what it is. */
  static connect(server: McpServer, options?: ClientOptions): Promise<Client>;

  /** The revision of the protocol that is spoken. */
  readonly revision: string;
  /** What the server says that it is: name, version and more. */
  readonly serverInfo: Json;
  readonly serverCapabilities: Json;
  /** What the server wants models to know. */
  readonly instructions: string | undefined;
  /** All notifications so far. */
  readonly notifications: { method: string; params: Json }[];
  /** All log messages so far. */
  readonly logs: { level: LogLevel; data: any; logger?: string }[];
  /** All progress told so far. */
  readonly progress: { progress: number; total?: number; message?: string; [member: string]: any }[];

  call(name: string, args?: Json, options?: CallOptions): Promise<CallResult>;
  /** All tools, over all pages, as the specification describes them. */
  listTools(): Promise<Json[]>;
  listResources(): Promise<Json[]>;
  listTemplates(): Promise<Json[]>;
  listPrompts(): Promise<Json[]>;
  read(uri: string, options?: RequestOptions): Promise<ReadResult>;
  /** Gets the messages of a prompt. Arguments that are no texts are sent as JSON text. */
  prompt(name: string, args?: Json, options?: RequestOptions): Promise<PromptMessages>;
  /** Gets suggestions for an argument of a prompt, or for a variable of a URI template. */
  complete(of: string, argument: string, value?: string, options?: RequestOptions & { context?: Record<string, string> }): Promise<Completion>;
  /** Asks whether the server is there; in the modern era, which has no ping, what it is. */
  ping(): Promise<void>;
  /** Asks for log messages from this level on. */
  setLogLevel(level: LogLevel): Promise<void>;
  /** Sends any request and gives its result. */
  request(method: string, params?: Json, options?: RequestOptions): Promise<Json>;
  /** Sends any notification. */
  notify(method: string, params?: Json): void;

  /** Begins to listen to changes: of the lists, and of the resources with these URIs. What is heard is in
   * `notifications`. Before 2026-07-28 changes of lists are always told. */
  listen(wanted: { tools?: boolean; prompts?: boolean; resources?: boolean; uris?: readonly string[] }): Promise<Subscription>;
  /** Begins to listen to changes of one resource. */
  subscribe(uri: string): Promise<void>;
  unsubscribe(uri: string): Promise<void>;
  /** Waits for a notification and gives its params; each is given once. */
  waitFor(method: string): Promise<Json>;

  /** Leaves the server. What is in progress there is cancelled. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The result of a tool. `raw` is the object that the server sent. */
export class CallResult {
  private constructor();
  readonly raw: Json;
  readonly meta: Json;
  readonly content: Content[];
  /** The text of all blocks that have any, one line for each. */
  readonly text: string;
  /** The structured content as it was sent. */
  readonly structured: any;
  /** The structured content, or what is in it if it only wraps a value as `result`. */
  readonly data: any;
  /** Whether the tool failed, and the content says why. */
  readonly isError: boolean;
}

/** The contents of a resource. */
export class ReadResult {
  private constructor();
  readonly raw: Json;
  readonly meta: Json;
  readonly contents: ResourceContents[];
  /** The text of all contents that have any, one line for each. */
  readonly text: string;
  /** The bytes of the first contents, text in UTF-8. */
  readonly data: Buffer;
  /** The type of the first contents. */
  readonly mimeType: string | undefined;
}

/** The messages of a prompt. */
export class PromptMessages {
  private constructor();
  readonly raw: Json;
  readonly meta: Json;
  readonly messages: PromptMessage[];
  /** The text of all messages that have any, one line for each. */
  readonly text: string;
  readonly description: string | undefined;
}

/** What the client listens to. */
export class Subscription {
  private constructor();
  readonly uris: readonly string[];
  /** What the server agreed to tell. */
  readonly accepted: Json;
  /** Stops listening. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
