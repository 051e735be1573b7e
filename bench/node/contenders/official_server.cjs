// `@modelcontextprotocol/server` 2.x: official_server.cjs (stdio | http) WORD...; words choose the set-up.
//
// Kinds: zod and jsonschema, by which McpServer checks; lowlevel, which leaves checking to the tool.
// `async` makes the tool a promise. stdio: `connect` in place of `serveStdio`. HTTP: `session`; `listener`,
// which is that of @hono/node-server, or an application of `hono`, in place of the package's own adapter.
'use strict';

const { randomUUID } = require('node:crypto');
const { createServer } = require('node:http');
const { McpServer, Server, createMcpHandler, fromJsonSchema } = require('@modelcontextprotocol/server');

const [way, ...words] = process.argv.slice(2);
const isAsync = words.includes('async');
const INFO = { name: 'bench', version: '1.0.0' };
const { addChecked, TOOL } = require('./checked_tool.cjs');
const makeServer = words.includes('lowlevel') ? lowLevel() : withSchema();

function withSchema() {
  const inputSchema = words.includes('jsonschema') ? fromJsonSchema(TOOL.inputSchema) : ofZod();
  const add = ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] });
  const tool = isAsync ? async (given) => add(given) : add;
  return () => {
    const server = new McpServer(INFO);
    server.registerTool('add', { description: 'Adds.', inputSchema }, tool);
    return server;
  };
}

function ofZod() {
  const { z } = require('zod');
  return z.object({ a: z.number(), b: z.number() });
}

function lowLevel() {
  const call = (request) => addChecked(request.params);
  const tool = isAsync ? async (request) => call(request) : call;
  return () => {
    const server = new Server(INFO, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools: [TOOL] }));
    server.setRequestHandler('tools/call', tool);
    return server;
  };
}

async function overStdio() {
  const { StdioServerTransport, serveStdio } = require('@modelcontextprotocol/server/stdio');
  if (words.includes('connect')) await makeServer().connect(new StdioServerTransport());
  else serveStdio(makeServer);
}

function bySession() {
  const { NodeStreamableHTTPServerTransport } = require('@modelcontextprotocol/node');
  const sessions = new Map();
  return async (request, response) => {
    let transport = sessions.get(request.headers['mcp-session-id']);
    if (transport === undefined) {
      transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        enableJsonResponse: true,
        onsessioninitialized: (id) => sessions.set(id, transport),
      });
      await makeServer().connect(transport);
    }
    await transport.handleRequest(request, response);
  };
}

function byHandler() {
  const handler = createMcpHandler(makeServer, { responseMode: 'json' });
  const { getRequestListener } = require('@hono/node-server');
  if (words.includes('listener')) return getRequestListener((request) => handler.fetch(request));
  if (words.includes('hono')) {
    const { Hono } = require('hono');
    const app = new Hono();
    app.all('/mcp', (context) => handler.fetch(context.req.raw));
    return getRequestListener(app.fetch);
  }
  const { toNodeHandler } = require('@modelcontextprotocol/node');
  return toNodeHandler(handler);
}

function overHttp() {
  const listener = createServer(words.includes('session') ? bySession() : byHandler());
  listener.listen(0, '127.0.0.1', () => console.log(listener.address().port));
}

if (way === 'stdio') overStdio();
else overHttp();
