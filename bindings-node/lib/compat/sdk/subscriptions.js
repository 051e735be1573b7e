'use strict';

/** The iterables that handlers gave to clients which watch resources, each consumed until nobody does any more. */
class Subscriptions {
  /** Of each owner, which is a session or a stream of changes, the flows by URI. */
  #owners = new Map();
  #isClosed = false;
  #tell;
  #report;

  /** `tell` is called with the URI of each change, `report` with what goes wrong in an iterable. */
  constructor(tell, report) {
    this.#tell = tell;
    this.#report = report;
  }

  /** Begins to consume, in the place of what the owner had for this URI. */
  begin(owner, uri, iterable) {
    if (this.#isClosed) {
      this.discard(iterable);
      return;
    }
    this.end(owner, uri);
    const flow = { isOver: false, iterator: iteratorOf(iterable) };
    if (!this.#owners.has(owner)) this.#owners.set(owner, new Map());
    this.#owners.get(owner).set(uri, flow);
    this.#consume(flow, uri).catch(this.#report).finally(() => this.#forget(owner, uri, flow));
  }

  end(owner, uri) {
    const flow = this.#owners.get(owner)?.get(uri);
    if (flow === undefined) return;
    this.#forget(owner, uri, flow);
    stop(flow).catch(this.#report);
  }

  endAll(owner) {
    for (const uri of [...this.#owners.get(owner)?.keys() ?? []]) this.end(owner, uri);
  }

  /** Ends those of the owners that `isMeant`. */
  endWhere(isMeant) {
    for (const owner of [...this.#owners.keys()].filter(isMeant)) this.endAll(owner);
  }

  /** Ends all of them, and whatever would begin after this. */
  close() {
    this.#isClosed = true;
    this.endWhere(() => true);
  }

  /** Lets an iterable go that nobody consumes. */
  discard(iterable) {
    stop({ iterator: iteratorOf(iterable) }).catch(this.#report);
  }

  async #consume(flow, uri) {
    for (;;) {
      const { done, value } = await flow.iterator.next();
      if (done || flow.isOver) return;
      if (typeof value?.uri === 'string' && value.uri !== uri) this.#tell(value.uri);
      this.#tell(uri);
      // So that each item is a message of its own, and an iterable that never waits keeps nobody else waiting.
      await new Promise(setImmediate);
    }
  }

  #forget(owner, uri, flow) {
    const flows = this.#owners.get(owner);
    if (flows?.get(uri) !== flow) return;
    flows.delete(uri);
    if (flows.size === 0) this.#owners.delete(owner);
  }
}

async function stop(flow) {
  flow.isOver = true;
  // A generator that waits for something hears of this when it has got it; nobody here waits for that.
  await flow.iterator.return?.();
}

/** The iterable in what a handler of `resources/subscribe` returned, and the rest of it. */
function splitSubscription(value) {
  if (isIterable(value)) return { iterable: value, rest: {} };
  const { subscription, ...rest } = value ?? {};
  return isIterable(subscription) ? { iterable: subscription, rest } : { iterable: null, rest: value ?? {} };
}

function isIterable(value) {
  return typeof value === 'object' && value !== null
    && (typeof value[Symbol.asyncIterator] === 'function' || typeof value[Symbol.iterator] === 'function');
}

function iteratorOf(iterable) {
  return iterable[Symbol.asyncIterator]?.() ?? iterable[Symbol.iterator]();
}

module.exports = { Subscriptions, splitSubscription };
