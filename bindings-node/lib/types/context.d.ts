// What handlers know of their requests, and can ask.

import type { PromptMessage } from "./content.js";
import type { Awaitable } from "./offers.js";
import type { AnySchema, Infer } from "./schema.js";
import type { McpServer } from "./server.js";

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
  elicit<const S extends AnySchema>(
    message: string,
    form: S,
    options?: { key?: string | undefined },
  ): Promise<Elicited<Infer<S>>>;
  /** Asks the user to visit a page. */
  elicitUrl(
    message: string,
    url: string,
    options?: { elicitationId?: string | undefined; key?: string | undefined },
  ): Promise<Elicited<undefined>>;
  /** Asks the client's model. */
  sample(messages: string | readonly (string | PromptMessage)[], options?: SampleOptions): Promise<Sampled>;
  /** Asks the client which folders it works on. */
  roots(options?: { key?: string | undefined }): Promise<Root[]>;
  /** Calls a function once for this request, however often the handler runs; its JSON is remembered. */
  once<T>(key: string, make: () => Awaitable<T>): Promise<T>;
}

/** What the user said to a form or a page: `data` is what was filled in, if it was. */
export type Elicited<T> = { readonly raw: Record<string, any> } & (
  | { readonly action: "accept"; readonly accepted: true; readonly data: T }
  | { readonly action: "decline" | "cancel"; readonly accepted: false; readonly data: undefined }
);

export interface SampleOptions {
  maxTokens?: number | undefined;
  system?: string | undefined;
  temperature?: number | undefined;
  stop?: readonly string[] | undefined;
  preferences?: Record<string, unknown> | undefined;
  tools?: readonly Record<string, unknown>[] | undefined;
  toolChoice?: Record<string, unknown> | undefined;
  key?: string | undefined;
}

export interface Sampled {
  readonly content: any;
  readonly text: string;
  readonly model: string;
  readonly stopReason: string | undefined;
  readonly raw: Record<string, any>;
}

export interface Root { uri: string; name?: string; _meta?: Record<string, unknown> }
