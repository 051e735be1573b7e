// HTTP/1.1 over a raw socket, so that nothing adds or hides a header.

import net from 'node:net';
import { once } from 'node:events';
import { soon } from '../client.mjs';

/** One connection, and the response to what was sent last, as far as it has come. */
export class Wire {
  #socket;
  #buffer = Buffer.alloc(0);
  #length = 0;
  #isChunked = false;
  #isBodiless = false;
  #onChange = () => {};
  isClosed = false;

  static async connect(port) {
    const wire = new Wire();
    wire.#socket = net.connect(port, '127.0.0.1');
    wire.#socket.setNoDelay(true);
    wire.#socket.on('error', () => {});
    wire.#socket.on('data', (bytes) => wire.#take(bytes));
    wire.#socket.on('close', () => {
      wire.isClosed = true;
      wire.#onChange();
    });
    await once(wire.#socket, 'connect');
    return wire;
  }

  send(bytes, method) {
    Object.assign(this, { status: null, headers: [], body: Buffer.alloc(0), isOver: false });
    this.#isBodiless = method === 'HEAD';
    this.#socket.write(bytes);
  }

  close() {
    this.#socket.destroy();
    this.isClosed = true;
  }

  get isBodiless() {
    return this.#isBodiless;
  }

  /** Whether another request can be sent. */
  get canGoOn() {
    return this.isOver && !this.isClosed && !this.headers.includes('connection: close');
  }

  async until(holds, what) {
    await soon(new Promise((resolve, reject) => {
      this.#onChange = () => {
        if (holds()) resolve();
        else if (this.isClosed || this.isOver) reject(new Error(`no ${what}; there is ${JSON.stringify(String(this.body))}`));
      };
      this.#onChange();
    }), what);
  }

  /** The first bytes of the body that were not taken yet. */
  take(size) {
    const taken = this.body.subarray(0, size);
    this.body = this.body.subarray(size);
    return taken;
  }

  #take(bytes) {
    this.#buffer = Buffer.concat([this.#buffer, bytes]);
    if (this.status === null) this.#takeHead();
    if (this.status !== null && !this.isOver) this.#takeBody();
    this.#onChange();
  }

  #takeHead() {
    const end = this.#buffer.indexOf('\r\n\r\n');
    if (end < 0) return;
    const [first, ...lines] = this.#buffer.subarray(0, end).toString('latin1').split('\r\n');
    this.#buffer = this.#buffer.subarray(end + 4);
    this.status = Number(first.split(' ')[1]);
    this.headers = lines.map((line) => `${line.split(':')[0].toLowerCase()}: ${line.slice(line.indexOf(':') + 1).trim()}`);
    const valueOf = (name) => this.headers.find((header) => header.startsWith(`${name}: `))?.slice(name.length + 2);
    this.#isChunked = valueOf('transfer-encoding') === 'chunked';
    this.#length = this.#isBodiless || this.status === 204 ? 0 : Number(valueOf('content-length') ?? 0);
    if (this.#isBodiless) this.#isChunked = false;
  }

  #takeBody() {
    if (!this.#isChunked) {
      if (this.#buffer.length < this.#length) return;
      this.body = this.#buffer.subarray(0, this.#length);
      this.#buffer = this.#buffer.subarray(this.#length);
      this.isOver = true;
      return;
    }
    for (let end = this.#buffer.indexOf('\r\n'); end >= 0 && !this.isOver; end = this.#buffer.indexOf('\r\n')) {
      const size = parseInt(this.#buffer.subarray(0, end).toString(), 16);
      if (this.#buffer.length < end + 2 + size + 2) return;
      this.body = Buffer.concat([this.body, this.#buffer.subarray(end + 2, end + 2 + size)]);
      this.#buffer = this.#buffer.subarray(end + 2 + size + 2);
      this.isOver = size === 0;
    }
  }
}
