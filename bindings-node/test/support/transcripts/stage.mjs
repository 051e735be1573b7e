// The server of a transcript and what its host does.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { McpServer, ToolError } from 'mcplite';

import { turn } from '../client.mjs';
import { askHeld } from './asking.mjs';
import { Memory, behaviour } from './behaviours.mjs';
import { RawCall, addon, engineOf } from './call.mjs';

export const FOLDER = join(process.env.MCPLITE_REPOSITORY, 'tests', 'transcripts');
const FIXTURES = { '': 'fixture.json', asking: 'fixture-asking.json' };
const CALLS = 1;

const LIMITS = {
  depth: 'depth', 'message-bytes': 'messageBytes', 'open-calls': 'openCalls', 'batch-messages': 'batchMessages', 'subscriptions': 'subscriptions',
  'listen-streams': 'listenStreams', 'ask-rounds': 'askRounds', 'state-bytes': 'stateBytes',
};
const NUMBERS = { 'page-size': 'pageSize', deadline: 'timeout', 'state-ttl': 'questionTtl' };
const SWITCHES = { logging: 'logging', identify: 'identify', stacktraces: 'debug' };

/** A server made from a fixture, whose clock and random bytes are the same in every run. */
export class Stage {
  #memory = new Memory();
  #registered = new Map();
  #completions = new Map();
  #engine;
  #mayRun = true;
  #restore = () => {};

  constructor(options) {
    const own = new Map(options);
    const name = own.get('fixture') ?? '';
    const fixture = name === 'empty' ? { options: { name: 'empty', version: '1.0' }, items: [] } : read(FIXTURES[name]);
    this.#memory.questions = fixture.questions ?? {};
    this.server = new McpServer({ ...fixture.options, ...settings(options), sealKeys: [Buffer.alloc(32, 1)], onError() {} });
    this.#engine = engineOf(this.server);
    this.#engine.setClock(0);
    this.#engine.setEntropy(own.get('entropy') !== 'off');
    if (own.has('around')) this.server.use((request, next) => next());
    for (const item of fixture.items) if (item.kind === 'completion') this.#noteCompletion(item);
    for (const item of fixture.items) if (item.kind !== 'completion') this.#register(item, false);
    if (own.get('dispatch') === 'queued') this.#queue();
  }

  async act(verb, rest) {
    const [one, ...others] = rest.split(' ');
    const action = ACTIONS[verb];
    if (action === undefined) throw new Error(`unknown action ${verb}`);
    await action(this, one, others.join(' '), rest);
  }

  /** A new connection, and the engine's own for what the public one does not have. */
  connect() {
    let native;
    // The package keeps it to itself.
    this.#engine.session = () => {
      native = Object.getPrototypeOf(this.#engine).session.call(this.#engine);
      return native;
    };
    const session = this.server.session({ principal: 'somebody' });
    delete this.#engine.session;
    return { session, native };
  }

  close() {
    this.#restore();
    this.server.close();
  }

