// `@modelcontextprotocol/server` 2.x in one process: server_inprocess.cjs play NAME ROUNDS DIR WORD...
//
// The low-level server, which is its fastest: it holds arguments against no schema. With `jsonschema` the one
// that does.
'use strict';

const { McpServer, Server, fromJsonSchema } = require('@modelcontextprotocol/server');
const { serveStdio } = require('@modelcontextprotocol/server/stdio');
const { Pipe, main, measure, result } = require('./playing.cjs');

const INFO = { name: 'bench', version: '1.0' };

function lowLevel(workload) {
  const { tools } = workload;
  const server = new Server(INFO, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('tools/call', ({ params }) => result(workload, params.arguments));
  return server;
}

function withSchema(workload) {
  const server = new McpServer(INFO);
  for (const { name, description, inputSchema } of workload.tools) {
    const definition = { description, inputSchema: fromJsonSchema(inputSchema) };
    server.registerTool(name, definition, (given) => result(workload, given));
  }
  return server;
}

main(async (workload, rounds, words) => {
  const transport = new Pipe();
  const make = words.includes('jsonschema') ? withSchema : lowLevel;
  // It finds out which revision a client speaks; the name tells only what it serves unless it is told.
  serveStdio(() => make(workload), { transport });
  await transport.greet(workload);
  await measure(workload, rounds, (request) => transport.ask(request), true);
});
