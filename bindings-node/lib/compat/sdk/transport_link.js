'use strict';

const { Channel } = require('../channel.js');
const { GRACE, Link } = require('./link.js');

/** A link over a transport that carries messages as objects: with methods `onMessage` and `onError`, or with
 * members `onmessage`, `onerror` and `onclose`. */
class TransportLink extends Link {
  #transport;
  #channel;
  #closing = null;
  #isSending = false;
  #sending = null;
  /** What the transport said of requests that are not answered yet, by their ids. */
  #arrivals = new Map();

  constructor(host, transport) {
    super(host);
    if (typeof transport?.start !== 'function' || typeof transport.send !== 'function') {
      throw new TypeError('a transport needs methods start() and send(message)');
    }
    this.#transport = transport;
    this.#channel = new Channel(this.core.session(), () => this.#deliver());
  }

  get sessionId() {
    return this.#transport.sessionId;
  }

  async start() {
    const { report } = this.host;
    listen(this.#transport, 'onMessage', 'onmessage', (message, arrival) => this.#receive(message, arrival));
    listen(this.#transport, 'onError', 'onerror', report);
    listen(this.#transport, 'onClose', 'onclose', () => this.finish());
    await this.#transport.start();
  }

  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close() {
    if (this.isOver) return;
    try {
      await this.#channel.end(GRACE);
      await this.#sending;
      await (this.#transport.close ?? this.#transport.stop)?.call(this.#transport);
    } finally {
      this.finish();
    }
  }

  finish() {
    this.#channel.close();
    super.finish();
  }

  notify(method, params) {
    this.#channel.notify(method, params);
  }

  arrivalOf(id) {
    return this.#arrivals.get(id);
  }

  #receive(message, arrival) {
    if (this.isOver || this.#closing !== null) return;
    if (arrival !== undefined && message?.id !== undefined) this.#arrivals.set(message.id, arrival);
    try {
      this.#channel.receive(message);
    } catch (error) {
      this.host.report(error);
    }
  }

  /** Sends what there is, each message when the one before it is sent. */
  #deliver() {
    if (this.#isSending) return;
    this.#isSending = true;
    this.#sending = this.#sendAll();
  }

  async #sendAll() {
    for (let message; (message = this.#channel.next()) !== null; ) {
      if (message.method === undefined) this.#arrivals.delete(message.id);
      try {
        await this.#transport.send(message);
      } catch (error) {
        this.host.report(error);
      }
    }
    this.#isSending = false;
  }
}

/** Listens by the method if the transport has it, else by the member, after whoever is there already. */
function listen(transport, method, member, listener) {
  if (typeof transport[method] === 'function') {
    transport[method](listener);
    return;
  }
  const former = transport[member];
  transport[member] = (...told) => {
    former?.apply(transport, told);
    listener(...told);
  };
}

module.exports = { TransportLink };
