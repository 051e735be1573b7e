// The package as programs see it that are not modules.

import mcplite = require("mcplite");
import { McpServer, ToolError } from "mcplite";
import { same } from "./same.cjs";

const server: mcplite.McpServer = new McpServer({ name: "typed" });
server.registerTool("add", { inputSchema: { type: "object", properties: { a: { type: "number" } }, required: ["a"] } }, (args) => {
  same<typeof args, { a: number }>();
  if (args.a < 0) throw new ToolError("a is not negative");
  return args.a;
});
// @ts-expect-error there is no default in CommonJS
mcplite.default;
