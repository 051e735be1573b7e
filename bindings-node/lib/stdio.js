'use strict';

// Standard input and output: one client, which has started this program and ends it by closing its end.

const native = require('./native.js');
const { MisuseError, refusing } = require('./errors.js');
const { Throttle } = require('./throttle.js');

/** How long whatever else keeps the process alive has to end by itself when its client is gone. */
const EXIT_MS = 1000;

/** How much longer than its grace a process lives that does not notice that its client is gone. */
const PATIENCE_MS = 2000;

/** How long answers may wait for others that go out with them. */
const PATIENCE_OF_CLIENT_MS = 1;

/** What runs programs for their author, and serves them itself. */
const RUNNER = Symbol.for('mcplite.cli');

let isTaken = false;

async function serveStdio(server, { grace = 5000, exit = true, ends } = {}) {
  if (globalThis[RUNNER]?.stdio !== undefined) return globalThis[RUNNER].stdio(server, { grace, exit });
  // How workers are known without loading what makes them.
  if (process.chdir.disabled === true) {
    throw new MisuseError('standard input and output belong to the main thread; serve them there, or use session()');
  }
  if (isTaken) throw new MisuseError('standard input and output are served already', 'ERR_MCPLITE_BUSY');
  isTaken = true;
  const { input, output, watchdog } = ends ?? takeEnds(grace);
  const conversation = new Conversation(server, openInput(input), openOutput(output), grace, watchdog);
  const forget = server.serving(() => conversation.end());
  await conversation.whenOver;
  forget();
  watchdog.stop();
  if (exit) setTimeout(() => process.exit(), EXIT_MS).unref();
}

/** The ways to the client; whoever took them before, to load a program in peace, hands them over as `ends`. */
function takeEnds(grace) {
  const watchdog = refusing(() => new native.Watchdog(grace + PATIENCE_MS));
  const ends = refusing(() => native.takeStandard());
  guardConsole();
  return { ...ends, watchdog };
}

/** What is printed in JavaScript goes where the rest goes: to standard error. */
function guardConsole() {
  if (process.platform !== 'win32') return;
  // There the descriptor cannot be turned around.
  process.stdout.write = process.stderr.write.bind(process.stderr);
}

function openInput(fd) {
  const kind = kindOf(fd);
  if (kind === 'pipe') return openPipe(fd, { readable: true, writable: false });
  if (kind === 'terminal') return new (require('node:tty').ReadStream)(fd);
  return require('node:fs').createReadStream(null, { fd, autoClose: true });
}

function openOutput(fd) {
  const kind = kindOf(fd);
  if (kind === 'pipe') return openPipe(fd, { readable: false, writable: true });
  if (kind === 'terminal') return new (require('node:tty').WriteStream)(fd);
  return require('node:fs').createWriteStream(null, { fd, autoClose: true });
}

function kindOf(fd) {
  const about = require('node:fs').fstatSync(fd);
  if (about.isFIFO() || about.isSocket()) return 'pipe';
  return about.isCharacterDevice() && require('node:tty').isatty(fd) ? 'terminal' : 'file';
}

/** A stream that writes without waiting: what a slow client does not take must not hold up the loop. */
function openPipe(fd, options) {
  const { Socket } = require('node:net');
  return new Socket({ fd, ...options, allowHalfOpen: true });
}

/** One client at two streams. */
class Conversation {
  #session;
  #input;
  #output;
  #grace;
  #watchdog;
  #throttle;
  /** Bytes that have been read and not been taken yet. */
  #rest = null;
  #hasEnded = false;
  #isFull = false;
  /** Whether it is about to go on by itself. */
  #isLooking = false;
  #written = 0;
  #timer = null;
  #isConcluding = false;
  #finish;

