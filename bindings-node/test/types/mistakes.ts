// What the compiler has to find. A mark that nothing needs is an error itself.

import { McpServer, ResourceTemplate, type Session } from "mcplite";
import { type } from "arktype";
import * as v from "valibot";
import * as z from "zod";
import * as z3 from "zod/v3";
import * as mini from "zod/mini";

// @ts-expect-error a server has a name
new McpServer({});
// @ts-expect-error no such option
new McpServer({ name: "typed", colour: "red" });
// @ts-expect-error no such preset
new McpServer({ name: "typed", errors: "loud" });

const server = new McpServer({ name: "typed" });

// @ts-expect-error a tool has a handler
server.registerTool("x", {});
// @ts-expect-error no such member
server.registerTool("x", { descriptoin: "typo" }, () => "");
// @ts-expect-error without a schema there are no arguments
server.registerTool("x", {}, (args) => args.a);
// @ts-expect-error no such argument
server.registerTool("x", { inputSchema: { a: z.number() } }, ({ b }) => b);
// @ts-expect-error a number
server.registerTool("x", { inputSchema: z.object({ a: z.number() }) }, (args) => args.a.toUpperCase());
// @ts-expect-error perhaps undefined
server.registerTool("x", { inputSchema: { a: z.string().optional() } }, (args) => args.a.length);
// @ts-expect-error a number
server.registerTool("x", { inputSchema: type({ a: "number" }) }, (args) => args.a.length);
// @ts-expect-error perhaps undefined
server.registerTool("x", { inputSchema: { type: "object", properties: { a: { type: "string" } } } }, (args) => args.a.length);
// @ts-expect-error no such unit
server.registerTool("x", { inputSchema: { type: "object", properties: { a: { enum: ["C", "F"] } } } }, (args) => args.a === "K");

// @ts-expect-error does not know its JSON Schema
server.registerTool("x", { inputSchema: v.object({ a: v.number() }) }, () => "");
// @ts-expect-error does not know its JSON Schema
server.registerTool("x", { inputSchema: mini.object({ a: mini.number() }) }, () => "");
// @ts-expect-error zod 3 does not know its JSON Schema
server.registerTool("x", { inputSchema: z3.object({ a: z3.number() }) }, () => "");
// @ts-expect-error a boolean is no schema here
server.registerTool("x", { inputSchema: true }, () => "");
// @ts-expect-error a list is no schema
server.registerTool("x", { inputSchema: ["a"] }, () => "");

// @ts-expect-error not what was promised
server.registerTool("x", { outputSchema: { a: z.number() } }, () => ({ a: "text" }));
// @ts-expect-error something is missing
server.registerTool("x", { outputSchema: z.object({ a: z.number(), b: z.number() }) }, async () => ({ a: 1 }));
// @ts-expect-error not what was promised
server.registerTool("x", { outputSchema: { type: "object", properties: { a: { type: "number" } } } }, () => ({ a: "text" }));

// @ts-expect-error a template has no fixed handler: the second argument are the variables
server.registerResource("x", "memo://{a}", {}, (_uri, ctx) => ctx.revision);
// @ts-expect-error no such variable
server.registerResource("x", "memo://{a}", {}, (_uri, { b }) => b);
// @ts-expect-error perhaps undefined
server.registerResource("x", "memo://a{?b}", {}, (_uri, { b }) => b.length);
// @ts-expect-error one resource has no variables
server.registerResource("x", "memo://a", {}, (_uri, _variables, ctx) => ctx.revision);
// @ts-expect-error no such variable
server.registerResource("x", new ResourceTemplate("memo://{a}"), {}, (_uri, { b }) => b);

// @ts-expect-error a number
server.registerPrompt("x", { argsSchema: { a: z.number() } }, (args) => args.a.trim());
// @ts-expect-error no such argument
server.registerPrompt("x", { arguments: [{ name: "a" }] }, (args) => args.b);
// @ts-expect-error not a message
server.registerPrompt("x", {}, () => 5);

server.registerTool("x", {}, async (_args, ctx) => {
  const answer = await ctx.elicit("How many?", z.number());
  // @ts-expect-error the user may have declined
  answer.data.toFixed();
  // @ts-expect-error does not know its JSON Schema
  await ctx.elicit("How many?", v.number());
  // @ts-expect-error no such level
  ctx.log("loud", "hello");
});

declare const session: Session;
// @ts-expect-error a message is text or bytes
session.handle({ jsonrpc: "2.0" });
// @ts-expect-error sessions are made by servers
new (session.constructor as typeof Session)();
