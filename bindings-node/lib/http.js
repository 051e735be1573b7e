'use strict';

// HTTP by `node:http`, and by the frameworks that hand on its requests and responses.

const { isUint8Array } = require('node:util/types');
const { BROKEN, Endpoint, UNAVAILABLE, unserved } = require('./endpoint.js');

/** Bodies up to this size are handed in when they are complete. */
const SMALL = 64 * 1024;

function httpHandler(pump, options) {
  const endpoint = new Endpoint(pump, options);
  const handler = (request, response, next) => {
    const target = targetOf(endpoint, request, next);
    if (target === null) next();
    else new Visit(endpoint, request, response, target).begin();
  };
  Object.defineProperty(handler, 'sessions', { get: () => endpoint.sessions });
  handler.close = () => endpoint.close();
  return handler;
}

/** What the engine takes the request to be for; null if it is for somebody else. */
function targetOf(endpoint, request, next) {
  const { url, originalUrl: whole = url } = request;
  const path = withoutQuery(whole);
  if (path === endpoint.path || endpoint.isOther(path)) return whole;
  // A framework has led the request here: wherever that is, it is the endpoint.
  if (!endpoint.isPlaced && isMounted(request)) return endpoint.path + whole.slice(path.length);
  return typeof next === 'function' ? null : whole;
}

