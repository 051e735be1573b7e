// mcplite: mcplite_server.cjs (stdio | http | hono) (sync | async)
'use strict';

const { McpServer } = require('mcplite');

const [way, kind] = process.argv.slice(2);
const NUMBER = { type: 'number' };
const add = ({ a, b }) => String(a + b);

const server = new McpServer({ name: 'bench', version: '1.0.0' });
server.registerTool(
  'add',
  {
    description: 'Adds.',
    inputSchema: { type: 'object', properties: { a: NUMBER, b: NUMBER }, required: ['a', 'b'] },
  },
  kind === 'async' ? async (given) => add(given) : add,
);

function honoListener() {
  const { Hono } = require('hono');
  const { getRequestListener } = require('@hono/node-server');
  const app = new Hono();
  app.all('/mcp', (context) => server.fetch(context.req.raw));
  return getRequestListener(app.fetch);
}

if (way === 'stdio') {
  server.stdio();
} else {
  const { createServer } = require('node:http');
  const listener = createServer(way === 'hono' ? honoListener() : server.httpHandler());
  listener.listen(0, '127.0.0.1', () => console.log(listener.address().port));
}
