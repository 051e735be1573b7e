// Playing one case, on a session or over the pipes of a process.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { turn } from '../client.mjs';
import { isSetUp } from './judge.mjs';
import { demand, readFrame } from './messages.mjs';
import { server } from './server.mjs';

const PROGRAM = fileURLToPath(new URL('./serve.mjs', import.meta.url));
const PATIENCE = 60_000;
const LF = Buffer.from('\n');

/** Hands in a whole message. */
export function messages(session, line) {
  return session.handle(line) ?? '';
}

/** Hands in a line of a stream. */
export function lines(session, line) {
  return session.receive(Buffer.concat([line, LF]));
}

/** Hands in a stream in pieces of seven bytes. */
export function pieces(session, line) {
  const stream = Buffer.concat([line, LF]);
  const said = [];
  for (let at = 0; at < stream.length; at += 7) said.push(session.receive(stream.subarray(at, at + 7)));
  return Buffer.concat(said);
}

/** Plays a case on a session of its own. */
export async function play(one, feed) {
  const session = server.session();
  const send = async (line) => {
    const said = [feed(session, Buffer.from(line))];
    while (session.openCalls > 0) {
      await turn();
      said.push(session.drain());
      if (one.setup.some((text) => text.includes('subscriptions/listen')) || String(line).includes('subscriptions/listen')) break;
    }
    return said.flatMap((output) => framesOf(output).flatMap(readFrame));
  };
  try {
    const setup = [];
    for (const line of one.setup) setup.push(...(await send(line)));
    return { setup, since: [...(await send(one.input)), ...(await send(one.probe))] };
  } finally {
    session.close();
  }
}

/** Plays a case on a process of its own, which must end well when its input ends. */
export async function playOverPipes(one) {
  const child = spawn(process.execPath, [PROGRAM], { stdio: 'pipe' });
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE);
  let output = Buffer.alloc(0);
  let errors = '';
  child.stderr.on('data', (piece) => {
    errors += piece;
  });
  child.stdin.on('error', () => {});
  try {
    const setup = [];
    child.stdin.write(one.setup.map((line) => `${line}\n`).join(''));
    const ended = once(child, 'close');
    const reading = child.stdout[Symbol.asyncIterator]();
    while (!isSetUp(one.setup, setup)) {
      const { value, done } = await reading.next();
      demand(!done, `it ended during the setup: ${errors.slice(-500)}`);
      output = Buffer.concat([output, value]);
      const end = output.lastIndexOf(10);
      setup.push(...framesOf(output.subarray(0, end + 1)).flatMap(readFrame));
      output = output.subarray(end + 1);
    }
    child.stdin.end(Buffer.concat([one.input, LF, Buffer.from(one.probe), LF]));
    for (let { value, done } = await reading.next(); !done; { value, done } = await reading.next()) output = Buffer.concat([output, value]);
    const [code] = await ended;
    demand(code === 0, `it ended with ${code}: ${errors.slice(-500)}`);
    demand(output.length === 0 || output.at(-1) === 10, `the last line has no end: ${String(output.subarray(-160))}`);
    return { setup, since: framesOf(output).flatMap(readFrame) };
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
}

/** Lines as bytes. */
function framesOf(output) {
  const bytes = Buffer.from(output);
  const frames = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(10, at);
    const upTo = end < 0 ? bytes.length : end;
    if (upTo > at) frames.push(bytes.subarray(at, upTo));
    at = upTo + 1;
  }
  return frames;
}
