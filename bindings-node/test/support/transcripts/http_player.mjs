// Plays HTTP transcripts over sockets, and compares what comes back.

import assert from 'node:assert/strict';
import { PATIENCE, turn } from '../client.mjs';
import { Endpoint } from './http_endpoint.mjs';
import { bodyOf, headersOf, headLines, read } from './http_file.mjs';
import { Wire } from './http_wire.mjs';
import { States } from './states.mjs';

/** What HTTP servers add to what the engine says. */
const ADDED = /^(date|content-length|transfer-encoding|connection|keep-alive): /;

/** Plays a transcript; what differs is thrown, with the number of its line. */
export async function play(text, way) {
  const { options, steps } = read(text);
  const player = new Player(await Endpoint.open(options, way));
  try {
    for (const step of steps) {
      try {
        await player.take(step);
      } catch (error) {
        error.message = `line ${step.number}: ${error.message}`;
        throw error;
      }
    }
  } finally {
    player.close();
  }
}

/** Why a socket cannot play a transcript; undefined if it can. */
export function obstacle(text) {
  return read(text).options.find((option) => option.startsWith('sans-io'))?.replace('sans-io ', '');
}

class Player {
  #endpoint;
  #exchanges = new Map();
  /** A connection that can take another request, for exchanges without a name. */
  #spare = null;
  #sessions = [];
  #states = new States();
  #over = 0;

  constructor(endpoint) {
    this.#endpoint = endpoint;
  }

  async take(step) {
    await this.#expectSilence();
    if (step.action === undefined) await this.#request(step);
    else await this.#act(step);
    for (const block of step.blocks) await this.#compare(block);
    await this.#expectSilence();
  }

  close() {
    for (const { wire } of this.#exchanges.values()) wire.close();
    this.#endpoint.close();
  }

  async #request(step) {
    const [line, name = ''] = this.#filledIn(step.line).split(' as ');
    const [method, target] = line.split(' ');
    const body = typeof step.body === 'string' ? Buffer.from(this.#filledIn(step.body)) : step.body;
    const lines = headLines(method, target, step.headers.map((header) => this.#filledIn(header)), body);
    const { arrived } = this.#endpoint;
    const wire = await this.#wire(name);
    wire.send(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body ?? Buffer.alloc(0)]), method);
    this.#exchanges.set(name, { wire, isOver: false, eventIds: [] });
    await until(() => this.#endpoint.arrived > arrived || wire.isOver, 'the request has arrived');
    // What it brings about without an answer has happened a few turns later.
    for (let turns = 0; turns < 5; turns += 1) await turn();
  }

  /** A connection that was used before, if the exchange needs none of its own. */
  async #wire(name) {
    const spare = name === '' ? this.#spare : null;
    if (name === '') this.#spare = null;
    return spare?.canGoOn ? spare : Wire.connect(this.#endpoint.port);
  }

  async #act({ action, told }) {
    const [verb, name] = action.split(' ');
    let learned = null;
    if (verb === 'drop') {
      this.#exchanges.get(name).wire.close();
      await this.#end(this.#exchanges.get(name));
    } else {
      learned = await this.#endpoint.do(this.#filledIn(action));
    }
    assert.equal(learned, told);
  }

  async #compare(block) {
    const exchange = this.#exchanges.get(block.name);
    const { wire } = exchange;
    if (block.status !== null) {
      await wire.until(() => wire.status !== null, 'response');
      assert.equal(wire.status, block.status);
      assert.deepEqual(wire.headers.filter((header) => !ADDED.test(header)).sort(), headersOf(block));
    }
    const lines = bodyOf(block);
    const isStream = wire.headers.includes('content-type: text/event-stream');
    const wanted = wire.isBodiless ? '' : lines.join('\n') + (isStream && lines.length > 0 ? '\n' : '');
    const size = Buffer.byteLength(wanted);
    await wire.until(() => wire.body.length >= size, JSON.stringify(wanted));
    if (!block.isOpen) {
      await wire.until(() => wire.isOver, 'end');
      assert.equal(String(wire.body), wanted);
    }
    assert.equal(String(wire.take(size)), wanted);
    if (block.isOpen) assert.equal(wire.isOver, false, 'the response is over');
    this.#learn(block, exchange);
    if (block.isOpen) return;
    await this.#end(exchange);
    if (block.name === '') this.#spare = wire;
  }

  /** What an exchange leaves behind in the server is gone when this resolves. */
  async #end(exchange) {
    exchange.isOver = true;
    this.#over += 1;
    await until(() => this.#endpoint.over >= this.#over, 'the exchange is over');
    await turn();
  }

  async #expectSilence() {
    for (let turns = 0; turns < 3; turns += 1) await turn();
    for (const [name, { wire, isOver }] of this.#exchanges) {
      if (isOver || wire.isClosed) continue;
      assert.equal(String(wire.body), '', `${name} said more than expected`);
      assert.equal(wire.isOver, false, `${name} is over`);
    }
  }

  #learn({ lines }, { eventIds }) {
    for (const line of lines) {
      if (line.startsWith('id: ')) eventIds.push(line.slice(4));
      const found = /^Mcp-Session-Id: (.*)|^data: .*\?sessionId=(.*)/.exec(line);
      if (found !== null) this.#sessions.push(found[1] ?? found[2]);
      const message = line.replace(/^data: /, '');
      if (message.startsWith('{')) this.#states.note(message);
    }
  }

  #filledIn(text) {
    return this.#states.filledIn(text)
      .replace(/\$SESSION(\d+)/g, (_, number) => this.#sessions[number - 1])
      .replace(/\$EVENT\[(\S+) (\d+)\]/g, (_, name, number) => this.#exchanges.get(name).eventIds[number]);
  }
}

async function until(holds, what) {
  const end = Date.now() + PATIENCE;
  while (!holds()) {
    assert.ok(Date.now() < end, `waited in vain until ${what}`);
    await turn();
  }
}
