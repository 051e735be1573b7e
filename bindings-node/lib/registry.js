'use strict';

// What a server has registered, and the servers that it is mounted in.

const { MisuseError, refusing } = require('./errors.js');

const MOUNTABLE = ['tool', 'resource', 'template', 'prompt', 'completion'];

class Registry {
  #server;
  #pump;
  #items = { tool: new Map(), resource: new Map(), template: new Map(), prompt: new Map(), completion: new Map(), method: new Map() };
  /** Where this server is mounted: registries and prefixes. */
  #mountedAt = [];
  layers = [];

  constructor(server, pump) {
    this.#server = server;
    this.#pump = pump;
  }

  /** The definitions of a kind. */
  list(kind) {
    return [...this.#items[kind].values()].map((item) => item.definition);
  }

  get(kind, name) {
    return this.#items[kind].get(name);
  }

  /** Registers an item here and wherever this server is mounted, or nowhere. */
  add(item, { replace = false } = {}) {
    if (!replace) this.#checkFree(item);
    const before = this.#items[item.kind].get(item.name);
    this.#handOver(item, replace);
    this.#items[item.kind].set(item.name, item);
    try {
      for (const { registry, prefix } of this.#parentsOf(item)) {
        const mounted = item.mounted(prefix, this.#server);
        if (!registry.#offers(mounted)) registry.add(mounted, { replace });
      }
    } catch (error) {
      this.#putBack(item, before);
      throw error;
    }
    this.#pump.runSoon();
  }

  remove(kind, name) {
    const item = this.#items[kind].get(name);
    if (item === undefined) {
      const known = [...this.#items[kind].keys()].join(', ') || 'none';
      throw new MisuseError(`there is no ${kind} ${JSON.stringify(name)}; there are: ${known}`, 'ERR_MCPLITE_NOT_FOUND');
    }
    this.#items[kind].delete(name);
    refusing(() => item.unregister(this.#pump.engine));
    for (const { registry, prefix } of this.#parentsOf(item)) {
      const mounted = item.mounted(prefix, this.#server).name;
      // The other server may have removed it itself.
      if (registry.#items[kind].has(mounted)) registry.remove(kind, mounted);
    }
    this.#pump.runSoon();
  }

  mount(prefix, other) {
    if (other === this || this.#hasAncestor(other)) throw new MisuseError('a server cannot be mounted in itself');
    const items = MOUNTABLE.flatMap((kind) => [...other.#items[kind].values()]).map((item) => item.mounted(prefix, other.#server));
    const missing = items.filter((item) => !this.#offers(item));
    for (const item of missing) this.#checkFree(item);
    const added = [];
    try {
      for (const item of missing) {
        this.add(item);
        added.push(item);
      }
    } catch (error) {
      for (const item of added) this.remove(item.kind, item.name);
      throw error;
    }
    other.#mountedAt.push({ registry: this, prefix });
  }

  /** Adds middleware, and hands over anew whatever it stands around. */
  surround(layer) {
    this.layers.push(layer);
    this.#refresh(null);
    const { EngineEntry } = require('./middleware.js');
    const number = this.#pump.addHandler(new EngineEntry(this.#pump, this.#server));
    refusing(() => this.#pump.engine.registerAround(number));
    this.#pump.runSoon();
  }

  #hasAncestor(other) {
    return this.#mountedAt.some(({ registry }) => registry === other || registry.#hasAncestor(other));
  }

  #parentsOf(item) {
    return item.kind === 'method' ? [] : this.#mountedAt;
  }

  /** Whether this very item is offered, because its server is mounted twice. */
  #offers(item) {
    return item.isSame(this.#items[item.kind].get(item.name));
  }

  /** Refuses an item whose name is taken, here or where this server is mounted. */
  #checkFree(item) {
    if (this.#items[item.kind].has(item.name)) {
      const text = `there is a ${item.kind} ${JSON.stringify(item.name)} already at ${this.#server.name}; ${hint(item)}`;
      throw new MisuseError(text, 'ERR_MCPLITE_EXISTS');
    }
    for (const { registry, prefix } of this.#parentsOf(item)) registry.#checkFree(item.mounted(prefix, this.#server));
  }

  #putBack(item, before) {
    if (before === undefined) {
      item.unregister(this.#pump.engine);
      this.#items[item.kind].delete(item.name);
    } else {
      this.#handOver(before, true);
      this.#items[item.kind].set(item.name, before);
    }
  }

  /** Hands over anew what comes from a server, or everything. */
  #refresh(source) {
    for (const items of Object.values(this.#items)) {
      for (const item of items.values()) {
        if (source === null || item.source?.server === source) this.#handOver(item, true);
      }
    }
    for (const { registry } of this.#mountedAt) registry.#refresh(this.#server);
  }

  #handOver(item, replace) {
    refusing(() => item.register(this.#server, this.#pump, replace));
  }
}

function hint(item) {
  if (item.source === null) return 'replace: true takes its place';
  if (item.keepsName) return 'URIs stay the same where a server is mounted, so that one must be changed';
  return `mount ${item.source.server.name} under another prefix`;
}

module.exports = { Registry };
