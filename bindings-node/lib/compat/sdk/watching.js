'use strict';

const { splitSubscription } = require('./subscriptions.js');

const MAX_SUBSCRIPTIONS = 1024;

/** Requests to watch resources: the handlers of the program are asked first, then the engine does what there is to do. */
class Watching {
  #link;
  #host;

  constructor(link, host) {
    this.#link = link;
    this.#host = host;
  }

  async subscribe(params, context, next) {
    let answer = {};
    const gather = async (news) => {
      const { iterable, rest } = await this.#ask(params, context);
      answer = rest;
      if (iterable !== null) news.push([params.uri, iterable]);
    };
    const result = await this.#watch(gather, () => this.#link.sessionOf(context), next);
    return { ...result, ...answer };
  }

  /** 2026-07-28 has one request for everything that is watched; handlers are asked for each resource in it. */
  async listen(params, context, next) {
    const asked = params?.notifications?.resourceSubscriptions;
    const uris = new Set(Array.isArray(asked) ? asked : []);
    const { subscriptions = MAX_SUBSCRIPTIONS } = this.#host.settings().limits ?? {};
    // The engine refuses them, before handlers are asked for nothing.
    if (uris.size > subscriptions) return next();
    const gather = async (news) => {
      for (const uri of uris) {
        const { iterable } = await this.#ask({ uri, _meta: params._meta }, context);
        if (iterable !== null) news.push([uri, iterable]);
      }
    };
    return this.#watch(gather, () => this.#link.streamOf(context), next);
  }

  async #ask(params, context) {
    return splitSubscription(await this.#host.handle(this.#link, 'resources/subscribe', params, context));
  }

  /** Consumes what is gathered as soon as the engine has let its owner watch. */
  async #watch(gather, owned, next) {
    const { subscriptions } = this.#link;
    const news = [];
    let owner;
    let result;
    try {
      await gather(news);
      owner = news.length > 0 ? owned() : null;
      result = await next();
    } catch (error) {
      for (const [, iterable] of news) subscriptions.discard(iterable);
      throw error;
    }
    for (const [uri, iterable] of news) {
      if (owner.isOver) subscriptions.discard(iterable);
      else subscriptions.begin(owner, uri, iterable);
    }
    return result;
  }
}

module.exports = { Watching };
