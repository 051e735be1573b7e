// Everything besides schemas, as users write it.

import { createServer } from "node:http";
import mcplite, {
  ErrorCode, InvalidParamsError, McpError, McpServer, MisuseError, NotFoundError, PROTOCOL_VERSIONS, ResourceTemplate, ToolError,
  audio, image, version, type Elicited, type Registered, type ServerOptions, type Session,
} from "mcplite";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import * as z from "zod";
import { same } from "./same.cjs";

declare const perhaps: string | undefined;

// Members may be given as undefined, whatever the compiler thinks of optional ones.
const options: ServerOptions = { name: "typed", title: perhaps, limits: { depth: undefined }, declare: { tools: true } };
const server = new McpServer(options);
same<typeof server, InstanceType<typeof mcplite.McpServer>>();
same<typeof version, string>();
PROTOCOL_VERSIONS.includes("2026-07-28");

const registered: Registered = server.registerTool("nothing", { description: perhaps }, (args, ctx) => {
  same<typeof args, {}>();
  ctx.progress(1, 2, "half");
  ctx.signal.addEventListener("abort", () => ctx.info("gone"));
});
registered.update({ description: "better" });
server.registerTool("media", {}, () => [image(new Uint8Array()), audio("AAAA", "audio/wav"), "text"]);
server.registerTool("error", {}, () => {
  throw new ToolError("ask for another one");
});

server.registerResource("fixed", "memo://fixed", {}, "contents");
server.registerResource("bytes", "memo://bytes", {}, new Uint8Array([1]));
server.registerResource("one", "memo://one", { mimeType: perhaps }, async (uri, ctx) => {
  same<typeof uri, URL>();
  return `${uri.href} ${ctx.revision}`;
});
server.registerResource("family", "memo://{owner}/{+path}{?page,size}", {}, (uri, variables, ctx) => {
  same<typeof variables, { owner: string; path: string; page?: string; size?: string }>();
  return { contents: [{ uri: uri.href, text: `${variables.path} ${ctx.name}` }] };
});
server.registerResource("template", new ResourceTemplate("memo://{owner}", { list: undefined }), {}, (_uri, { owner }) => {
  same<typeof owner, string>();
  return owner;
});
declare const uri: string;
server.registerResource("any", uri, {}, () => "contents");
server.registerResource("any", uri, {}, (_uri, ctx) => ctx.revision);
server.registerResource("any", uri, {}, (_uri, variables, ctx) => `${variables["owner"]} ${ctx.revision}`);
server.registerResource("any family", new ResourceTemplate(uri), {}, (_uri, variables) => variables["owner"] ?? "");

server.registerPrompt("plain", {}, (args) => {
  same<typeof args, Record<string, string>>();
  return "hello";
});
server.registerPrompt("listed", { arguments: [{ name: "title", required: true }, { name: "stars" }] }, (args) => {
  same<typeof args, { title: string; stars?: string }>();
  return [{ role: "user", content: args.title }];
});
server.registerPrompt(
  "schema",
  {
    argsSchema: { title: z.string(), stars: z.number().optional() },
    complete: { title: (value, ctx) => [value, ctx.arguments["stars"] ?? ""] },
  },
  (args) => {
    same<typeof args, { title: string; stars?: number | undefined }>();
    return { messages: [{ role: "user", content: { type: "text", text: args.title } }] };
  },
);

server.registerTool("asks", {}, async (_args, ctx) => {
  const text = await ctx.elicit("Who?");
  same<typeof text, Elicited<string>>();
  const sure = await ctx.elicit("Sure?", z.boolean(), { key: perhaps });
  if (sure.accepted) same<typeof sure.data, boolean>();
  else same<typeof sure.data, undefined>();
  const shape = await ctx.elicit("Where?", { street: z.string(), number: z.number().optional() });
  if (shape.action === "accept") same<typeof shape.data, { street: string; number?: number | undefined }>();
  const ark = await ctx.elicit("Which?", type("'a' | 'b'"));
  same<typeof ark.data, "a" | "b" | undefined>();
  const val = await ctx.elicit("How many?", toStandardJsonSchema(v.number()));
  same<typeof val.data, number | undefined>();
  const json = await ctx.elicit("Which?", { type: "string", enum: ["x", "y"] });
  same<typeof json.data, "x" | "y" | undefined>();
  const page = await ctx.elicitUrl("Pay", "https://example.org/pay");
  same<typeof page.data, undefined>();
  const price = await ctx.once("price", () => 42);
  same<typeof price, number>();
  const said = await ctx.sample("Say hello", { maxTokens: 5 });
  return `${said.text} ${price}`;
});

server.use(async (request, next) => (request.method === "tools/call" ? await next() : next()));
server.observe((event) => {
  if (event.event === "tool-invoked") same<typeof event.name, string>();
});
server.on("custom/method", (params) => ({ echoed: params }));
server.mount("inner", new McpServer({ name: "inner", version: "1.0.0" }));

const session: Session = server.session();
const output: Buffer | null = session.handle("{}");
output?.toString();
async function read(): Promise<void> {
  for await (const message of session) message.byteLength;
}
void read();

createServer(server.httpHandler({ authorize: (request) => request.headers["authorization"] === "Bearer x" }));
const answered: Promise<Response> = server.fetch(new Request("http://localhost/mcp"));
void answered;

const error: McpError = new NotFoundError("gone");
same<typeof error.code, number>();
const invalid: Error = new InvalidParamsError("no", { why: "because" });
if (invalid instanceof MisuseError) same<typeof invalid.code, string>();
same<typeof ErrorCode.ParseError, -32700>();
