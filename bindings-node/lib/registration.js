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
    this.#add(this.#items, replace);
  }

  get name() {
    return this.#items[0].name;
  }

  get enabled() {
    return this.#isOffered(this.#items[0]);
  }

  disable() {
    this.#withdraw(this.#items);
  }

  enable() {
    if (!this.enabled) this.#add(this.#items, false);
  }

  update(config) {
    const changed = { ...this.#config, ...config };
    const items = this.#make(changed);
    const before = this.#items.filter((item) => this.#isOffered(item));
    if (this.enabled) {
      this.#exchange(before, items);
      // What it had before and has no more, such as a completion.
      this.#withdraw(without(before, items));
    }
    this.#config = changed;
    this.#items = items;
  }

  remove() {
    this.disable();
  }

  /** Whether this is what is offered under its name, and nothing that took its place. */
  #isOffered(item) {
    return this.#registry.get(item.kind, item.name) === item;
  }

  #withdraw(items) {
    items.filter((item) => this.#isOffered(item)).forEach((item) => this.#registry.remove(item.kind, item.name));
  }

  #add(items, replace) {
    const added = [];
    try {
      for (const item of items) {
        this.#registry.add(item, { replace });
        added.push(item);
      }
    } catch (error) {
      if (!replace) this.#withdraw(added);
      throw error;
    }
  }

  /** Puts items in the place of others, or leaves everything as it was. */
  #exchange(before, items) {
    try {
      this.#add(items, true);
    } catch (error) {
      this.#withdraw(without(items, before));
      this.#add(before, true);
      throw error;
    }
  }
}

/** Items that none of the others takes the place of. */
function without(items, others) {
  return items.filter((item) => !others.some((other) => other.kind === item.kind && other.name === item.name));
}

module.exports = { Registration };
