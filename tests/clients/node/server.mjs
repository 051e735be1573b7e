// The server behind HTTP: started by whoever talks to it, and seen to its end.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

// Far more than it needs: open calls are cancelled after a second.
const SECONDS = 10;

export class HttpServer {
  #child;
  #ended;
  #said = [];
  url;

  /** Resolves when the server says where it listens. */
  static async start(binary) {
    const server = new HttpServer();
    server.#child = spawn(binary, ['--http'], { stdio: ['ignore', 'ignore', 'pipe'] });
    server.#ended = once(server.#child, 'close');
    const lines = createInterface({ input: server.#child.stderr });
    const [first] = await once(lines, 'line');
    lines.on('line', (line) => server.#said.push(line));
    server.url = first.replace(/^listening on /, '');
    return server;
  }

  /** Tells it to end, which it does in peace and without a word. */
  async stop() {
    this.#child.kill('SIGTERM');
    const late = setTimeout(() => this.#child.kill('SIGKILL'), SECONDS * 1000);
    const [code, signal] = await this.#ended;
    clearTimeout(late);
    if (code !== 0 || this.#said.length) {
      throw new Error(`the server ended with ${code ?? signal}: ${this.#said.join('; ')}`);
    }
  }
}
