// Everything behind HTTP, for clients in the same process or in others.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { everything } from './everything.mjs';

const OPTIONS = { path: '/mcp', ssePath: '/sse', ssePostPath: '/messages' };
// Calls whose clients are gone without a word end when their time is over.
const GRACE = 100;

export class HttpServer {
  #server = everything();
  #web;
  url;

  /** Resolves when the server listens. `way` is http for the listener of `node:http`, or fetch for web requests. */
  static async start(way) {
    const server = new HttpServer();
    server.#web = createServer(await listenerOf(server.#server, way));
    await once(server.#web.listen(0, '127.0.0.1'), 'listening');
    server.url = `http://127.0.0.1:${server.#web.address().port}`;
    return server;
  }

  async stop() {
    const late = setTimeout(() => this.#server.close(), GRACE);
    await this.#server.shutdown();
    clearTimeout(late);
    this.#web.close();
    // Clients also open connections on which they never ask anything.
    this.#web.closeAllConnections();
  }
}

async function listenerOf(server, way) {
  if (way === 'http') return server.httpHandler(OPTIONS);
  const { getRequestListener } = await import('@hono/node-server');
  return getRequestListener(server.fetchHandler(OPTIONS), { overrideGlobalObjects: false });
}
