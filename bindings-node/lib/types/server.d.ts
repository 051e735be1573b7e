// Servers, and what surrounds their handlers.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { ToolResult } from "./content.js";
import type { Context } from "./context.js";
import type {
  Arguments, Awaitable, FromList, PromptArgument, PromptConfig, PromptReturn, Registered, ResourceConfig,
  ResourceHandler, ResourceTemplate, Returned, TemplateHandler, ToolConfig,
} from "./offers.js";
import type { HttpOptions, ServerOptions, StdioOptions } from "./options.js";
import type { AnySchema } from "./schema.js";
import type { Connection, Session, Transport } from "./session.js";

export interface Request {
  /** Such as `tools/call`. */
  readonly method: string;
  /** The tool, prompt or URI that is asked for; empty if there is none. */
  readonly name: string;
  /** The arguments, or the params of methods of your own. */
  readonly arguments: any;
  readonly context: Context;
}

/** Surrounds every request but `initialize` and those that nobody answers. `next` gives what the handler returned, or for requests that the
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

/** What is offered to clients, over any number of connections at once. */
export class McpServer {
  /** The second argument is for programs that are used to give what a server is apart from how it behaves. */
  constructor(options: ServerOptions, more?: Partial<ServerOptions>);
  readonly name: string;
  readonly version: string;
  state: unknown;

  registerTool<const I extends AnySchema | undefined = undefined, const O extends AnySchema | undefined = undefined>(
    name: string,
    config: ToolConfig<I, O>,
    handler: (args: Arguments<I>, ctx: Context) => Awaitable<Returned<O> | ToolResult>,
  ): Registered;

  /** Offers a resource that never changes; the engine answers for it by itself. */
  registerResource(name: string, uri: string, config: ResourceConfig, contents: string | Uint8Array): Registered;
  /** Offers a family of resources. */
  registerResource<const T extends string>(
    name: string,
    uri: ResourceTemplate<T>,
    config: ResourceConfig,
    handler: TemplateHandler<T>,
  ): Registered;
  /** Offers a resource, or with `{variables}` in its URI a family of them. */
  registerResource<const T extends string>(
    name: string,
    uri: T,
    config: ResourceConfig,
    handler: ResourceHandler<T>,
  ): Registered;

  registerPrompt<
    const A extends AnySchema | undefined = undefined,
    const L extends readonly PromptArgument[] = readonly PromptArgument[],
  >(
    name: string,
    config: PromptConfig<A, L>,
    handler: (args: Arguments<A, FromList<L>>, ctx: Context) => Awaitable<PromptReturn>,
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
  session(options?: { state?: unknown; principal?: string | undefined }): Session;
  /** A listener for `node:http`, and a handler for Express and its like. */
  httpHandler(options?: HttpOptions): HttpHandler;
  /** A function from web requests to web responses, with options. */
  fetchHandler(options?: HttpOptions): FetchHandler;
  /** The same without options. It may be passed around without its server. */
  readonly fetch: (request: globalThis.Request) => Promise<Response>;
  /** Serves a client that comes by a transport. */
  connect(transport: Transport, options?: { state?: unknown; principal?: string | undefined }): Promise<Connection>;

  /** Takes no more requests, and lets open calls finish; whatever serves, ends. */
  shutdown(): Promise<void>;
  /** Ends everything at once: open calls are cancelled. */
  close(): void;

  /** What is offered, in the specification's words. */
  readonly offers: {
    tools: Record<string, any>[];
    resources: Record<string, any>[];
    resourceTemplates: Record<string, any>[];
    prompts: Record<string, any>[];
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
