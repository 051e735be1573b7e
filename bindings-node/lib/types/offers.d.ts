// Tools, resources and prompts.

import type {
  Annotations, Completion, Content, Icon, PromptMessage, PromptResult, ReadResult, ResourceContents,
  ToolResult,
} from "./content.js";
import type { Context } from "./context.js";
import type { AnySchema, Infer, InferInput, IsAny, Simplify } from "./schema.js";

export type Awaitable<T> = T | Promise<T> | PromiseLike<T>;

export interface ToolAnnotations {
  title?: string | undefined;
  readOnlyHint?: boolean | undefined;
  destructiveHint?: boolean | undefined;
  idempotentHint?: boolean | undefined;
  openWorldHint?: boolean | undefined;
}

export interface ToolConfig<
  I extends AnySchema | undefined = AnySchema | undefined,
  O extends AnySchema | undefined = AnySchema | undefined,
> {
  title?: string | undefined;
  description?: string | undefined;
  /** What the tool takes. Arguments are validated before the handler is called. Without it: nothing. */
  inputSchema?: I | undefined;
  /** What the tool gives: structured content is validated. Anything but an object is wrapped as `{ result: … }`. */
  outputSchema?: O | undefined;
  annotations?: ToolAnnotations | undefined;
  icons?: Icon[] | undefined;
  _meta?: Record<string, unknown> | undefined;
  /** How many milliseconds a call may take. */
  timeout?: number | undefined;
  coerce?: boolean | undefined;
  /** Not listed, but can be called. */
  hidden?: boolean | undefined;
  /** The handler checks patterns that the engine cannot, such as those with look-around. */
  hostEnforces?: boolean | undefined;
  /** Takes the place of a tool of the same name. */
  replace?: boolean | undefined;
}

/** What tools may give: text, whole results, blocks of content, or data. */
export type ToolReturn =
  | string | number | boolean | null | undefined | void
  | ToolResult | Content | Uint8Array | readonly unknown[] | object;

export type Arguments<I, None = {}> = IsAny<I> extends true ? any : [I] extends [undefined] ? None : Infer<I>;

export type Returned<O> = [O] extends [undefined] ? ToolReturn : InferInput<O>;

export interface ResourceConfig {
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  size?: number | undefined;
  annotations?: Annotations | undefined;
  icons?: Icon[] | undefined;
  _meta?: Record<string, unknown> | undefined;
  /** Suggests values for the variables of a template. */
  complete?: Record<string, CompletionHandler> | undefined;
  timeout?: number | undefined;
  cacheTtl?: number | undefined;
  cachePublic?: boolean | undefined;
  hidden?: boolean | undefined;
  replace?: boolean | undefined;
}

/** Contents: text, bytes, whole results, or data that is written as JSON. */
export type ResourceReturn = string | Uint8Array | ReadResult | readonly ResourceContents[] | object;

export type CompletionHandler = (
  value: string,
  ctx: Context & { readonly arguments: Record<string, string> },
) => Awaitable<readonly string[] | Completion | string | null | undefined>;

/** A family of resources, as `registerResource` of other libraries takes it; a string does as well. */
export class ResourceTemplate<const T extends string = string> {
  constructor(uriTemplate: T, options?: { complete?: Record<string, CompletionHandler> | undefined; list?: undefined });
  readonly uriTemplate: T;
}

/** What the URI of a template says: those of a query may be missing. */
type Variables<T extends string> = string extends T ? Record<string, string> : Simplify<VariablesOf<T>>;

type VariablesOf<T extends string> =
  T extends `${string}{${infer Expression}}${infer Rest}` ? VariablesIn<Expression> & VariablesOf<Rest> : {};

type VariablesIn<E extends string> =
  E extends `${"?" | "&" | ";"}${infer Names}` ? { [Name in Split<Names>]?: string }
  : E extends `${"+" | "#" | "." | "/"}${infer Names}` ? { [Name in Split<Names>]: string }
  : { [Name in Split<E>]: string };

type Split<Names extends string> = Names extends `${infer Name},${infer Others}` ? Name | Split<Others> : Names;

/** What comes second depends on the URI, which the compiler does not always know. */
export type ResourceHandler<T extends string> =
  string extends T ? (uri: URL, variablesOrContext: any, ctx: Context) => Awaitable<ResourceReturn>
  : T extends `${string}{${string}` ? TemplateHandler<T> : (uri: URL, ctx: Context) => Awaitable<ResourceReturn>;

export type TemplateHandler<T extends string> = (uri: URL, variables: Variables<T>, ctx: Context) => Awaitable<ResourceReturn>;

/** An argument of a prompt in the specification's own words. */
export interface PromptArgument {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly required?: boolean | undefined;
}

export interface PromptConfig<
  A extends AnySchema | undefined = AnySchema | undefined,
  L extends readonly PromptArgument[] = readonly PromptArgument[],
> {
  title?: string | undefined;
  description?: string | undefined;
  /** What the prompt takes: texts, which are converted where the schema wants numbers or booleans. */
  argsSchema?: A | undefined;
  /** The same in the specification's own words. */
  arguments?: L | undefined;
  /** Suggests values for arguments. */
  complete?: Record<string, CompletionHandler> | undefined;
  icons?: Icon[] | undefined;
  _meta?: Record<string, unknown> | undefined;
  timeout?: number | undefined;
  replace?: boolean | undefined;
}

export type FromList<L extends readonly PromptArgument[]> =
  string extends L[number]["name"] ? Record<string, string>
  : Simplify<
    { [One in L[number] as One extends { readonly required: true } ? One["name"] : never]: string }
    & { [One in L[number] as One extends { readonly required: true } ? never : One["name"]]?: string }
  >;

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

// Nothing else is exported.
export {};
