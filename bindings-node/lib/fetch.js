'use strict';

// HTTP by web requests and responses.

const { Endpoint, UNAVAILABLE, unserved } = require('./endpoint.js');

/** Bodies up to this size are read in one go. */
const SMALL = 64 * 1024;

function fetchHandler(pump, options) {
  const endpoint = new Endpoint(pump, options);
  const handler = (request) => answer(endpoint, request);
  Object.defineProperty(handler, 'sessions', { get: () => endpoint.sessions });
  handler.close = () => endpoint.close();
  return handler;
}

async function answer(endpoint, request) {
  const url = new URL(request.url);
  const headers = headersOf(request, url);
  const describe = () => ({ method: request.method, path: url.pathname, headers: Object.fromEntries(request.headers), raw: request });
  // Whoever hands on requests has decided where the endpoint is.
  const path = endpoint.isPlaced || endpoint.isOther(url.pathname) ? url.pathname : endpoint.path;
  const opened = endpoint.open(request.method, path + url.search, headers, describe);
  const number = typeof opened === 'number' ? opened : await decided(endpoint, opened, request);
  if (number <= 0) return whole(unserved(number));
  return new Visit(endpoint, number, request).answer();
}

/** The number of an exchange that the program decides about; its client may be gone when it has. */
async function decided(endpoint, opened, { signal }) {
  const number = await opened;
  if (signal?.aborted) {
    endpoint.leave(number);
    throw signal.reason;
  }
  return number;
}

function headersOf(request, url) {
  const lines = [];
  for (const [name, value] of request.headers) lines.push(name, value);
  // The address that a request was sent to is in its URL, and not always among its headers.
  if (!request.headers.has('host')) lines.push('host', url.host);
  return lines.join('\n');
}

/** One request and its response. */
class Visit {
  #endpoint;
  #native;
  #number;
  #request;
  #ring = null;
  #isOver = false;

  constructor(endpoint, number, request) {
    this.#endpoint = endpoint;
    this.#native = endpoint.native;
    this.#number = number;
    this.#request = request;
  }

  async answer() {
    const { pump } = this.#endpoint;
    try {
      await this.#feed();
      if (this.#isOver) throw this.#request.signal.reason;
      if (this.#native.stage(this.#number) === 0) this.#native.end(this.#number);
      pump.run(true);
      const first = this.#endpoint.takeWhole(this.#number) ?? (await this.#soon());
      if (first !== null) return this.#whole(first);
      if (this.#isOver) throw this.#request.signal.reason;
      pump.addConnection(this.#number, this);
      this.#native.watch(this.#number);
      this.#listen();
      while (!this.#isOver && this.#native.stage(this.#number) === 0) await this.#rung();
      if (this.#isOver) throw this.#request.signal.reason;
      const later = this.#endpoint.takeWhole(this.#number);
      return later !== null ? this.#whole(later) : this.#stream();
    } catch (error) {
      this.#leave();
      if (error?.code === 'ERR_MCPLITE_CLOSED') return whole(UNAVAILABLE);
      throw error;
    }
  }

  /** The whole response of handlers that give a promise without having to wait for anything. */
  async #soon() {
    if (!this.#endpoint.pump.lookAgain(this)) return null;
    await this.#rung();
    return this.#isOver ? null : this.#endpoint.takeWhole(this.#number);
  }

  /** Hears of the end of the client. Only those who wait do: many requests are made in a way that makes this costly. */
  #listen() {
    const { signal } = this.#request;
    if (signal === undefined || signal === null) return;
    if (signal.aborted) this.#leave();
    else signal.addEventListener('abort', () => this.#leave(), { once: true });
  }

  async #feed() {
    const { method, headers } = this.#request;
    if (method === 'GET' || method === 'HEAD') return;
    const length = headers.get('content-length');
    if (length !== null && Number(length) <= SMALL) {
      this.#native.body(this.#number, new Uint8Array(await this.#request.arrayBuffer()));
      return;
    }
    const { body } = this.#request;
    if (body === null || body === undefined) return;
    this.#listen();
    this.#endpoint.endHead(this.#number);
    const reader = body.getReader();
    // Until all of it is read, or it is refused, or nobody waits any more.
    while (!this.#isOver && this.#native.stage(this.#number) === 0) {
      const { done, value } = await reader.read();
      if (done) return;
      if (!this.#isOver) this.#native.body(this.#number, value);
    }
    reader.cancel().catch(() => {});
  }

  #whole(response) {
    this.#isOver = true;
    this.#endpoint.pump.removeConnection(this.#number);
    return whole(response);
  }

  #stream() {
    const { status, headers } = this.#endpoint.readHead(this.#native.head(this.#number));
    const stream = new ReadableStream({
      pull: (controller) => this.#pour(controller),
      cancel: () => this.#leave(),
    });
    return new Response(stream, { status, headers: paired(headers) });
  }

  async #pour(controller) {
    for (;;) {
      if (this.#isOver) return controller.error(this.#request.signal?.reason ?? new Error('the client is gone'));
      const rung = this.#rung();
      const piece = this.#native.poll(this.#number);
      if (piece !== null) return controller.enqueue(piece);
      if (this.#native.isFinished(this.#number)) {
        this.#leave();
        return controller.close();
      }
      await rung;
    }
  }

  /** @internal There is something of the response. */
  onReady() {
    this.#ring?.();
  }

  #rung() {
    return new Promise((resolve) => {
      this.#ring = resolve;
    });
  }

  #leave() {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#endpoint.leave(this.#number);
    this.#ring?.();
  }
}

function whole({ status, headers, body }) {
  const isEmpty = body === '' || status === 204 || status === 304;
  return new Response(isEmpty ? null : body, { status, headers: paired(headers) });
}

function paired(flat) {
  const pairs = [];
  for (let at = 0; at < flat.length; at += 2) pairs.push([flat[at], flat[at + 1]]);
  return pairs;
}

module.exports = { fetchHandler };
