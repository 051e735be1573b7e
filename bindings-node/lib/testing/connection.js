'use strict';

// A client's connection: requests that are waited for, and questions that are answered.

const { ErrorCode, McpError, MisuseError } = require('../../index.cjs');
const { Answers } = require('./answers.js');
const { Wire } = require('./wire.js');

const REPORTING = ['tools/call', 'prompts/get', 'resources/read'];
const MAX_ROUNDS = 64;

class Connection {
  #session;
  #answers;
  #timeout;
  #isClosed = false;
  #waiting = new Set();

  constructor(server, options) {
    this.#answers = new Answers(options);
    this.wire = new Wire(options.revision ?? options.era ?? 'modern', {
      capabilities: this.#answers.capabilities,
      logLevel: 'debug',
      ...options,
    });
    this.#timeout = options.timeout === undefined ? 10_000 : options.timeout;
    this.#session = server.session({ state: options.state, principal: options.principal });
    this.#session.onOutput = () => this.hear();
  }

  /** Answers what the server asks on the way; in the modern era by asking again with the answers. */
  async request(method, params = {}, { signal, meta } = {}) {
    const given = meta === undefined ? params : { ...params, _meta: { ...params._meta, ...meta } };
    let attempt = given;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const result = await this.#attempt(method, attempt, signal);
      if (!this.wire.isModern || result.resultType !== 'input_required') return result;
      const inputResponses = {};
      for (const [key, asked] of Object.entries(result.inputRequests ?? {})) {
        inputResponses[key] = await this.#answers.to(asked.method, asked.params ?? {});
      }
      attempt = { ...given, inputResponses };
      if (result.requestState !== undefined) attempt.requestState = result.requestState;
    }
    throw new McpError(ErrorCode.InternalError, `${method} asked the client ${MAX_ROUNDS} times`);
  }

  async #attempt(method, params, signal) {
    signal?.throwIfAborted();
    const message = this.wire.compose(method, params, REPORTING.includes(method));
    this.send(message);
    try {
      await this.until(() => !this.wire.isOpen(message.id), described(method, params), signal);
    } catch (error) {
      if (!this.#session.isClosed) this.send(this.wire.cancellation(message.id));
      throw error;
    }
    return this.result(message.id);
  }

  /** The result of a request that was answered; what went wrong meanwhile is thrown. */
  result(id) {
    const { failure, responses } = this.wire;
    if (failure !== null) {
      this.wire.failure = null;
      throw failure.error;
    }
    const { error, result } = responses.get(id);
    responses.delete(id);
    if (error !== undefined) throw new McpError(error.code, error.message, error.data);
    return result;
  }

  send(message) {
    if (this.#isClosed) throw new MisuseError('the client is closed; make a new one', 'ERR_MCPLITE_CLOSED');
    this.#take(this.#session.handle(JSON.stringify(message)));
  }

  /** Takes what the server has said by now. */
  hear() {
    if (!this.#isClosed) this.#take(this.#session.drain());
  }

  /** Waits until something has come to pass. */
  until(isReady, what, signal) {
    return new Promise((resolve, reject) => {
      const end = (settle, value) => {
        this.#waiting.delete(look);
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        settle(value);
      };
      const look = () => {
        if (isReady()) end(resolve);
        else if (this.#session.isClosed) end(reject, interrupted(what));
      };
      const abort = () => end(reject, signal.reason);
      const timer = this.#timeout === null ? undefined : setTimeout(() => end(reject, late(what, this.#timeout)), this.#timeout);
      signal?.addEventListener('abort', abort);
      this.#waiting.add(look);
      look();
    });
  }

  close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#session.onOutput = null;
    this.#session.close();
    this.#look();
  }

  #take(output) {
    this.wire.take(output);
    while (this.wire.questions.length > 0) this.#reply(this.wire.questions.shift());
    this.#look();
  }

  async #reply({ id, method, params }) {
    let answer;
    try {
      answer = { result: await this.#answers.to(method, params ?? {}) };
    } catch (error) {
      const isAnswer = error instanceof McpError;
      if (!isAnswer) this.wire.failure ??= { error };
      const { code, message, data } = isAnswer ? error : { code: ErrorCode.InternalError, message: 'the test client failed' };
      answer = { error: { code, message, data } };
    }
    if (!this.#isClosed && !this.#session.isClosed) this.send({ jsonrpc: '2.0', id, ...answer });
  }

  /** Lets those look who wait for something. */
  #look() {
    for (const look of [...this.#waiting]) look();
  }
}

function described(method, params) {
  const name = params.name ?? params.uri;
  return name === undefined ? method : `${method} of '${name}'`;
}

function interrupted(what) {
  return new MisuseError(`the session was closed before ${what} was answered`, 'ERR_MCPLITE_CLOSED');
}

function late(what, timeout) {
  const error = new Error(`${what} was not answered within ${timeout} ms`);
  error.name = 'TimeoutError';
  return error;
}

module.exports = { Connection };
