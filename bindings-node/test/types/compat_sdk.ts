// Programs written to the API of the TypeScript SDK, as the compiler reads them.

import {
  CallToolRequestSchema, CompleteRequestSchema, ErrorCode, GetPromptRequestSchema, HttpServerTransport, InitializedNotificationSchema,
  ListPromptsRequestSchema, ListResourcesRequestSchema, ListToolsRequestSchema, MCPError, McpError, ReadResourceRequestSchema, Server,
  StdioServerTransport, SubscribeResourceRequestSchema,
} from "mcplite/compat/sdk";
import type { ContentItem, JSONRPCMessage, MCPRequest, Prompt, ResourceContent, ServerInfo, Tool, ToolResponse, Transport } from "mcplite/compat/sdk";
import { McpError as CoreError } from "mcplite";
import * as z from "zod";

const info: ServerInfo = { name: "typed", version: "1.0.0", metadata: { description: "d", author: "a", homepage: "https://example.org" } };
const server = new Server(info, {
  capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, logging: {} },
  logger: console,
  errorHandler: (error, request) => ({ error: { code: -32603, message: `${request.method}: ${error.message}` } }),
});

const tool: Tool = { name: "calculate", description: "Calculates", inputSchema: { type: "object", required: ["expression"] } };
server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [tool] }));
server.setRequestHandler(CallToolRequestSchema, async (request) => {
  const { name, arguments: args } = request.params;
  const method: "tools/call" = request.method;
  if (name === "calculate") {
    try {
      return { content: [{ type: "text", text: `${method} ${args.expression}` }] };
    } catch (error: any) {
      return { content: [{ type: "text", text: error.message }], isError: true };
    }
  }
  throw new MCPError(-32001, "Tool not found", { toolName: name });
});
const items: ContentItem[] = [{ type: "image", data: "", mimeType: "image/png" }, { type: "resource", resource: { uri: "x:y", text: "" } }];
const whole: ToolResponse = { content: items, isError: false, metadata: { any: 1 } };
server.setRequestHandler(CallToolRequestSchema, () => whole);

server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [{ uri: "x:y", name: "y" }], nextCursor: "2" }));
server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => ({ contents: [{ uri, text: "text" }] }));
async function* changes(uri: string): AsyncGenerator<ResourceContent> {
  yield { uri, text: "new" };
}
server.setRequestHandler(SubscribeResourceRequestSchema, async (request) => ({ subscription: changes(request.params.uri) }));

const prompt: Prompt = { name: "p", description: "d", arguments: [{ name: "n", description: "d", required: true, default: 3 }] };
server.setRequestHandler(ListPromptsRequestSchema, async () => ({ prompts: [prompt] }));
server.setRequestHandler(GetPromptRequestSchema, async (request, extra) => {
  const signal: AbortSignal = extra.signal;
  await extra.sendNotification({ method: "notifications/progress", params: { progress: 1 } });
  return { description: request.params.name, messages: [{ role: "system", content: { type: "text", text: String(signal.aborted) } }] };
});
server.setRequestHandler(CompleteRequestSchema, ({ params }) => ({ completion: { values: [params.argument.value] } }));

const Own = z.object({ method: z.literal("own/method"), params: z.object({ count: z.number() }) });
server.setRequestHandler(Own, (request) => ({ doubled: request.params.count * 2 }));
server.setRequestHandler("plain/method", ({ params }) => ({ params }));
server.setNotificationHandler(InitializedNotificationSchema, () => {});
server.setErrorHandler((error: any, request: MCPRequest) => {
  if (error instanceof MCPError) return { error: { code: error.code, message: error.message, data: error.data } };
  return { error: { code: ErrorCode.InternalError, message: request.method } };
});

class Carrier implements Transport {
  async start(): Promise<void> {}
  async send(message: JSONRPCMessage): Promise<void> { void message; }
  onMessage(handler: (message: any) => void): void { void handler; }
  onError(handler: (error: Error) => void): void { void handler; }
  async close(): Promise<void> {}
}
const done: Promise<void>[] = [
  server.connect(new Carrier()), server.connect(new StdioServerTransport()),
  server.connect(new HttpServerTransport({ port: 0, host: "127.0.0.1", path: "/mcp", cors: { origin: "https://example.org" } })),
  server.sendResourceUpdated({ uri: "x:y" }), server.close(),
];
const port: number | undefined = new HttpServerTransport({ port: 3000 }).port;
const kin: CoreError = new McpError(ErrorCode.InvalidParams, "wrong");
void [done, port, kin];

// @ts-expect-error a list of tools has tools
server.setRequestHandler(ListToolsRequestSchema, async () => ({ resources: [] }));
// @ts-expect-error text content has text
server.setRequestHandler(CallToolRequestSchema, async () => ({ content: [{ type: "text" }] }));
// @ts-expect-error a server has a name
new Server({ version: "1" });
// @ts-expect-error a transport can send
server.connect({ start() {} });
// @ts-expect-error codes are numbers
new MCPError("x", "y");
