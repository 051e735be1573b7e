// What handlers get from schemas of libraries.

import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { McpServer, type Context, type Infer, type InferInput } from "mcplite";
import * as v from "valibot";
import * as z from "zod";
import * as mini from "zod/mini";
import { same } from "./same.cjs";

const server = new McpServer({ name: "typed" });

const Zod = z.object({
  count: z.number(),
  note: z.string().optional(),
  unit: z.enum(["C", "F"]).default("C"),
  length: z.string().transform((text) => text.length),
});
server.registerTool("zod", { inputSchema: Zod }, (args, ctx) => {
  same<typeof args, { count: number; note?: string | undefined; unit: "C" | "F"; length: number }>();
  same<typeof ctx, Context>();
  return `${args.count}`;
});

const Arktype = type({ count: "number", "note?": "string", unit: "'C' | 'F' = 'C'", length: "string.numeric.parse" });
server.registerTool("arktype", { inputSchema: Arktype }, async ({ count, note, unit, length }) => {
  same<typeof count, number>();
  same<typeof note, string | undefined>();
  same<typeof unit, "C" | "F">();
  same<typeof length, number>();
  return null;
});

const Valibot = toStandardJsonSchema(
  v.object({
    count: v.number(),
    note: v.optional(v.string()),
    unit: v.optional(v.picklist(["C", "F"]), "C"),
    length: v.pipe(v.string(), v.transform((text) => text.length)),
  }),
);
server.registerTool("valibot", { inputSchema: Valibot }, ({ count, note, unit, length }) => {
  same<typeof count, number>();
  same<typeof note, string | undefined>();
  same<typeof unit, "C" | "F">();
  same<typeof length, number>();
});

server.registerTool("mini", { inputSchema: mini.toJSONSchema(mini.object({ count: mini.number() })) }, (args) => {
  same<typeof args, { count: number }>();
});

server.registerTool("shape", { inputSchema: { count: z.number(), note: z.string().optional(), unit: z.string().default("C") } }, (args) => {
  same<typeof args, { count: number; unit: string; note?: string | undefined }>();
  return [args.note ?? "none"];
});

const shape = { count: z.number(), size: type("number > 0"), text: toStandardJsonSchema(v.string()) };
server.registerTool("mixed shape", { inputSchema: shape }, (args) => {
  same<typeof args, { count: number; size: number; text: string }>();
});

server.registerTool("empty shape", { inputSchema: {} }, (args) => {
  same<typeof args, {}>();
});

server.registerTool("union", { inputSchema: z.union([z.object({ a: z.string() }), z.object({ b: z.number() })]) }, (args) => {
  return "a" in args ? args.a : args.b;
});

server.registerTool("output", { outputSchema: z.object({ at: z.number().default(0), unit: z.string() }) }, async () => ({ unit: "C" }));
server.registerTool("whole", { outputSchema: { celsius: z.number() } }, () => ({
  content: [{ type: "text", text: "hot" }],
  structuredContent: { celsius: 40 },
}));
server.registerTool("number", { outputSchema: z.number() }, () => 5);
server.registerTool("refusal", { outputSchema: { celsius: z.number() } }, () => ({
  content: [{ type: "text" as const, text: "no such city" }],
  isError: true,
}));
server.registerTool("both", { inputSchema: { city: z.string() }, outputSchema: Zod.pick({ count: true }) }, async ({ city }) => ({
  count: city.length,
}));

same<Infer<typeof Zod>["length"], number>();
same<InferInput<typeof Zod>["length"], string>();
same<Infer<typeof shape>, { count: number; size: number; text: string }>();
