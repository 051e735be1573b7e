// What handlers get from JSON Schemas.

import { McpServer, type FromJsonSchema, type JsonSchema } from "mcplite";
import { same } from "./same.cjs";

const server = new McpServer({ name: "typed" });

server.registerTool(
  "inline",
  {
    inputSchema: {
      type: "object",
      properties: {
        city: { type: "string", minLength: 1 },
        days: { type: "integer" },
        unit: { enum: ["C", "F"] },
        tags: { type: "array", items: { type: "string" } },
        place: { type: "object", properties: { lat: { type: "number" } }, required: ["lat"] },
      },
      required: ["city", "unit"],
      additionalProperties: false,
    },
    outputSchema: { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] },
  },
  (args) => {
    same<
      typeof args,
      {
        city: string;
        unit: "C" | "F";
        days?: number | undefined;
        tags?: string[] | undefined;
        place?: { lat: number } | undefined;
      }
    >();
    return { celsius: args.city.length };
  },
);

const schema = { type: "object", properties: { on: { type: "boolean" } }, required: ["on"] } as const;
server.registerTool("constant", { inputSchema: schema }, (args) => {
  same<typeof args, { on: boolean }>();
});

// What TypeScript has forgotten, handlers may treat as they like.
const widened = { type: "object", properties: { on: { type: "boolean" } }, required: ["on"] };
server.registerTool("widened", { inputSchema: widened }, (args) => {
  same<typeof args, any>();
});

declare const anything: JsonSchema;
server.registerTool("unknown", { inputSchema: anything }, (args) => args.whatever);

interface SchemaOfAnotherLibrary {
  $id?: string;
  type?: "object" | "string";
  properties?: { [name: string]: SchemaOfAnotherLibrary | boolean };
  additionalProperties?: boolean | SchemaOfAnotherLibrary;
}
declare const foreign: SchemaOfAnotherLibrary;
server.registerTool("interface", { inputSchema: foreign }, () => "served");

declare const record: Record<string, unknown>;
server.registerTool("record", { inputSchema: record }, (args) => args.whatever);

declare const untyped: any;
server.registerTool("any", { inputSchema: untyped, outputSchema: untyped }, (args) => {
  same<typeof args, any>();
  return { whatever: args.whatever };
});

declare const untypedRecord: Record<string, any>;
server.registerTool("record of any", { inputSchema: untypedRecord, outputSchema: untypedRecord }, (args) => ({ whatever: args.whatever }));

// As TypeBox has it: the keywords are there for JSON, and the type of the values for TypeScript.
interface TypeBoxObject {
  [keyword: string]: any;
  static: { a: number; b?: string };
  type: "object";
  properties: { a: { type: "number" }; b: { type: "string" } };
  required?: string[];
}
declare const typeBox: TypeBoxObject;
server.registerTool("typebox", { inputSchema: typeBox }, (args) => {
  same<typeof args, { a: number; b?: string }>();
});

same<FromJsonSchema<{ readonly const: 5 }>, 5>();
same<FromJsonSchema<{ readonly type: readonly ["string", "null"] }>, string | null>();
same<FromJsonSchema<{ readonly anyOf: readonly [{ readonly type: "string" }, { readonly type: "number" }] }>, string | number>();
same<FromJsonSchema<{ readonly type: "array" }>, unknown[]>();
same<FromJsonSchema<{ readonly type: "array"; readonly prefixItems: readonly [{ readonly type: "string" }, { readonly type: "null" }] }>, [string, null]>();
same<FromJsonSchema<{ readonly type: "object" }>, { [name: string]: unknown }>();
same<FromJsonSchema<{ readonly type: "object"; readonly additionalProperties: { readonly type: "number" } }>, { [name: string]: number }>();
same<
  FromJsonSchema<{
    readonly allOf: readonly [
      { readonly type: "object"; readonly properties: { readonly a: { readonly type: "string" } }; readonly required: readonly ["a"] },
      { readonly type: "object"; readonly properties: { readonly b: { readonly type: "null" } } },
    ];
  }>,
  { a: string; b?: null | undefined }
>();
same<FromJsonSchema<{ readonly $ref: "#/$defs/Node" }>, any>();
