'use strict';

// Something that is offered, to be changed or taken back.

class Registration {
  #registry;
  #make;
  #config;
  #items;

  constructor(registry, { replace = false, ...config }, make) {
    this.#registry = registry;
    this.#make = make;
    this.#config = config;
    this.#items = make(config);
    this.#add(replace);
  }

  get name() {
    return this.#items[0].name;
  }

  get enabled() {
    return this.#isOffered(this.#items[0]);
  }

  disable() {
    this.#items.filter((item) => this.#isOffered(item)).forEach((item) => this.#registry.remove(item.kind, item.name));
  }

  enable() {
    if (!this.enabled) this.#add(false);
  }

  update(config) {
    const changed = { ...this.#config, ...config };
    const items = this.#make(changed);
    const wasEnabled = this.enabled;
    this.#config = changed;
    const before = this.#items;
    this.#items = items;
    if (!wasEnabled) return;
    // What it had before and has no more, such as a completion.
    const isLeft = (old) => !items.some((item) => item.kind === old.kind && item.name === old.name);
    this.#add(true);
    before.filter(isLeft).forEach((item) => this.#registry.remove(item.kind, item.name));
  }

  remove() {
    this.disable();
  }

  /** Whether this is what is offered under its name, and nothing that took its place. */
  #isOffered(item) {
    return this.#registry.get(item.kind, item.name) === item;
  }

  #add(replace) {
    const added = [];
    try {
      for (const item of this.#items) {
        this.#registry.add(item, { replace });
        added.push(item);
      }
    } catch (error) {
      if (!replace) added.forEach((item) => this.#registry.remove(item.kind, item.name));
      throw error;
    }
  }
}

module.exports = { Registration };
