/**
 * A complete Model Context Protocol server that lives inside your program.
 *
 * These types need `@types/node`, for requests, buffers and signals; nothing else.
 *
 * @module mcplite
 */

/// <reference types="node" />

/** The version of the engine and of the package. */
export const version: string;

/** The revisions of the protocol that are spoken, the oldest first. */
export const PROTOCOL_VERSIONS: readonly string[];

export type {
  StandardSchema, JsonSchema, AnySchema, Infer, InferInput, FromJsonSchema,
} from "./lib/types/schema.js";
export { image, audio } from "./lib/types/content.js";
export type {
  Annotations, TextContent, ImageContent, AudioContent, ResourceLink, EmbeddedResource, Content,
  ResourceContents, Icon, ToolResult, PromptMessage, PromptResult, ReadResult, Completion,
} from "./lib/types/content.js";
export type {
  Limits, ServerOptions, HttpRequest, HttpOptions, StdioOptions,
} from "./lib/types/options.js";
export { ResourceTemplate } from "./lib/types/offers.js";
export type {
  ToolAnnotations, ToolConfig, ToolReturn, ResourceConfig, ResourceReturn, CompletionHandler,
  PromptArgument, PromptConfig, PromptReturn, Registered,
} from "./lib/types/offers.js";
export { McpServer } from "./lib/types/server.js";
export type {
  Request, Middleware, ServerEvent, Outcome, HttpHandler, FetchHandler,
} from "./lib/types/server.js";
export { Session } from "./lib/types/session.js";
export type { Transport, Connection } from "./lib/types/session.js";
export type {
  LogLevel, Context, Elicited, SampleOptions, Sampled, Root,
} from "./lib/types/context.js";
export {
  McpError, ToolError, NotFoundError, NotAuthorisedError, InvalidParamsError,
  MissingCapabilityError, UrlElicitationRequiredError, Suspended, MisuseError, ErrorCode,
} from "./lib/types/errors.js";