/** Whether Express has found the handler by a route, or by a path that it is used at. */
function isMounted({ route, baseUrl, url }) {
  return route !== undefined || (Boolean(baseUrl) && ['', '/'].includes(withoutQuery(url)));
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
  #target;
  /** The number of the exchange; 0 if there is none yet, or no more. */
  #number = 0;
  /** The beginning of a small body. */
  #first = null;
  #isStreaming = false;
  /** Whether the client takes no more of a stream for now. */
  #isFull = false;
  #isWaiting = false;
  #isOver = false;

  constructor(endpoint, request, response, target) {
    this.#endpoint = endpoint;
    this.#request = request;
    this.#response = response;
    this.#target = target;
  }

  begin() {
    const request = this.#request;
    if (request.readableEnded) {
      // A framework has read the body.
      this.#open((number) => {
        this.#endpoint.native.body(number, bodyOf(request));
        this.#end();
      });
    } else if (!this.#endpoint.isWatched && lengthOf(request.rawHeaders) <= SMALL) {
      request.on('data', (chunk) => {
        this.#first = this.#first === null ? chunk : Buffer.concat([this.#first, chunk]);
      });
      request.on('end', () => this.#guarded(() => this.#openWhole()));
    } else {
      this.#open((number) => {
        this.#endpoint.endHead(number);
        request.on('data', (chunk) => this.#guarded(() => this.#take(chunk)));
        request.once('end', () => this.#guarded(() => this.#end()));
        this.#answerIfRefused();
      });
    }
  }

  /** Does something that fails if the endpoint is closed meanwhile: that must not take down more than this request. */
  #guarded(work) {
    try {
      work();
    } catch (error) {
      const isClosed = error.code === 'ERR_MCPLITE_CLOSED';
      if (!isClosed) this.#endpoint.pump.report(error, { method: this.#request.method, name: this.#target });
      this.#leave();
      if (this.#response.headersSent) this.#response.destroy();
      else this.#send(isClosed ? UNAVAILABLE : BROKEN);
    }
  }

  get #headers() {
    const { httpVersionMajor, rawHeaders } = this.#request;
    return (httpVersionMajor === 1 ? rawHeaders : asBefore(rawHeaders)).join('\n');
  }

  #openWhole() {
    if (this.#isOver) return;
    this.#number = this.#endpoint.openWhole(this.#request.method, this.#target, this.#headers, this.#first ?? undefined);
    if (this.#number === 0) this.#send(UNAVAILABLE);
    else {
      this.#endpoint.pump.run(true);
      this.#answer(true);
    }
  }

  #open(goOn) {
    const request = this.#request;
    this.#response.on('close', () => this.#leave());
    const describe = () => ({ method: request.method, path: withoutQuery(request.originalUrl ?? request.url), headers: request.headers, raw: request });
    const go = (number) => {
      this.#number = number;
      if (this.#isOver) this.#endpoint.leave(number);
      else if (number <= 0) this.#send(unserved(number));
      else goOn(number);
    };
    this.#guarded(() => {
      const opened = this.#endpoint.open(request.method, this.#target, this.#headers, describe);
      if (typeof opened === 'number') go(opened);
      else opened.then((number) => this.#guarded(() => go(number)));
    });
  }

  #take(chunk) {
    if (this.#isOver) return;
    this.#endpoint.native.body(this.#number, chunk);
    this.#answerIfRefused();
  }

  /** Answers before all of the body was read, if there is nothing that it could change. */
  #answerIfRefused() {
    if (this.#endpoint.native.stage(this.#number) !== 0) this.#answer();
  }

  #end() {
    if (this.#isOver) return;
    this.#endpoint.native.end(this.#number);
    this.#endpoint.pump.run(true);
    this.#answer(true);
  }

  /** @internal There is something of the response. */
  onReady() {
    if (this.#isOver) return;
    this.#guarded(() => (this.#isStreaming ? this.#pour() : this.#answer()));
  }

  #answer(isFirst = false) {
    const { native, pump } = this.#endpoint;
    const whole = this.#endpoint.takeWhole(this.#number);
    if (whole !== null) {
      this.#isOver = true;
      pump.removeConnection(this.#number);
      this.#send(whole);
      return;
    }
    if (isFirst && pump.lookAgain(this)) return;
    if (this.#response.destroyed) {
      this.#leave();
      return;
    }
    // Whoever waits has to hear of the end of the client.
    if (!this.#isWaiting) this.#response.on('close', () => this.#leave());
    this.#isWaiting = true;
    pump.addConnection(this.#number, this);
    native.watch(this.#number);
    if (native.stage(this.#number) !== 2) return;
    const { status, headers } = this.#endpoint.readHead(native.head(this.#number));
    this.#isStreaming = true;
    this.#response.writeHead(status, headers);
    this.#response.flushHeaders();
    this.#response.on('drain', () => {
      this.#isFull = false;
      this.#guarded(() => this.#pour());
    });
    this.#pour();
  }

  /** Writes what there is of a stream, as far as the client takes it. */
  #pour() {
    const { native } = this.#endpoint;
    while (!this.#isOver && !this.#isFull) {
      const piece = native.poll(this.#number);
      if (piece === null) break;
      this.#isFull = !this.#response.write(piece);
    }
    if (!this.#isOver && native.isFinished(this.#number)) {
      this.#response.end();
      this.#leave();
    }
  }

  #send({ status, headers, body }) {
    this.#isOver = true;
    this.#response.writeHead(status, isExpected(this.#request) ? [...headers, 'Connection', 'close'] : headers);
    // As text it goes out together with the head.
    if (body === '' || this.#request.method === 'HEAD') this.#response.end();
    else this.#response.end(body, 'utf8');
  }

  /** The client has everything, or is gone. */
  #leave() {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#number !== 0) this.#endpoint.leave(this.#number);
  }
}

/** Whether more of the body is to come: if nobody wants it, it is not waited for. */
function isExpected({ complete, httpVersionMajor, headers }) {
  if (complete || httpVersionMajor !== 1) return false;
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** The headers of a request of HTTP/2 in the words of HTTP/1.1. */
function asBefore(rawHeaders) {
  const lines = [];
  let authority;
  let hasHost = false;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name, value] = [rawHeaders[at], rawHeaders[at + 1]];
    if (name === ':authority') authority = value;
    if (name.startsWith(':')) continue;
    hasHost ||= name === 'host';
    lines.push(name, value);
  }
  if (!hasHost && authority !== undefined) lines.push('host', authority);
  return lines;
}

/** How long the body is to be; looked up here, because Node reads all headers to find one. */
function lengthOf(rawHeaders) {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name.length === 14 && name.toLowerCase() === 'content-length') return Number(rawHeaders[at + 1]);
  }
  return Infinity;
}

/** The body that a framework has read. */
function bodyOf(request) {
  const { body, rawBody } = request;
  if (isUint8Array(rawBody)) return rawBody;
  if (isUint8Array(body)) return body;
  if (typeof body === 'string') return Buffer.from(body);
  if (body !== undefined) return Buffer.from(JSON.stringify(body));
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (length === '0' && encoding === undefined) return Buffer.alloc(0);
  throw new TypeError('somebody has read the body of the request before: leave it to the handler, or put it into request.body');
}

module.exports = { httpHandler };
