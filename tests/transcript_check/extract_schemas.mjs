// Prints, as one JSON object {revision: schema}, the schemas that the MCP conformance package
// carries as object literals in its bundle.
// usage: node extract_schemas.mjs path/to/dist/index.js
import { readFileSync } from "node:fs";
import vm from "node:vm";

const NEWEST = "2026-07-28";
const bundle = readFileSync(process.argv[2], "utf8");

// The end of the object literal that starts at `start`; strings are skipped as a whole.
function literalEnd(start) {
  const token = /[{}]|(["'`])(?:\\[^]|(?!\1)[^\\])*\1/g;
  token.lastIndex = start;
  let depth = 0;
  for (let match; (match = token.exec(bundle)); ) {
    if (match[0] === "{") depth += 1;
    if (match[0] === "}") depth -= 1;
    if (depth === 0) return token.lastIndex;
  }
  throw new Error("an object literal without an end");
}

// variable name -> schema
const schemas = new Map();
for (const match of bundle.matchAll(/([\w$]+)=(?=\{\$schema:`[^`]*`,(?:definitions|\$defs):)/g)) {
  const start = match.index + match[0].length;
  schemas.set(match[1], vm.runInNewContext(`(${bundle.slice(start, literalEnd(start))})`));
}

// The bundle names them in one table: {"2025-03-26":a,"2025-06-18":b,…,[newest]:z}.
const named = {};
const table = bundle.matchAll(/"(\d{4}-\d\d-\d\d)":([\w$]+)(?=[,}])/g);
for (const [, revision, variable] of table) {
  if (!schemas.has(variable)) continue;
  named[revision] = schemas.get(variable);
  schemas.delete(variable);
}
if (schemas.size !== 1) throw new Error(`${schemas.size} schemas without a revision, not one`);
[named[NEWEST]] = schemas.values();

// These copies have an early mistake of the specification, which has since mended it.
for (const { definitions, $defs } of Object.values(named)) {
  const number = (definitions ?? $defs).NumberSchema?.properties ?? {};
  for (const name of ["default", "maximum", "minimum"]) {
    if (number[name]) number[name].type = "number";
  }
}
process.stdout.write(JSON.stringify(named));
