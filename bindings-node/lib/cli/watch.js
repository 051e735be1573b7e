'use strict';

// Noticing that the code of a program has changed.

const fs = require('node:fs');
const path = require('node:path');
const { fileURLToPath, pathToFileURL } = require('node:url');

const INTERVAL = 300;
const SOURCE = /\.[cm]?[jt]sx?$/;

/** Tells the process above, line by line, which files of the project this one has imported. */
class Reporter {
  #descriptor;
  #root;
  #told = new Set();
  #parent = process.ppid;
  #modules = followModules();

  constructor(descriptor, root) {
    this.#descriptor = descriptor;
    this.#root = root;
  }

  /** Reports what is imported now, and from time to time what has been imported since. */
  start(extra = []) {
    this.#report(extra);
    setInterval(() => {
      // Nobody is left to restart or to end this process.
      if (process.ppid !== this.#parent) process.kill(process.pid, 'SIGINT');
      else this.#report();
    }, INTERVAL).unref();
  }

  #report(extra = []) {
    const files = new Set([...importedFiles([...this.#modules(), ...Object.keys(require.cache)], this.#root), ...extra]);
    const fresh = [...files].filter((file) => !this.#told.has(file)).sort();
    for (const file of fresh) this.#told.add(file);
    try {
      if (fresh.length > 0) fs.writeSync(this.#descriptor, fresh.map((file) => `${file}\n`).join(''));
    } catch {
      // The process above is about to end this one, or is gone.
    }
  }
}

/** From now on notes what is imported; gives a function that gives the places noted since it was last called. */
function followModules() {
  const module = require('node:module');
  if (module.registerHooks) {
    const places = [];
    module.registerHooks({
      load(place, context, next) {
        places.push(place);
        return next(place, context);
      },
    });
    return () => places.splice(0);
  }
  const { MessageChannel, receiveMessageOnPort } = require('node:worker_threads');
  const { port1, port2 } = new MessageChannel();
  module.register('./hooks.mjs', { parentURL: pathToFileURL(__filename), data: { port: port2 }, transferList: [port2] });
  port1.unref();
  return () => {
    const places = [];
    for (;;) {
      const told = receiveMessageOnPort(port1);
      if (told === undefined) return places;
      places.push(told.message);
    }
  };
}

/** The source files of modules that lie in a project, without what is installed there. */
function importedFiles(modules, root) {
  const files = modules.filter((place) => !/^(?!file:)\w+:/.test(place)).map((place) => {
    return place.startsWith('file:') ? fileURLToPath(place.split(/[?#]/)[0]) : place;
  });
  return files.filter((file) => file.startsWith(root + path.sep) && !file.split(path.sep).includes('node_modules'));
}

/** Knows files by their time and size, and says which have changed since it was last asked. */
class Watcher {
  #seen = new Map();

  constructor(files = []) {
    files.forEach((file) => this.add(file));
  }

  /** Watches one more file, as it is now; it need not exist yet. */
  add(file) {
    if (!this.#seen.has(file)) this.#seen.set(file, stateOf(file));
  }

  /** Watches the source files directly in a folder. */
  addFolder(folder) {
    for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
      if (SOURCE.test(name)) this.add(path.join(folder, name));
    }
  }

  /** The files that are not what they were, each told once. */
  changed() {
    const found = [];
    for (const [file, before] of this.#seen) {
      const now = stateOf(file);
      // Editors that replace a file let it vanish for a moment.
      if (now !== null && now !== before) {
        this.#seen.set(file, now);
        found.push(file);
      }
    }
    return found;
  }
}

function stateOf(file) {
  const found = fs.statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.mtimeNs} ${found.size}`;
}

module.exports = { INTERVAL, Reporter, Watcher, importedFiles };
