'use strict';

/** What a handler gets besides its request. */
class Extra {
  #link;

  constructor(link, context) {
    this.#link = link;
    /** The context of mcplite, with all that it can do. */
    this.context = context;
  }

  get signal() {
    return this.context.signal;
  }

  get requestId() {
    return this.context.requestId;
  }

  get sessionId() {
    return this.context.sessionId ?? this.#link.sessionId;
  }

  get _meta() {
    return this.context.meta;
  }

  get requestInfo() {
    return this.#link.arrivalOf(this.requestId)?.requestInfo ?? { headers: this.context.headers };
  }

  get authInfo() {
    return this.#link.arrivalOf(this.requestId)?.authInfo;
  }

  /** Sends a notification that belongs to this request. */
  async sendNotification({ method, params = {} }) {
    const { context } = this;
    if (method === 'notifications/progress') context.progress(params.progress, params.total, params.message);
    else if (method === 'notifications/message') context.log(params.level, params.data, params.logger);
    else this.#link.notify(method, params);
  }
}

module.exports = { Extra };
