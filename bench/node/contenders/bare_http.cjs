// The floor over HTTP: reads the request, and answers with the bytes that it was given.
// bare_http.cjs (node | hono) BODY
'use strict';

const { createServer } = require('node:http');

const [way, body] = process.argv.slice(2);
const HEADERS = { 'content-type': 'application/json' };

function ofNode() {
  const headers = { ...HEADERS, 'content-length': Buffer.byteLength(body) };
  return (request, response) => {
    request.on('data', () => {});
    request.on('end', () => {
      response.writeHead(200, headers);
      response.end(body);
    });
  };
}

function ofHono() {
  const { Hono } = require('hono');
  const { getRequestListener } = require('@hono/node-server');
  const app = new Hono();
  app.post('/mcp', async (context) => {
    await context.req.text();
    return context.body(body, 200, HEADERS);
  });
  return getRequestListener(app.fetch);
}

const listener = createServer(way === 'hono' ? ofHono() : ofNode());
listener.listen(0, '127.0.0.1', () => console.log(listener.address().port));
