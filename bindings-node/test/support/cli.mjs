// Starting the command, and talking to what it serves.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

export const PATIENCE = 20_000;

const require = createRequire(import.meta.url);
/** The installed package. */
export const PACKAGE = path.dirname(require.resolve('mcplite/package.json'));
export const SCRIPT = binary();

/** A part of the command itself, for what would take a process for each case. */
export function part(name) {
  return require(path.join(PACKAGE, 'lib', 'cli', `${name}.js`));
}

export const DEMO = `\
import { McpServer } from 'mcplite';

export const server = new McpServer({ name: 'demo', version: '1.5', instructions: 'Add things.' });

server.registerTool('add', {
  description: 'Adds two numbers.\\n\\nMore about it.',
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'integer', description: 'the first' }, b: { type: 'integer', default: 2 } },
    required: ['a'],
    additionalProperties: false,
  },
  outputSchema: { type: 'integer' },
}, ({ a, b = 2 }) => a + b);
`;

export const MORE = `${DEMO}
server.registerTool('twice', { inputSchema: { type: 'object', properties: { a: { type: 'integer' } } } }, ({ a }) => String(a * 2));
`;

function binary() {
  for (let folder = path.dirname(fileURLToPath(import.meta.url)); ; folder = path.dirname(folder)) {
    const found = path.join(folder, 'node_modules', '.bin', 'mcplite');
    if (fs.existsSync(found)) return found;
    assert.notEqual(folder, path.dirname(folder), 'mcplite is not installed here');
  }
}

/** A folder of a project that has the package, with these files. */
export function project(files = { 'server.mjs': DEMO }) {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'mcplite-cli-')));
  after(() => fs.rmSync(folder, { recursive: true, force: true }));
  fs.mkdirSync(path.join(folder, 'node_modules'));
  fs.symlinkSync(PACKAGE, path.join(folder, 'node_modules', 'mcplite'), 'junction');
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

function start(args, cwd, env, stdio) {
  const { NO_COLOR, CODEX_HOME, ...kept } = process.env;
  return spawn(process.execPath, [SCRIPT, ...args.map(String)], { cwd, env: { ...kept, ...env }, stdio });
}

/** Runs the command to its end. */
export async function mcplite(args, { cwd, stdin = '', env = {} }) {
  const child = start(args, cwd, env, 'pipe');
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE);
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  const [stdout, stderr] = [[], []];
  child.stdout.on('data', (data) => stdout.push(data));
  child.stderr.on('data', (data) => stderr.push(data));
  const [code, signal] = await new Promise((resolve) => {
    child.on('close', (...end) => resolve(end));
  });
  clearTimeout(timer);
  const bytes = Buffer.concat(stdout);
  return { code, signal, bytes, stdout: String(bytes), stderr: String(Buffer.concat(stderr)) };
}

/** A client of a command that serves over stdio, or of one that only talks on standard error. */
export class Talk {
  heard = [];
  errors = '';
  #numbers = 0;
  #isOver = false;
  #waiting = new Set();

  constructor(args, { cwd }) {
    this.process = start(args, cwd, {}, 'pipe');
    this.process.stdin.on('error', () => {});
    readline.createInterface({ input: this.process.stdout }).on('line', (line) => {
      this.heard.push(JSON.parse(line));
      this.#look();
    });
    this.process.stderr.setEncoding('utf8').on('data', (text) => {
      this.errors += text;
      this.#look();
    });
    this.whenOver = new Promise((resolve) => {
      this.process.on('close', (code, signal) => {
        this.#isOver = true;
        this.#look();
        resolve(code ?? signal);
      });
    });
    after(() => this.kill());
  }

  kill() {
    if (!this.#isOver) this.process.kill('SIGKILL');
    return this.whenOver;
  }

  /** Waits until a function gives something, and gives that. */
  until(find, what) {
    return new Promise((resolve, reject) => {
      const fail = (why) => reject(new Error(`${why} before ${what}; standard error: ${this.errors}`));
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(look);
      };
      const look = () => {
        const found = find();
        if (found === undefined && !this.#isOver) return;
        end();
        if (found === undefined) fail('it ended');
        else resolve(found);
      };
      const timer = setTimeout(() => {
        end();
        fail('nothing happened');
      }, PATIENCE);
      this.#waiting.add(look);
      look();
    });
  }

  #look() {
    for (const look of [...this.#waiting]) look();
  }

  say(message) {
    this.process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Sends a request and gives its id. */
  send(method, params = {}) {
    this.#numbers += 1;
    this.say({ id: this.#numbers, method, params });
    return this.#numbers;
  }

  answer(id) {
    return this.until(() => this.heard.find((message) => message.id === id && message.method === undefined), `answer ${id}`);
  }

  /** Sends a request and gives its result. */
  async request(method, params) {
    const answer = await this.answer(this.send(method, params));
    assert.ok(answer.result, JSON.stringify(answer));
    return answer.result;
  }

  /** Waits for the notification of this method that comes as the nth. */
  notification(method, nth = 1) {
    return this.until(() => this.heard.filter((message) => message.method === method)[nth - 1], method);
  }

  /** Waits until standard error has shown this since it was last looked for. */
  see(text) {
    return this.until(() => {
      const place = this.errors.indexOf(text);
      if (place < 0) return undefined;
      this.errors = this.errors.slice(place + text.length);
      return text;
    }, `"${text}"`);
  }

  async initialize() {
    const clientInfo = { name: 'test', version: '1' };
    const result = await this.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    this.say({ method: 'notifications/initialized' });
    return result;
  }

  /** Calls a tool and gives its text. */
  async call(name, args = {}) {
    return (await this.request('tools/call', { name, arguments: args })).content[0].text;
  }

  async tools() {
    return (await this.request('tools/list')).tools.map((tool) => tool.name);
  }

  /** Closes the input, hears the rest and gives the exit code. */
  end() {
    this.process.stdin.end();
    return this.whenOver;
  }
}
