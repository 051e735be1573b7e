// `@modelcontextprotocol/sdk` 1.x: official_sdk.cjs (stdio | http) WORD...; words choose the set-up.
//
// Kinds: mcpserver, with a schema of zod; lowlevel, which leaves checking to the tool.
// `async` makes the tool a promise. HTTP: `session`, else every request has a server of its own, as
// the documentation of the package has it.
'use strict';

const { randomUUID } = require('node:crypto');
const { createServer } = require('node:http');

const [way, ...words] = process.argv.slice(2);
const isLowLevel = words.includes('lowlevel');
const isAsync = words.includes('async');
const INFO = { name: 'bench', version: '1.0.0' };

// What is loaded is what the set-up needs, because start and memory are measured too.
const load = (name) => require(`@modelcontextprotocol/sdk/${name}.js`);
const makeServer = isLowLevel ? lowLevel() : withSchema();

function withSchema() {
  const { McpServer } = load('server/mcp');
  const { z } = require('zod');
  const inputSchema = { a: z.number(), b: z.number() };
  const add = ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] });
  const tool = isAsync ? async (given) => add(given) : add;
  return () => {
    const server = new McpServer(INFO);
    server.registerTool('add', { description: 'Adds.', inputSchema }, tool);
    return server;
  };
}

function lowLevel() {
  const { Server } = load('server/index');
  const { CallToolRequestSchema, ListToolsRequestSchema } = load('types');
  const { addChecked, TOOL } = require('./checked_tool.cjs');
  const call = (request) => addChecked(request.params);
  const tool = isAsync ? async (request) => call(request) : call;
  return () => {
    const server = new Server(INFO, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [TOOL] }));
    server.setRequestHandler(CallToolRequestSchema, tool);
    return server;
  };
}

async function serveStdio() {
  const { StdioServerTransport } = load('server/stdio');
  await makeServer().connect(new StdioServerTransport());
}

function serveHttp() {
  const { StreamableHTTPServerTransport } = load('server/streamableHttp');
  const sessions = new Map();

  async function bySession(request, response) {
    let transport = sessions.get(request.headers['mcp-session-id']);
    if (transport === undefined) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        enableJsonResponse: true,
        onsessioninitialized: (id) => sessions.set(id, transport),
      });
      await makeServer().connect(transport);
    }
    await transport.handleRequest(request, response);
  }

  async function byRequest(request, response) {
    const server = makeServer();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse: true,
    });
    response.on('close', () => {
      transport.close();
      server.close();
    });
    await server.connect(transport);
    await transport.handleRequest(request, response);
  }

  const listener = createServer(words.includes('session') ? bySession : byRequest);
  listener.listen(0, '127.0.0.1', () => console.log(listener.address().port));
}

if (way === 'stdio') serveStdio();
else serveHttp();
