// What programs that play workloads share: PROGRAM play NAME ROUNDS DIR WORD..., where DIR has what
// `report messages` writes. One object of JSON is printed; code 3 says that there is no such thing here.
'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { isDeepStrictEqual } = require('node:util');

// By then the compiler of V8 has seen what is hot.
const WARM_ROUNDS = 2000;

function readWorkload(folder, name) {
  const part = (ending) => readFileSync(join(folder, `${name}.${ending}`));
  const text = (ending) => part(ending).toString();
  return {
    name,
    isModern: name === 'modern-call',
    handshake: readFileSync(join(folder, 'handshake')).toString().trim().split('\n'),
    request: part('request'),
    tools: JSON.parse(text('tools')),
    deed: text('deed'),
    argument: text('argument'),
    text: text('text'),
  };
}

function check(workload, answer) {
  const { id, result } = JSON.parse(answer);
  const right = {
    ping: () => typeof result === 'object',
    list: () => isDeepStrictEqual(result.tools, workload.tools),
    say: () => result.content[0].text === workload.text,
    splice: () =>
      isDeepStrictEqual(result.structuredContent, JSON.parse(workload.request).params.arguments),
  };
  if (id !== 1 || result === undefined || !right[workload.deed]()) {
    throw new Error(`a wrong answer: ${String(answer).slice(0, 400)}`);
  }
}

// What a tool of the workload answers with, in the form that all of them understand.
function result(workload, given) {
  const { argument, deed } = workload;
  if (deed !== 'splice') return { content: [{ type: 'text', text: given[argument] }] };
  return { content: [{ type: 'text', text: '' }], structuredContent: { text: given[argument] } };
}

// `round` gives the answer to a message, or a promise of it.
async function measure(workload, rounds, round, isAsync) {
  const { request } = workload;
  check(workload, await round(request));
  await repeat(Math.min(rounds, WARM_ROUNDS), round, request, isAsync);
  const cpu = process.cpuUsage();
  const wall = process.hrtime.bigint();
  const answer = await repeat(rounds, round, request, isAsync);
  const wallNs = process.hrtime.bigint() - wall;
  const { user, system } = process.cpuUsage(cpu);
  check(workload, answer);
  console.log(
    JSON.stringify({
      rounds,
      wall_ns: Number(wallNs),
      cpu_ns: (user + system) * 1000,
      request_bytes: request.length,
      answer_bytes: answer.length,
    }),
  );
}

async function repeat(rounds, round, request, isAsync) {
  let answer;
  if (isAsync) for (let number = 0; number < rounds; number++) answer = await round(request);
  else for (let number = 0; number < rounds; number++) answer = round(request);
  return answer;
}

// The client's end of a transport that parses and writes at its border, and does nothing else.
class Pipe {
  async start() {}

  async close() {
    this.onclose?.();
  }

  async send(message) {
    this.answered(Buffer.from(JSON.stringify(message)));
  }

  tell(bytes) {
    this.onmessage(JSON.parse(bytes));
  }

  ask(bytes) {
    return new Promise((resolve) => {
      this.answered = resolve;
      this.tell(bytes);
    });
  }

  async greet(workload) {
    if (workload.isModern) return;
    const [hello, greeted] = workload.handshake;
    await this.ask(hello);
    this.tell(greeted);
  }
}

// Runs `play(workload, rounds, words)` as the command line says.
function main(play) {
  const [verb, name, rounds, folder, ...words] = process.argv.slice(2);
  if (verb !== 'play' || folder === undefined) throw new Error('usage: play NAME ROUNDS DIR WORD...');
  Promise.resolve(play(readWorkload(folder, name), Number(rounds), words)).then(
    () => process.exit(0),
    (error) => {
      console.error(error.message);
      process.exit(error instanceof Unable ? 3 : 1);
    },
  );
}

// What is thrown where a contender has no such thing.
class Unable extends Error {}

module.exports = { Pipe, Unable, main, measure, result };
