// mcplite in one process: mcplite_inprocess.cjs play NAME ROUNDS DIR
'use strict';

const { McpServer } = require('mcplite');
const { main, measure, result } = require('./playing.cjs');

main((workload, rounds) => {
  const server = new McpServer({ name: 'bench', version: '1.0' });
  for (const { name, ...definition } of workload.tools) {
    server.registerTool(name, definition, (given) => result(workload, given));
  }
  const session = server.session();
  if (!workload.isModern) for (const message of workload.handshake) session.handle(message);
  return measure(workload, rounds, (request) => session.handle(request), false);
});
