// Reading and playing transcripts; `tests/transcripts/README.md` has the format.

import { turn } from '../client.mjs';
import { Stage } from './stage.mjs';
import { States } from './states.mjs';

/** Hands in a whole message at once. */
export function whole(session, line) {
  return session.handle(line) ?? Buffer.alloc(0);
}

/** Hands in a line through the framer. */
export function byteByByte(session, line) {
  return Buffer.concat([...line, 10].map((byte) => session.receive(Uint8Array.of(byte))));
}

/** The text with its server lines replaced by what the engine says. */
export async function play(text, feed) {
  const player = new Player(optionsOf(text), feed);
  const out = [];
  let isGap = false;
  try {
    for (const line of text.split('\n')) {
      const [mark] = line.split(' ', 1);
      isGap ||= line === '';
      if (mark === '<' || line === '') continue;
      if (isGap) out.push('');
      isGap = false;
      out.push(line);
      const answers = await player.step(mark, line.slice(mark.length + 1));
      out.push(...answers.map((answer) => `< ${answer}`));
    }
  } finally {
    player.close();
  }
  return `${out.join('\n')}\n`;
}

function optionsOf(text) {
  const lines = text.split('\n').filter((line) => line.startsWith('@ '));
  return lines.map((line) => {
    const [, key, ...value] = line.split(' ');
    return [key, value.join(' ')];
  });
}

/** One transcript in the middle of being played. */
class Player {
  #stage;
  #feed;
  #states = new States();
  #session;
  #native;

  constructor(options, feed) {
    this.#stage = new Stage(options);
    this.#feed = feed;
    this.#connect();
  }

  /** Does what a line says, and gives what the server says to it, now or soon. */
  async step(mark, rest) {
    if (mark === '#' || mark === '@') return [];
    let said = '';
    if (mark === '>') said = this.#feed(this.#session, Buffer.from(this.#states.filledIn(rest)));
    else if (mark === '>>') said = this.#feed(this.#session, Buffer.from(JSON.parse(rest), 'latin1'));
    else if (mark === '!') await this.#act(rest);
    else throw new Error(`unknown mark ${mark}`);
    const answers = [...linesOf(said), ...(await this.#soon())];
    for (const answer of answers) this.#states.note(answer);
    return answers;
  }

  close() {
    this.#stage.close();
  }

  /** What comes until everything has come to rest. */
  async #soon() {
    const answers = linesOf(this.#session.drain());
    for (let turns = 0; turns < 3; turns += 1) {
      await turn();
      answers.push(...linesOf(this.#session.drain()));
    }
    return answers;
  }

  #connect() {
    const { session, native } = this.#stage.connect();
    this.#session = session;
    this.#native = native;
  }

  #act(action) {
    const [verb, one = '', ...others] = action.split(' ');
    if (verb === 'connect') {
      this.#session.close();
      this.#connect();
    } else if (verb === 'notify') this.#native.notify(one, others.join(' '));
    else if (verb === 'principal') this.#native.setPrincipal(one === '' ? undefined : one);
    else if (verb === 'end') this.#session.end();
    else return this.#stage.act(verb, action.slice(verb.length + 1));
    return undefined;
  }
}

function linesOf(output) {
  return String(output).split('\n').filter((line) => line !== '');
}
