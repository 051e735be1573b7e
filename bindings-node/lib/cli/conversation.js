'use strict';

// What a client and its server have said, as far as the server's successor must know it.

const OURS = 'mcplite-dev-';
const LISTS = ['tools', 'resources', 'prompts'];
const PREFIX = 'io.modelcontextprotocol/';

/**
 * Follows the messages between a client and a server that is replaced now and then.
 *
 * The client must notice nothing of it but that lists have changed: a new server is told what the old one knew of the
 * client, its answers to that are kept from the client, and requests that the old one left behind are answered with an
 * error.
 */
class Conversation {
  #open = new Map();
  #asked = new Set();
  #hello = null;
  #capabilities = {};
  #isInitialized = false;
  #level = null;
  #watched = new Map();
  #listening = new Map();
  #acknowledged = new Set();
  #numbers = 0;
  #greeting = null;

  /** Whether the server owes no answers; streams that stay open do not count. */
  get isIdle() {
    return [...this.#open.keys()].every((key) => this.#listening.has(key));
  }

  /** Whether a new server has answered what it was told first. */
  get isGreeted() {
    return this.#greeting === null;
  }

  /** Whether a client's message is for the server that runs now, and not for the next. */
  concernsPresent(line) {
    const message = read(line);
    if (!isObject(message)) return false;
    if (message.method === 'notifications/cancelled') return this.#open.has(keyOf(message.params?.requestId));
    return message.method === undefined && this.#asked.has(keyOf(message.id));
  }

  /** Notes a client's message; false if it is an answer to a server that is gone. */
  clientSays(line) {
    const message = read(line);
    if (isObject(message)) return this.#noteClient(message);
    if (Array.isArray(message)) message.filter(isObject).forEach((one) => this.#noteClient(one));
    return true;
  }

  #noteClient(message) {
    const { method, id, params } = message;
    const key = keyOf(id);
    if (typeof method !== 'string') return this.#asked.delete(key) || id === undefined;
    if (id !== undefined) {
      if (!this.#open.has(key)) this.#open.set(key, message);
      if (method === 'subscriptions/listen' && !this.#listening.has(key)) this.#listening.set(key, message);
    } else if (method === 'notifications/initialized') {
      this.#isInitialized = true;
    } else if (method === 'notifications/cancelled') {
      this.#open.delete(keyOf(params?.requestId));
      this.#listening.delete(keyOf(params?.requestId));
    }
    return true;
  }

  /** Notes a server's message; false if the client should not see it. */
  serverSays(line) {
    const message = read(line);
    if (Array.isArray(message)) message.filter(isObject).forEach((one) => this.#noteAnswer(one));
    if (!isObject(message)) return true;
    if (message.method === undefined) return this.#noteAnswer(message);
    if (message.id !== undefined) {
      this.#asked.add(keyOf(message.id));
    } else if (message.method === 'notifications/subscriptions/acknowledged') {
      return !this.#acknowledged.delete(keyOf(metaOf(message)[`${PREFIX}subscriptionId`]));
    }
    return true;
  }

  #noteAnswer({ id, result }) {
    if (typeof id === 'string' && id.startsWith(OURS)) {
      if (id === this.#greeting) this.#greeting = null;
      return false;
    }
    const key = keyOf(id);
    const request = this.#open.get(key);
    this.#open.delete(key);
    this.#listening.delete(key);
    if (request !== undefined && isObject(result)) this.#remember(request, result);
    return true;
  }

  #remember(request, result) {
    const { method, params } = request;
    if (method === 'initialize') {
      this.#hello = request;
      this.#capabilities = result.capabilities ?? {};
    } else if (`${PREFIX}protocolVersion` in metaOf(request)) {
      // Since 2026-07-28 every request says for itself what it needs.
    } else if (method === 'logging/setLevel') {
      this.#level = request;
    } else if (method === 'resources/subscribe') {
      this.#watched.set(params?.uri, request);
    } else if (method === 'resources/unsubscribe') {
      this.#watched.delete(params?.uri);
    }
  }

  /** The server is gone: gives the error answers for what it has left open. */
  abandon(reason) {
    const left = [...this.#open].filter(([key]) => !this.#listening.has(key));
    this.#open = new Map(this.#listening);
    this.#asked.clear();
    this.#greeting = null;
    return left.map(([, { id }]) => error(id, reason));
  }

  /** Answers a message while there is no server; notifications need none. */
  refuse(line, reason) {
    const requests = [read(line)].flat().filter((one) => isObject(one) && one.method !== undefined && one.id !== undefined);
    return requests.map(({ id }) => error(id, reason));
  }

  /** What a new server has to hear before anything else. */
  replay() {
    const messages = [];
    if (this.#hello !== null) {
      const hello = this.#ours(this.#hello);
      this.#greeting = hello.id;
      messages.push(hello);
      if (this.#isInitialized) messages.push({ jsonrpc: '2.0', method: 'notifications/initialized' });
      if (this.#level !== null) messages.push(this.#ours(this.#level));
      for (const request of this.#watched.values()) messages.push(this.#ours(request));
    }
    for (const [key, request] of this.#listening) {
      this.#acknowledged.add(key);
      messages.push(request);
    }
    return messages.map(write);
  }

  /** What the client is told after a new server has taken over: every list may be another. */
  announce() {
    const messages = [];
    for (const noun of LISTS) {
      const method = `notifications/${noun}/list_changed`;
      if (this.#isInitialized && this.#capabilities[noun]?.listChanged) messages.push({ jsonrpc: '2.0', method });
      for (const { id, params } of this.#listening.values()) {
        if (params?.notifications?.[`${noun}ListChanged`] === true) {
          messages.push({ jsonrpc: '2.0', method, params: { _meta: { [`${PREFIX}subscriptionId`]: id } } });
        }
      }
    }
    return messages.map(write);
  }

  #ours(request) {
    this.#numbers += 1;
    return { ...request, id: `${OURS}${this.#numbers}` };
  }
}

function read(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function write(message) {
  return `${JSON.stringify(message)}\n`;
}

function error(id, reason) {
  return write({ jsonrpc: '2.0', id, error: { code: -32603, message: `Internal error: ${reason}` } });
}

function keyOf(id) {
  return JSON.stringify(id);
}

function metaOf({ params }) {
  return isObject(params?._meta) ? params._meta : {};
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

module.exports = { Conversation };
