'use strict';

// HTTP by `node:http`, and by the frameworks that hand on its requests and responses.

const { Endpoint, UNAVAILABLE } = require('./endpoint.js');

function httpHandler(pump, options) {
  const endpoint = new Endpoint(pump, options);
  const handler = (request, response, next) => {
    const target = targetOf(endpoint, request, next);
    if (target === null) next();
    else new Visit(endpoint, request, response).begin(target);
  };
  Object.defineProperty(handler, 'sessions', { get: () => endpoint.sessions });
  handler.close = () => endpoint.close();
  return handler;
}

/** What the engine takes the request to be for; null if it is for somebody else. */
function targetOf(endpoint, request, next) {
  const { url } = request;
  const isFramed = typeof next === 'function';
  const whole = isFramed ? request.originalUrl ?? url : url;
  const query = whole.indexOf('?');
  const path = query < 0 ? whole : whole.slice(0, query);
  if (!isFramed || path === endpoint.path || endpoint.isOther(path)) return whole;
  // A framework has led the request here: wherever that is, it is the endpoint.
  const isMounted = !endpoint.isPlaced && (request.baseUrl ? ['', '/'].includes(withoutQuery(url)) : request.route !== undefined);
  return isMounted ? endpoint.path + (query < 0 ? '' : whole.slice(query)) : null;
}

function withoutQuery(url) {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

/** One request and its response. */
class Visit {
  #endpoint;
  #request;
  #response;
  #exchange = null;
  #isStreaming = false;
  #isOver = false;

  constructor(endpoint, request, response) {
    this.#endpoint = endpoint;
    this.#request = request;
    this.#response = response;
  }

  begin(target) {
    const request = this.#request;
    const describe = () => ({ method: request.method, path: withoutQuery(request.originalUrl ?? request.url), headers: request.headers, raw: request });
    const opened = this.#endpoint.open(request.method, target, request.rawHeaders.join('\n'), describe);
    this.#response.once('close', () => this.#leave());
    if (typeof opened?.then === 'function') opened.then((exchange) => this.#go(exchange));
    else this.#go(opened);
  }

  #go(exchange) {
    if (exchange === null) {
      this.#sendWhole(UNAVAILABLE);
      return;
    }
    this.#exchange = exchange;
    if (this.#isOver) {
      this.#endpoint.finish(exchange);
      return;
    }
    const request = this.#request;
    // Frameworks may have read the body already.
    const read = request.readableEnded ? bodyOf(request) : null;
    if (read !== null) {
      exchange.body(read);
      this.#end();
      return;
    }
    request.on('data', (chunk) => this.#take(chunk));
    request.once('end', () => this.#end());
  }

  #take(chunk) {
    if (this.#isOver) return;
    this.#exchange.body(chunk);
    // Refused before all of it was read.
    if (chunk.length >= 16384 && this.#exchange.stage !== 0) this.#answer();
  }

  #end() {
    if (this.#isOver) return;
    this.#exchange.end();
    this.#endpoint.pump.run();
    this.#answer();
  }

  /** @internal There is something of the response. */
  onReady() {
    if (this.#isStreaming) this.#pour();
    else this.#answer();
  }

  #answer() {
    if (this.#isOver) return;
    const exchange = this.#exchange;
    const whole = exchange.takeWhole();
    if (whole !== null) {
      this.#sendWhole(whole);
      this.#leave();
      return;
    }
    this.#endpoint.pump.addConnection(exchange.token, this);
    exchange.watch();
    if (exchange.stage !== 2) return;
    const { status, headers } = exchange.head();
    this.#isStreaming = true;
    this.#response.writeHead(status, headers);
    this.#response.flushHeaders();
    this.#response.on('drain', () => this.#pour());
    this.#pour();
  }

  /** Writes what there is of a stream, as far as the client takes it. */
  #pour() {
    const exchange = this.#exchange;
    while (!this.#isOver && !this.#response.writableNeedDrain) {
      const piece = exchange.poll();
      if (piece === null) break;
      this.#response.write(piece);
    }
    if (!this.#isOver && exchange.isFinished) {
      this.#response.end();
      this.#leave();
    }
  }

  #sendWhole({ status, headers, body }) {
    const hasBody = status !== 204 && status !== 304;
    if (hasBody && !headers.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'content-length')) {
      headers = [...headers, 'Content-Length', String(body.length)];
    }
    // The rest of a body that nobody wants is not waited for.
    if (!this.#request.complete) headers = [...headers, 'Connection', 'close'];
    this.#response.writeHead(status, headers);
    this.#response.end(body.length > 0 && this.#request.method !== 'HEAD' ? body : undefined);
  }

  /** The client has everything, or is gone. */
  #leave() {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#exchange !== null) this.#endpoint.finish(this.#exchange);
  }
}

/** The body that a framework has read, as far as it says. */
function bodyOf(request) {
  const { body, rawBody } = request;
  if (rawBody instanceof Uint8Array) return rawBody;
  if (body instanceof Uint8Array) return body;
  if (typeof body === 'string') return Buffer.from(body);
  return Buffer.from(body === undefined ? '' : JSON.stringify(body));
}

module.exports = { httpHandler };
