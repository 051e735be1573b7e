'use strict';

// The process that `mcplite dev` starts again whenever its code changes.

const path = require('node:path');
const { spawn } = require('node:child_process');

const { mistake } = require('./syntax.js');
const { EXIT_UNLOADABLE, note } = require('./terminal.js');
const { Watcher } = require('./watch.js');

const SCRIPT = path.resolve(__dirname, '..', '..', 'bin', 'mcplite.js');

/** One process with the server, and what it has told about its files. */
class Child {
  #pending = '';

  constructor(args, watcher, isPiped) {
    const stream = isPiped ? 'pipe' : 'inherit';
    const stdio = [stream, stream, 'inherit', 'pipe'];
    this.process = spawn(process.execPath, [...process.execArgv, SCRIPT, ...args, '--report', '3'], { stdio });
    this.input = this.process.stdin;
    this.output = this.process.stdout;
    // A process that is gone reads no more, which its end tells as well.
    this.input?.on('error', () => {});
    this.process.stdio[3].setEncoding('utf8').on('data', (text) => {
      const lines = (this.#pending + text).split('\n');
      this.#pending = lines.pop();
      lines.forEach((file) => watcher.add(file));
    });
    /** The exit code, when the process has ended and everything that it said is read. */
    this.whenOver = new Promise((resolve) => {
      this.process.on('error', () => resolve(1));
      this.process.on('close', (code, signal) => resolve(code ?? 128 + (require('node:os').constants.signals[signal] ?? 0)));
    });
  }

  /** Waits for the end of the process, which is ended by force after the grace time. */
  async end(grace) {
    const timer = setTimeout(() => this.process.kill('SIGKILL'), grace);
    const code = await this.whenOver;
    clearTimeout(timer);
    return code;
  }
}

/** Starts processes with the server of one target, and knows when the next is due. */
class Nursery {
  #target;
  #args;
  #watcher;
  #changed = new Set();

  constructor(target, options, extra) {
    this.#target = target;
    this.#args = ['run', target.text, ...options];
    this.#watcher = new Watcher(extra.map((file) => path.resolve(file)));
    if (target.isFile) this.#watcher.add(target.place);
  }

  /** Starts a process with the code as it is now. */
  start(isPiped) {
    this.#watcher.changed();
    this.#changed.clear();
    return new Child(this.#args, this.#watcher, isPiped);
  }

  /** The files that have changed, once they stand still and can be compiled. */
  look() {
    const fresh = this.#watcher.changed();
    fresh.forEach((file) => this.#changed.add(file));
    if (fresh.length > 0 || this.#changed.size === 0) return [];
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed.some(isBroken) ? [] : changed;
  }

  /** Says on the terminal, and gives back, why there is no server now. */
  tellEnd(code) {
    const { label, folder } = this.#target;
    let reason = `the server of ${label} ended (exit code ${code})`;
    if (code === EXIT_UNLOADABLE) {
      this.#watcher.addFolder(folder);
      reason = `${label} cannot be loaded`;
    }
    note(`${reason}; waiting for a change`);
    return reason;
  }

  /** Names files as a person would. */
  name(files) {
    const names = files.slice(0, 3).map((file) => path.relative(this.#target.root, file));
    return names.join(', ') + (files.length > 3 ? ' and others' : '');
  }
}

/** Whether a file is no JavaScript, which is told: half a change is no reason to restart. */
function isBroken(file) {
  const found = mistake(file);
  if (found !== null) note(`not reloaded: ${found.name}: ${found.message}`);
  return found !== null;
}

module.exports = { Nursery };
