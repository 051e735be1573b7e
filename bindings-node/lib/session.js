'use strict';

// A connection fed by hand: bytes in, bytes out.

const { isUint8Array } = require('node:util/types');
const native = require('./native.js');
const { refusing } = require('./errors.js');

const EMPTY = Buffer.alloc(0);

/** Sessions that nobody holds are closed, so that their handlers hear of it, and need not be known any more. */
const forgotten = new FinalizationRegistry(({ pump, session, token }) => {
  session.close();
  pump.deref()?.forgetConnection(token);
});

class Session {
  #pump;
  #native;
  #number;
  #token;
  #onOutput = null;
  #isFeeding = false;
  #isHeld = false;
  #hasEnded = false;

  constructor(pump, { state, principal } = {}) {
    this.#pump = pump;
    this.#native = refusing(() => pump.engine.session());
    this.#number = this.#native.number;
    this.#token = this.#native.token;
    if (principal !== undefined && principal !== null) this.#native.setPrincipal(String(principal));
    if (state !== undefined) pump.states.set(this.#token, state);
    // Not to be the one that holds the server, and with it sessions that somebody listens to.
    forgotten.register(this, { pump: pump.reference, session: this.#native, token: this.#token }, this);
  }

  handle(message) {
    this.#feed(() => native.handle(this.#number, bytesOf(message)));
    const output = native.drain(this.#number);
    return output === null ? null : output.subarray(0, output.length - 1);
  }

  receive(bytes) {
    const input = bytesOf(bytes);
    const taken = [];
    let used = 0;
    while (used < input.length) {
      const before = used;
      this.#feed(() => {
        used = native.receive(this.#number, input, used);
      });
      const output = native.drain(this.#number);
      if (output !== null) taken.push(output);
      // Too many handlers are at work: whoever feeds by hand cannot be held back.
      else if (used === before) used = this.#force(input, used);
    }
    const rest = native.drain(this.#number);
    if (rest !== null) taken.push(rest);
    return taken.length === 1 ? taken[0] : taken.length === 0 ? EMPTY : Buffer.concat(taken);
  }

  /** Takes one line more than the engine would by itself, or what there is of one. */
  #force(input, from) {
    const end = input.indexOf(10, from);
    const upTo = end < 0 ? input.length : end + 1;
    this.#feed(() => this.#native.receiveAll(input.subarray(from, upTo)));
    return upTo;
  }

  /** @internal Has `offer` take less, for whoever can let a client wait; gives what a throttle has to know. */
  holdBack() {
    const [step, limit] = this.#native.holdBack();
    return { step, limit };
  }

  /** @internal Takes one line of bytes of a stream, whatever waits; gives what is left. */
  force(bytes) {
    return bytes.subarray(this.#force(bytes, 0));
  }

  /** @internal Takes what can be taken now of bytes of a stream; gives what is left. */
  offer(bytes) {
    let used = 0;
    this.#feed(() => {
      used = native.receive(this.#number, bytes, 0);
    }, true);
    return used === 0 ? bytes : bytes.subarray(used);
  }

  /** @internal Has somebody told when handlers that were just begun have ended, or turn out to wait. */
  lookAgain(visitor) {
    return this.#pump.lookAgain(visitor);
  }

  end() {
    this.#hasEnded = true;
    this.#feed(() => this.#native.end());
    this.#tell();
  }

  /** @internal */
  get hasEnded() {
    return this.#hasEnded;
  }

  poll() {
    return this.#native.poll();
  }

  drain() {
    return native.drain(this.#number) ?? EMPTY;
  }

  get onOutput() {
    return this.#onOutput;
  }

  set onOutput(listener) {
    this.#onOutput = listener;
    this.#hold();
    if (listener === null) return;
    this.#pump.runSoon();
    // There may be some already.
    process.nextTick(() => {
      if (this.#onOutput === listener) this.#tell();
    });
  }

  async *[Symbol.asyncIterator]() {
    const before = this.#onOutput;
    let ring = () => {};
    this.onOutput = () => ring();
    try {
      for (;;) {
        const rung = new Promise((resolve) => {
          ring = resolve;
        });
        for (let message = this.poll(); message !== null; message = this.poll()) yield message;
        if (this.isFinished || this.isClosed) return;
        await rung;
      }
    } finally {
      this.onOutput = before;
    }
  }

  notify(method, params) {
    refusing(() => this.#native.notify(method, params === undefined ? '' : JSON.stringify(params)));
    this.#pump.runSoon();
  }

  close() {
    this.#native.close();
    forgotten.unregister(this);
    this.#pump.run();
    this.#tell();
    this.#pump.removeConnection(this.#token);
  }

  get isFinished() {
    return this.#native.isFinished;
  }

  get isClosed() {
    return this.#native.isClosed;
  }

  get openCalls() {
    return this.#native.openCalls;
  }

  /** @internal There is output, or the end of it. */
  onReady() {
    if (!this.#isFeeding) this.#tell();
  }

  #tell() {
    this.#onOutput?.();
    if (this.#isHeld && (this.isClosed || this.isFinished)) this.#hold();
  }

  /** Whoever waits for output holds the session: nothing else might. */
  #hold() {
    const isHeld = this.#onOutput !== null && !this.isClosed && !this.isFinished;
    if (isHeld === this.#isHeld) return;
    this.#isHeld = isHeld;
    const held = new WeakRef(this);
    this.#pump.addConnection(this.#token, isHeld ? this : { onReady: () => held.deref()?.onReady() });
  }

  #feed(work, isMoreToCome = false) {
    const wasFeeding = this.#isFeeding;
    this.#isFeeding = true;
    try {
      refusing(work);
      this.#pump.run(isMoreToCome);
    } finally {
      this.#isFeeding = wasFeeding;
    }
  }
}

function bytesOf(data) {
  if (typeof data === 'string') return Buffer.from(data);
  if (isUint8Array(data)) return data;
  throw new TypeError('a message is a string or bytes');
}

module.exports = { Session };
