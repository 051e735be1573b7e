// Programs written to the API of BMAD-MCP, as the compiler reads them.

import { JSON_RPC_ERROR, McpServer, MemoryTransport, isNotification, makeError, makeResult } from "mcplite/compat/bmad";
import type { Handler, JsonRpcError, JsonRpcMessage, JsonRpcRequest, JsonRpcResponse, McpServerOptions, Transport } from "mcplite/compat/bmad";

const options: McpServerOptions = { name: "typed", version: "1.0.0", protocolVersion: "2024-11-05" };
const transport = new MemoryTransport();
const server = new McpServer(transport, options);

server.on("echo", (params) => ({ message: params }));
server.on("greet", (params: { name: string }) => ({ greeting: `Hello, ${params.name}!` }));

const add: Handler = (params: { a: number; b: number }) => params.a + params.b;
const user: Handler = async (params: { userId: string }) => ({ user: params.userId });
const create: Handler = (params, request) => {
  const missing = ["username", "email"].filter((field) => !params[field]);
  if (missing.length > 0) throw makeError(request.id, JSON_RPC_ERROR.INVALID_PARAMS, "Missing", { missing });
  return { method: request.method, id: request.id };
};
server.on("add", add);
server.on("user", user);
server.on("create", create);
server.on("slow", async (_params, _request, call) => {
  const signal: AbortSignal = call.signal;
  return signal.aborted;
});

function stamped(handler: Handler): Handler {
  return async (params, request, call) => {
    const result: any = await handler(params, request, call);
    return makeResult(request.id, { ...result, at: 1 });
  };
}
server.on("stamped", stamped(add));

class Own implements Transport {
  private handler: ((message: JsonRpcMessage) => void) | undefined;
  async start() {}
  async stop() {}
  async send(message: JsonRpcMessage) {
    if ("id" in message && message.id) this.handler?.(message);
  }
  onMessage(handler: (message: JsonRpcMessage) => void): void {
    this.handler = handler;
  }
}
new McpServer(new Own(), { name: "own", limits: { openCalls: 4 }, onError: (error: unknown) => void error });

const request: JsonRpcRequest = { jsonrpc: "2.0", method: "log", params: { message: "Hello" } };
const answer: boolean = isNotification(request);
const response: JsonRpcResponse = makeResult("1", answer);
const error: JsonRpcError | undefined = response.error;
transport.receive({ jsonrpc: "2.0", id: null, method: "echo", params: [error] });
const sent: JsonRpcMessage | undefined = transport.inbox[0];
const code: number = JSON_RPC_ERROR.PARSE_ERROR;
const started: Promise<void> = server.start();
const stopped: Promise<void> = server.stop();
void [sent, code, started, stopped];

// @ts-expect-error a server has a name
new McpServer(transport, {});
// @ts-expect-error a transport can send
new McpServer({ start() {}, stop() {}, onMessage() {} }, options);
// @ts-expect-error a handler is a function
server.on("echo", 5);
// @ts-expect-error messages say which JSON-RPC they are
transport.receive({ id: 1, method: "echo" });
