'use strict';

/** A request in progress. Handlers get it as their third argument. */
class Call {
  isCancelled = false;
  #controller = null;
  #reason;

  /** Aborts when the client wants no answer any more. */
  get signal() {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.isCancelled) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  cancel(reason) {
    this.isCancelled = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

module.exports = { Call };
