// What servers send.

export interface Annotations {
  audience?: ("user" | "assistant")[] | undefined;
  priority?: number | undefined;
  lastModified?: string | undefined;
}

interface Common {
  annotations?: Annotations | undefined;
  _meta?: Record<string, unknown> | undefined;
}

export interface TextContent extends Common { type: "text"; text: string }

/** `data` is base64. */
export interface ImageContent extends Common { type: "image"; data: string; mimeType: string }

/** `data` is base64. */
export interface AudioContent extends Common { type: "audio"; data: string; mimeType: string }

export interface ResourceLink extends Common {
  type: "resource_link";
  uri: string;
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  size?: number | undefined;
  icons?: Icon[] | undefined;
}

export interface EmbeddedResource extends Common { type: "resource"; resource: ResourceContents }

export type Content = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** `blob` is base64. */
export interface ResourceContents {
  uri: string;
  mimeType?: string | undefined;
  text?: string | undefined;
  blob?: string | undefined;
  _meta?: Record<string, unknown> | undefined;
}

/** An image, from bytes or base64. The type is found out from the bytes unless it is given. */
export function image(data: Uint8Array | string, mimeType?: string): ImageContent;

/** Sound, from bytes or base64. */
export function audio(data: Uint8Array | string, mimeType?: string): AudioContent;

export interface Icon {
  src: string;
  mimeType?: string | undefined;
  sizes?: string[] | undefined;
  theme?: "light" | "dark" | undefined;
}

/** A whole result of a tool, as the specification writes it. */
export interface ToolResult {
  content: Content[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
  _meta?: Record<string, unknown> | undefined;
}

export interface PromptMessage { role: "user" | "assistant"; content: Content | Content[] | string }

export interface PromptResult {
  description?: string | undefined;
  messages: PromptMessage[];
  _meta?: Record<string, unknown> | undefined;
}

export interface ReadResult {
  contents: ResourceContents[];
  _meta?: Record<string, unknown> | undefined;
}

export interface Completion {
  values: string[];
  total?: number | undefined;
  hasMore?: boolean | undefined;
}

// Nothing else is exported.
export {};
