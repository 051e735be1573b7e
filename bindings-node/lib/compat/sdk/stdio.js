'use strict';

const { GRACE, LINK, Link } = require('./link.js');

/** Serves the client at standard input and output, or at two streams of one's own. */
class StdioServerTransport {
  #input;
  #output;
  #link = null;
  /** Is called when the connection has ended. */
  onclose = undefined;
  /** Is told of what goes wrong with the streams. */
  onerror = undefined;

  constructor(input = process.stdin, output = process.stdout) {
    this.#input = input;
    this.#output = output;
  }

  async close() {
    await this.#link?.close();
  }

  [LINK](host) {
    if (this.#link !== null && !this.#link.isOver) throw new Error('this transport is connected already; close it first');
    const isStandard = this.#input === process.stdin && this.#output === process.stdout;
    this.#link = isStandard ? new StdioLink(host, this) : new StreamLink(host, this, this.#input, this.#output);
    return this.#link;
  }
}

/** The process's own input and output, which the engine's loop keeps from everybody else. */
class StdioLink extends Link {
  #transport;
  #session = null;
  #serving = null;

  constructor(host, transport) {
    super(host);
    this.#transport = transport;
    // The loop opens its session by this method, and notifications of the program leave by the same one.
    const open = this.core.session;
    this.core.session = (options) => {
      this.#session = open.call(this.core, options);
      return this.#session;
    };
  }

  async start() {
    const serving = this.core.stdio();
    // What cannot be served at all is known by then.
    await Promise.race([serving, new Promise(setImmediate)]);
    this.#serving = serving.catch(this.host.report).finally(() => this.finish());
  }

  async close() {
    const timer = setTimeout(() => this.core.close(), GRACE);
    await this.core.shutdown();
    await this.#serving;
    clearTimeout(timer);
  }

  notify(method, params) {
    this.#session?.notify(method, params);
  }

  finish() {
    if (this.isOver) return;
    super.finish();
    this.#transport.onclose?.();
  }
}

/** Two streams, whose messages end with newlines. */
class StreamLink extends Link {
  #transport;
  #input;
  #output;
  #session;
  #isEnding = false;
  #isFull = false;
  #closing = null;
  #whenOver = () => {};

  constructor(host, transport, input, output) {
    super(host);
    this.#transport = transport;
    this.#input = input;
    this.#output = output;
    this.#session = this.core.session();
  }

  async start() {
    this.#session.onOutput = () => this.#flush();
    this.#input.on('data', this.#take);
    this.#input.on('error', this.#fail);
    this.#input.on('end', this.#end);
    this.#output.on('error', this.#fail);
  }

  /** Requests in progress finish first. */
  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close() {
    if (this.isOver) return;
    const over = new Promise((resolve) => { this.#whenOver = resolve; });
    const timer = setTimeout(() => this.finish(), GRACE);
    this.#end();
    await over;
    clearTimeout(timer);
  }

  finish() {
    if (this.isOver) return;
    this.#input.off('data', this.#take);
    this.#input.off('end', this.#end);
    this.#input.pause();
    this.#session.onOutput = null;
    this.#session.close();
    super.finish();
    this.#transport.onclose?.();
    this.#whenOver();
  }

  notify(method, params) {
    this.#session.notify(method, params);
    this.#flush();
  }

  #take = (bytes) => {
    this.#write(this.#session.receive(bytes));
    this.#flush();
  };

  #end = () => {
    if (this.#isEnding || this.isOver) return;
    this.#isEnding = true;
    this.#session.end();
    this.#flush();
  };

  #fail = (error) => {
    this.#transport.onerror?.(error);
    this.host.report(error);
    this.finish();
  };

  #flush() {
    if (this.isOver || this.#isFull) return;
    this.#write(this.#session.drain());
    if (this.#session.isFinished) this.finish();
  }

  /** Writes, and takes no more from the engine while the reader is behind. */
  #write(bytes) {
    if (bytes.length === 0 || this.#output.write(bytes) || this.#isFull) return;
    this.#isFull = true;
    this.#output.once('drain', () => {
      this.#isFull = false;
      this.#flush();
    });
  }
}

module.exports = { StdioServerTransport };