  constructor(server, input, output, grace, watchdog) {
    this.#session = server.session();
    this.#input = input;
    this.#output = output;
    this.#grace = grace;
    this.#watchdog = watchdog;
    this.whenOver = new Promise((resolve) => {
      this.#finish = resolve;
    });
    const { step, limit } = this.#session.holdBack();
    this.#throttle = new Throttle(step, limit, () => this.#goOn());
    this.#session.onOutput = () => this.#goOn();
    input.on('data', (chunk) => {
      watchdog.beat();
      this.#rest = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk]);
      this.#goOn();
    });
    input.once('end', () => this.end());
    input.once('close', () => this.end());
    input.once('error', () => this.end());
    output.on('drain', () => {
      this.#isFull = false;
      this.#goOn();
    });
    // Nobody reads any more.
    output.once('error', () => this.#give());
    output.once('close', () => this.#give());
  }

  /** Feeds what was read, and writes what is ready, as far as the client and the handlers keep up. */
  #goOn() {
    if (this.#isLooking) return;
    try {
      this.#feed();
    } catch (error) {
      if (error.code !== 'ERR_MCPLITE_CLOSED') throw error;
      this.#give();
    }
  }

  #feed() {
    if (this.#session.isClosed) {
      this.#give();
      return;
    }
    while (this.#rest !== null && !this.#isFull) {
      if (!this.#take()) break;
      // Handlers that give a promise without having to wait are over before more are begun.
      if (this.#rest !== null && this.#session.lookAgain(this)) {
        this.#isLooking = true;
        return;
      }
    }
    this.#write();
    if (this.#session.isClosed) this.#give();
    else if (this.#rest !== null) this.#input.pause();
    else if (this.#hasEnded) this.#conclude();
    else if (!this.#isFull) this.#input.resume();
  }

  /** Hands in what can be taken of what was read; says whether that was something. */
  #take() {
    const before = this.#rest.length;
    let rest = this.#session.offer(this.#rest);
    if (rest.length < before) {
      this.#throttle.relax();
      // One write for all, unless handlers take their time or there is no room for more answers.
      if (this.#isLate()) this.#write();
    } else {
      if (this.#write()) return true;
      if (!this.#throttle.admits(this.#session.openCalls)) return false;
      rest = this.#session.force(this.#rest);
    }
    this.#rest = rest.length === 0 ? null : rest;
    return true;
  }

  /** @internal Handlers that were just begun have ended, or turned out to wait. */
  onReady() {
    this.#isLooking = false;
    this.#goOn();
  }

  /** Whether the client has waited long enough for what is ready. */
  #isLate() {
    return performance.now() - this.#written > PATIENCE_OF_CLIENT_MS;
  }

  /** Writes what is ready, if the client takes it; says whether there was something. */
  #write() {
    this.#written = performance.now();
    if (this.#isFull) return false;
    const output = this.#session.drain();
    if (output.length > 0 && !this.#output.write(output)) this.#isFull = true;
    return output.length > 0;
  }

  /** Nothing more is read; what was is answered. */
  end() {
    if (!this.#hasEnded && this.#finish !== null) {
      this.#hasEnded = true;
      this.#watchdog.beat();
      this.#timer = setTimeout(() => this.#give(), this.#grace);
      this.#input.pause();
      this.#goOn();
    }
    return this.whenOver;
  }

  /** Everything was read: what is left is to answer it. */
  #conclude() {
    if (!this.#session.isClosed && !this.#session.hasEnded) this.#session.end();
    if (!this.#session.isFinished || this.#isConcluding) return;
    this.#isConcluding = true;
    this.#output.end(() => this.#over());
  }

  /** Nothing more can be said, or has been for too long. */
  #give() {
    if (!this.#session.isClosed) this.#session.close();
    if (this.#finish === null) return;
    this.#output.destroy();
    this.#over();
  }

  #over() {
    const finish = this.#finish;
    if (finish === null) return;
    this.#finish = null;
    clearTimeout(this.#timer);
    this.#throttle.relax();
    this.#session.onOutput = null;
    this.#input.destroy();
    finish();
  }
}

module.exports = { serveStdio };
