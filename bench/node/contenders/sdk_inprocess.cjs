// `@modelcontextprotocol/sdk` 1.x in one process: sdk_inprocess.cjs play NAME ROUNDS DIR
//
// The low-level server, which is its fastest: it holds arguments against no schema.
'use strict';

const { Server } = require('@modelcontextprotocol/sdk/server/index.js');
const types = require('@modelcontextprotocol/sdk/types.js');
const { Pipe, Unable, main, measure, result } = require('./playing.cjs');

main(async (workload, rounds) => {
  if (workload.isModern) throw new Unable('@modelcontextprotocol/sdk 1.x does not know 2026-07-28');
  const { tools } = workload;
  const server = new Server({ name: 'bench', version: '1.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(types.CallToolRequestSchema, ({ params }) => result(workload, params.arguments));
  const pipe = new Pipe();
  await server.connect(pipe);
  await pipe.greet(workload);
  await measure(workload, rounds, (request) => pipe.ask(request), true);
});
