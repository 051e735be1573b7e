'use strict';

// Between a client that stays and servers that come and go.

const { Conversation } = require('./conversation.js');
const { EXIT_OK, note } = require('./terminal.js');
const { INTERVAL } = require('./watch.js');

const ENOUGH = 1 << 20;

/** Passes messages between standard input and output and the process that has the server. */
class Relay {
  #nursery;
  #grace;
  #source = process.stdin;
  #sink = process.stdout;
  #talk = new Conversation();
  #child = null;
  /** "none", "greeting", "running", "draining", "stopping" or "leaving". */
  #state = 'none';
  #deadline = null;
  #reason = '';
  #isHeardOut = false;
  #held = [];
  #end;

  constructor(nursery, grace) {
    this.#nursery = nursery;
    this.#grace = grace;
  }

  /** Relays until the client is gone and everything is answered; gives the exit code. */
  run() {
    return new Promise((resolve) => {
      const timer = setInterval(() => this.#look(), INTERVAL);
      this.#end = () => {
        clearInterval(timer);
        clearTimeout(this.#deadline);
        resolve(EXIT_OK);
      };
      this.#sink.on('error', () => this.stop().then(this.#end));
      this.#sink.on('drain', () => this.#child?.output.resume());
      this.#start();
      readLines(this.#source, (line) => this.#take(line), () => {
        this.#isHeardOut = true;
        this.#step();
      });
    });
  }

  /** Ends the process with the server. */
  async stop() {
    const child = this.#child;
    if (child === null) return;
    child.input.end();
    child.process.kill();
    await child.end(1000);
  }

  #take(line) {
    if (this.#state === 'none') {
      this.#toClient(this.#talk.refuse(line, this.#reason));
    } else if (this.#state === 'running' || this.#talk.concernsPresent(line)) {
      if (this.#talk.clientSays(line)) this.#toServer(line);
    } else {
      this.#held.push(line);
      if (this.#held.length >= ENOUGH) this.#source.pause();
    }
  }

  #toServer(line) {
    if (!this.#child.input.write(line)) this.#source.pause();
  }

  #toClient(lines) {
    if (lines.length > 0 && !this.#sink.write(lines.join(''))) this.#child?.output.pause();
  }

  #hear(line) {
    if (this.#talk.serverSays(line)) this.#toClient([line]);
    this.#step();
  }

  /** Goes on with what is under way: reloading, or the end. */
  #step() {
    if (this.#state === 'greeting' && this.#talk.isGreeted) this.#openUp();
    if (this.#state === 'draining' && this.#talk.isIdle) this.#retire();
    if (this.#state === 'running' && this.#isHeardOut) {
      this.#state = 'leaving';
      this.#child.input.end();
      this.#after(3 * this.#grace, () => this.#child?.process.kill('SIGKILL'));
    }
    if (this.#isHeardOut && this.#child === null) this.#sink.write('', this.#end);
  }

  #look() {
    if (['draining', 'stopping', 'leaving'].includes(this.#state) || this.#isHeardOut) return;
    const changed = this.#nursery.look();
    if (changed.length === 0) return;
    note(`${this.#nursery.name(changed)} changed, reloading`);
    if (this.#state === 'none') {
      this.#start();
    } else if (this.#state === 'running') {
      this.#state = 'draining';
      this.#after(this.#grace, () => this.#retire());
      this.#step();
    } else {
      this.#retire();
    }
  }

  #after(time, action) {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(action, time);
  }

  #start() {
    this.#child = this.#nursery.start(true);
    this.#state = 'greeting';
    readLines(this.#child.output, (line) => this.#hear(line), () => {});
    this.#child.input.on('drain', () => this.#source.resume());
    this.#child.whenOver.then((code) => this.#bury(code));
    for (const line of this.#talk.replay()) this.#toServer(line);
    this.#step();
  }

  #openUp() {
    this.#state = 'running';
    this.#toClient(this.#talk.announce());
    this.#takeHeld();
  }

  #takeHeld() {
    const held = this.#held.splice(0);
    held.forEach((line) => this.#take(line));
    this.#source.resume();
  }

  /** Lets the process end, since its successor is due. */
  #retire() {
    this.#state = 'stopping';
    this.#child.input.end();
    this.#after(this.#grace, () => this.#child?.process.kill('SIGKILL'));
  }

  /** The process has said its last. */
  #bury(code) {
    clearTimeout(this.#deadline);
    this.#child = null;
    const was = this.#state;
    this.#state = 'none';
    if (was === 'stopping') this.#reason = 'the server was reloaded before it answered';
    else if (was === 'leaving') this.#reason = 'the server ended before it answered';
    else this.#reason = this.#nursery.tellEnd(code);
    this.#toClient(this.#talk.abandon(this.#reason));
    if (was === 'stopping' && (this.#held.length > 0 || !this.#isHeardOut)) {
      this.#start();
      return;
    }
    this.#takeHeld();
    this.#step();
  }
}

/** Calls a function with each line of a stream, and another at its end. */
function readLines(stream, take, end) {
  let rest = [];
  const finish = () => {
    const line = Buffer.concat(rest).toString();
    rest = [];
    if (line.trim()) take(line.endsWith('\n') ? line : `${line}\n`);
  };
  stream.on('data', (data) => {
    let from = 0;
    for (let newline = data.indexOf(10); newline >= 0; newline = data.indexOf(10, from)) {
      rest.push(data.subarray(from, newline + 1));
      from = newline + 1;
      finish();
    }
    if (from < data.length) rest.push(data.subarray(from));
  });
  stream.on('end', () => {
    finish();
    end();
  });
}

module.exports = { Relay };
