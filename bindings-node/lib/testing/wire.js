'use strict';

// Messages of one revision, without any waiting.

const { MisuseError, PROTOCOL_VERSIONS } = require('../../index.cjs');

const FIRST_MODERN = '2026-07-28';
const PREFIX = 'io.modelcontextprotocol/';

/** The client's end of the wire, without any waiting: what it says in one revision, and what it has heard. */
class Wire {
  lastId = 0;
  server = {};
  responses = new Map();
  accepted = new Map();
  questions = [];
  notifications = [];
  logs = [];
  progress = [];
  waited = new Map();
  failure = null;
  #open = new Set();
  #listeners;

  constructor(era, { capabilities, clientInfo, logLevel, onLog, onProgress, onNotification }) {
    this.revision = revisionOf(era);
    this.isExact = era === this.revision;
    this.isModern = this.revision >= FIRST_MODERN;
    this.capabilities = capabilities;
    this.clientInfo = clientInfo ?? { name: 'test', version: '1' };
    this.logLevel = logLevel;
    this.#listeners = { onLog, onProgress, onNotification };
  }

  /** Makes a request. One that `reports` asks for progress. */
  compose(method, params, reports = false) {
    this.lastId += 1;
    const id = this.lastId;
    this.#open.add(id);
    const meta = { ...(reports && { progressToken: id }), ...(this.isModern && this.#introduction()), ...params?._meta };
    const whole = { ...params, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
    return { jsonrpc: '2.0', id, method, ...(Object.keys(whole).length > 0 && { params: whole }) };
  }

  #introduction() {
    return {
      [`${PREFIX}protocolVersion`]: this.revision,
      [`${PREFIX}clientInfo`]: this.clientInfo,
      [`${PREFIX}clientCapabilities`]: this.capabilities,
      ...(this.logLevel !== null && { [`${PREFIX}logLevel`]: this.logLevel }),
    };
  }

  /** Makes the notification that nobody waits for a request any more. */
  cancellation(id) {
    this.#open.delete(id);
    return { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } };
  }

  /** Whether an answer to this request is still to come. */
  isOpen(id) {
    return this.#open.has(id);
  }

  /** Takes what the server says, any number of messages. */
  take(output) {
    if (!output?.length) return;
    for (const line of output.toString().split('\n')) if (line) this.#sort(JSON.parse(line));
  }

  #sort(message) {
    if (message.method === undefined) {
      if (this.#open.delete(message.id)) this.responses.set(message.id, message);
    } else if (message.id !== undefined) {
      this.questions.push(message);
    } else {
      this.#note(message.method, message.params ?? {});
    }
  }

  #note(method, params) {
    this.notifications.push({ method, params });
    const { onLog, onProgress, onNotification } = this.#listeners;
    try {
      if (method === 'notifications/message') {
        this.logs.push(params);
        onLog?.(params.level, params.data, params.logger);
      } else if (method === 'notifications/progress') {
        this.progress.push(params);
        onProgress?.(params.progress, params.total, params.message);
      } else if (method === 'notifications/subscriptions/acknowledged') {
        this.accepted.set(params._meta[`${PREFIX}subscriptionId`], params.notifications);
      } else if (method === 'notifications/cancelled') {
        this.questions = this.questions.filter((question) => question.id !== params.requestId);
      }
      onNotification?.(method, params);
    } catch (error) {
      // Whoever waits for an answer is told.
      this.failure ??= { error };
    }
  }
}

function revisionOf(era) {
  const known = [...PROTOCOL_VERSIONS].sort();
  if (era === 'modern') return known.at(-1);
  if (era === 'legacy') return known.filter((revision) => revision < FIRST_MODERN).at(-1);
  if (known.includes(era)) return era;
  throw new MisuseError(`the era is 'modern', 'legacy' or one of ${known.join(', ')}, not '${era}'`);
}

module.exports = { PREFIX, Wire };
