'use strict';

// Clients that come by a transport of the program's own, which carries messages as objects.

/** What runs programs for their author, and serves them itself. */
const RUNNER = Symbol.for('mcplite.cli');

/** Serves a client that comes by a transport. */
async function connect(server, transport, options) {
  if (globalThis[RUNNER]?.connect !== undefined) return globalThis[RUNNER].connect(server);
  if (typeof transport?.send !== 'function') {
    throw new TypeError('a transport is an object with start, send, close, and onMessage or onmessage');
  }
  const connection = new Connection(server, transport, options);
  await connection.open();
  return connection;
}

class Connection {
  #server;
  #transport;
  #session;
  #isSending = false;
  #closing = null;
  #finish = null;
  #forget = null;

  constructor(server, transport, options) {
    this.#server = server;
    this.#transport = transport;
    this.#session = server.session(options);
  }

  async open() {
    const transport = this.#transport;
    const receive = (message) => this.#receive(message);
    if (typeof transport.onMessage === 'function') transport.onMessage(receive);
    else transport.onmessage = chained(transport.onmessage, receive);
    if (typeof transport.onError === 'function') transport.onError((error) => this.#report(error));
    transport.onclose = chained(transport.onclose, () => this.#drop());
    this.#session.onOutput = () => this.#send();
    this.#forget = this.#server.serving(() => this.close());
    try {
      await transport.start?.();
    } catch (error) {
      this.#drop();
      throw error;
    }
  }

  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close() {
    if (!this.#session.isClosed) {
      const finished = new Promise((resolve) => {
        this.#finish = resolve;
      });
      this.#session.end();
      this.#send();
      await finished;
    }
    this.#drop();
    const end = this.#transport.close ?? this.#transport.stop;
    await end?.call(this.#transport);
  }

  #receive(message) {
    if (this.#session.isClosed) return;
    let text;
    try {
      text = JSON.stringify(message) ?? 'null';
    } catch (error) {
      this.#report(error);
      return;
    }
    const output = this.#session.handle(text);
    if (output !== null) {
      this.#queue.push(...output.toString().split('\n'));
      this.#send();
    }
  }

  /** Messages that are ready, and wait for the one before them to be sent. */
  #queue = [];

  #send() {
    if (this.#isSending) return;
    for (;;) {
      const next = this.#queue.shift() ?? this.#session.poll();
      if (next === null) break;
      let sent;
      try {
        sent = this.#transport.send(JSON.parse(next));
      } catch (error) {
        this.#report(error);
        continue;
      }
      if (typeof sent?.then === 'function') {
        this.#isSending = true;
        const goOn = () => {
          this.#isSending = false;
          this.#send();
        };
        sent.then(goOn, (error) => {
          this.#report(error);
          goOn();
        });
        return;
      }
    }
    if (this.#session.isFinished || this.#session.isClosed) this.#finish?.();
  }

  /** The client is gone. */
  #drop() {
    this.#session.close();
    this.#forget();
    this.#finish?.();
  }

  #report(error) {
    this.#server.report(error, { method: 'transport', name: this.#transport.constructor?.name ?? '' });
  }
}

/** Both functions, the first of which may be none. */
function chained(first, second) {
  if (typeof first !== 'function') return second;
  return (...given) => {
    first(...given);
    second(...given);
  };
}

module.exports = { connect };
