'use strict';

/** A session whose messages are objects: what transports carry, and what the engine reads and writes. */
class Channel {
  #session;
  #ready;
  /** The text of messages that the session has given and nobody has taken. */
  #waiting = [];
  #whenFinished = null;

  /** `ready` is called when there may be messages to take. */
  constructor(session, ready) {
    this.#session = session;
    this.#ready = ready;
    session.onOutput = () => this.#ready();
  }

  /** Takes one message of the client: an object, or its text. Throws if the object has no text. */
  receive(message) {
    const output = this.#session.handle(textOf(message));
    if (output !== null) this.#waiting.push(...output.toString().split('\n'));
    this.#ready();
  }

  /** The next message for the client, or null. */
  next() {
    const text = this.#waiting.shift() ?? (this.#session.isClosed ? null : this.#session.poll());
    if (text !== null) return JSON.parse(text);
    if (this.#session.isFinished || this.#session.isClosed) this.#whenFinished?.();
    return null;
  }

  notify(method, params) {
    this.#session.notify(method, params);
    this.#ready();
  }

  /** Takes no more messages; resolves when everything is answered and taken, or after `grace` milliseconds. */
  async end(grace) {
    const finished = new Promise((resolve) => { this.#whenFinished = resolve; });
    const timer = setTimeout(this.#whenFinished, grace);
    this.#session.end();
    this.#ready();
    await finished;
    clearTimeout(timer);
  }

  /** Ends everything at once; what is in progress is cancelled. */
  close() {
    this.#session.onOutput = null;
    this.#session.close();
    this.#whenFinished?.();
  }
}

function textOf(message) {
  if (typeof message === 'string' || message instanceof Uint8Array) return message;
  // What has no text, such as undefined, is no message either, and the engine says so.
  return JSON.stringify(message) ?? 'null';
}

module.exports = { Channel };
