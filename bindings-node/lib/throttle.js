'use strict';

// Holding a client back that asks faster than handlers answer.

/** How long input waits for calls to end. */
const PATIENCE_MS = 10;

/** The same where the next call would be refused. */
const LAST_PATIENCE_MS = 1000;

/**
 * Decides whether a session with so many open calls is fed more.
 *
 * The engine refuses calls beyond its limit, which is right for calls that hang, but not for a client that merely writes
 * ahead. So input waits a moment when many calls are open. It never waits for long: behind the calls there may be a
 * ping, a cancellation, or the answer that a call waits for.
 */
class Throttle {
  /** How many more lines are taken each time that waiting was in vain. */
  #step;
  /** As many calls as the engine allows. */
  #limit;
  #retry;
  #timer = null;
  #admitted = 0;
  /** The calls hang: the engine is to refuse the next ones, which keeps the client going. */
  #hasGivenUp = false;

  constructor(step, limit, retry) {
    this.#step = step;
    this.#limit = limit;
    this.#retry = retry;
  }

  /** Whether one line more is taken while so many calls are open. If not, it is asked to try again later. */
  admits(open) {
    const isFull = open >= this.#limit;
    if (isFull ? this.#hasGivenUp : this.#admitted > 0) {
      this.#admitted -= 1;
      return true;
    }
    this.#timer ??= setTimeout(() => this.#wake(isFull), isFull ? LAST_PATIENCE_MS : PATIENCE_MS);
    return false;
  }

  /** There is no need to wait for anything. */
  relax() {
    this.#admitted = 0;
    this.#hasGivenUp = false;
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
  }

  #wake(isFull) {
    this.#timer = null;
    this.#admitted = this.#step;
    this.#hasGivenUp = isFull;
    this.#retry();
  }
}

module.exports = { Throttle };
