// Node programs as processes of their own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { call, hello, notification, soon } from './client.mjs';

/** Where programs find the package. */
const FOLDER = dirname(dirname(fileURLToPath(import.meta.url)));

function started(program, { flags = [], stdio = ['pipe', 'pipe', 'pipe'], env = {} } = {}) {
  const args = ['--unhandled-rejections=strict', ...flags, '--input-type=module', '--eval', program];
  return spawn(process.execPath, args, { cwd: FOLDER, stdio, env: { ...process.env, ...env } });
}

async function textOf(stream) {
  const pieces = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** Runs a program to its end; gives how it ended and what it said. */
export async function run(program, { input = '', patience = 60_000, ...options } = {}) {
  const child = started(program, options);
  const timer = setTimeout(() => child.kill('SIGKILL'), patience);
  const begin = performance.now();
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [stdout, stderr, [code, signal]] = await Promise.all([textOf(child.stdout), textOf(child.stderr), once(child, 'exit')]);
  clearTimeout(timer);
  return { code, signal, stdout, stderr, took: performance.now() - begin };
}

/** A program that serves standard input and output, and the client that has started it. */
export class Program {
  #lines = [];
  #waiting = [];
  #errors = '';
  #errorsWaiting = [];

  constructor(program, options) {
    this.child = started(program, options);
    this.exit = once(this.child, 'exit').then(([code, signal]) => ({ code, signal }));
    this.child.stdin.on('error', () => {});
    createInterface({ input: this.child.stdout }).on('line', (line) => this.#hear(line));
    this.child.stderr?.on('data', (piece) => {
      this.#errors += piece;
      this.#errorsWaiting = this.#errorsWaiting.filter(({ words, resolve }) => !words.test(this.#errors) || void resolve());
    });
  }

  /** What it has said on standard error. */
  get errors() {
    return this.#errors;
  }

  /** Waits until it has said that on standard error. */
  said(words) {
    if (words.test(this.#errors)) return Promise.resolve();
    return soon(new Promise((resolve) => this.#errorsWaiting.push({ words, resolve })), String(words));
  }

  send(...messages) {
    this.child.stdin.write(messages.map((message) => `${message}\n`).join(''));
  }

  /** The next message. */
  receive() {
    if (this.#lines.length > 0) return Promise.resolve(this.#lines.shift());
    return soon(new Promise((resolve) => this.#waiting.push(resolve)), 'a message');
  }

  async shakeHands() {
    this.send(hello(), notification('notifications/initialized'));
    await this.receive();
  }

  async call(id, name, args) {
    this.send(call(id, name, args));
    return this.receive();
  }

  /** Ends its input; gives how it ended, and how long that took. */
  async end() {
    const begin = performance.now();
    this.child.stdin.end();
    const ended = await soon(this.exit, 'the end of the program');
    return { ...ended, took: performance.now() - begin };
  }

  kill() {
    this.child.kill('SIGKILL');
  }

  #hear(line) {
    const message = JSON.parse(line);
    if (this.#waiting.length > 0) this.#waiting.shift()(message);
    else this.#lines.push(message);
  }
}

/** Does something with a program, which is killed if it still lives then. */
export async function serving(program, work, options) {
  const served = new Program(program, options);
  try {
    return await work(served);
  } finally {
    served.kill();
  }
}