  /** Has calls wait until the host runs them, which the package does by itself. */
  #queue() {
    const { flags, takeCalls } = addon;
    addon.flags = (engine) => (this.#mayRun ? flags(engine) : flags(engine) & ~CALLS);
    addon.takeCalls = (engine) => (this.#mayRun ? takeCalls(engine) : null);
    this.#restore = () => Object.assign(addon, { flags, takeCalls });
    this.#mayRun = false;
  }

  async run() {
    this.#mayRun = true;
    // Anything has the package look what there is to do.
    this.server.notifyUpdated('nobody:watches');
    await turn();
    this.#mayRun = false;
  }

  time(now) {
    this.#engine.setClock(now);
    this.#engine.tick();
    this.server.notifyUpdated('nobody:watches');
  }

  held(key) {
    const held = this.#memory.held.get(key);
    this.#memory.held.delete(key);
    return held;
  }

  get memory() {
    return this.#memory;
  }

  setKeys(bytes) {
    this.#engine.setSealKeys(Buffer.concat(bytes.map((byte) => Buffer.alloc(32, byte))));
  }

  register(item) {
    this.#register(item, true);
  }

  unregister(kind, name) {
    this.#registered.get(`${kind} ${name}`).remove();
  }

  #noteCompletion({ prompt, template, argument, does }) {
    const suggest = behaviour({ does }, this.#memory);
    this.#completions.set(prompt ?? template, { [argument]: suggest });
  }

  #register(item, replace) {
    const run = behaviour(item, this.#memory);
    const { kind, definition = {}, deadlineMs: timeout, hidden, cache, contents } = item;
    const { name, uri, uriTemplate, ...rest } = definition;
    const known = { ...rest, timeout, hidden, replace, complete: this.#completions.get(uriTemplate ?? name) };
    const cached = cache === undefined ? known : { ...known, cacheTtl: cache.ttlMs, cachePublic: cache.scope === 'public' };
    const register = {
      method: () => this.server.on(item.method, run),
      tool: () => this.#inItsOwnWords(definition, () => this.server.registerTool(name, known, run)),
      prompt: () => this.server.registerPrompt(name, known, run),
      resource: () => this.server.registerResource(name, uri, cached, contents ?? ((at, context) => run({}, context))),
      template: () => this.server.registerResource(name, uriTemplate, cached, (at, variables, context) => run(variables, context)),
    }[kind];
    this.#registered.set(`${kind} ${uri ?? uriTemplate ?? name}`, register());
  }

  /** Registers a tool with exactly that definition, where the package would make another one of it. */
  #inItsOwnWords(definition, register) {
    const isWrapped = definition.outputSchema?.type === 'array';
    if (isWrapped || definition.inputSchema === undefined) {
      const { register: own } = Object.getPrototypeOf(this.#engine);
      this.#engine.register = (kind, _, ...rest) => own.call(this.#engine, kind, JSON.stringify(definition), ...rest);
    }
    try {
      return register();
    } finally {
      delete this.#engine.register;
    }
  }
}

const ACTIONS = {
  time: (stage, now) => stage.time(Number(now)),
  run: (stage) => stage.run(),
  answer: (stage, key, text) => stage.held(key).resolve(text),
  fail: (stage, key, text) => stage.held(key).reject(new ToolError(text)),
  release: (stage, key) => new RawCall(stage.held(key).context).release(),
  ask: (stage, key, question) => askHeld(stage.held(key), question, stage.memory),
  take: (stage, one, others, text) => stage.memory.waiting.shift()(text),
  register: (stage, one, others, json) => stage.register(JSON.parse(json)),
  unregister: (stage, kind, name) => stage.unregister(kind, name),
  updated: (stage, one, others, uris) => uris.split(' ').forEach((uri) => stage.server.notifyUpdated(uri)),
  'list-changed': (stage, one, others, kinds) => kinds.split(' ').forEach((kind) => stage.server.notifyListChanged(kind)),
  elicited(stage, id) {
    stage.memory.elicited.add(id);
    stage.server.notifyElicited(id);
  },
  keys: (stage, one, others, bytes) => stage.setKeys(bytes.split(' ').map(Number)),
  shutdown(stage) {
    stage.server.shutdown();
  },
};

function settings(options) {
  const settings = { limits: {} };
  for (const [key, value] of options) {
    if (key in LIMITS) settings.limits[LIMITS[key]] = Number(value);
    else if (key in NUMBERS) settings[NUMBERS[key]] = Number(value);
    else if (key in SWITCHES) settings[SWITCHES[key]] = value === 'on';
    else if (key === 'preset') settings.errors = value;
    else if (key === 'revisions') settings.revisions = value.split(',');
    else if (key === 'cache') Object.assign(settings, { cacheTtl: Number(value.split(' ')[0]), cachePublic: value.endsWith(' public') });
    else if (!['fixture', 'entropy', 'dispatch', 'around'].includes(key)) throw new Error(`unknown option ${key}`);
  }
  return settings;
}

function read(file) {
  return JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
}
