'use strict';

// What a server offers: from a configuration and a function to a definition, and to what answers calls of it.

const { isUint8Array } = require('node:util/types');
const results = require('./results.js');
const { answerThrown } = require('./failures.js');
const { InvalidArgumentsError, InvalidParamsError } = require('./errors.js');

const SEPARATOR = '__';

/** How answers of each kind are made. */
const ANSWERS = {
  tool: results.answerTool,
  resource: results.answerResource,
  template: results.answerResource,
  prompt: results.answerPrompt,
  completion: results.answerCompletion,
  method: results.answerMethod,
};

/**
 * A tool, resource, template, prompt, completion or method that a server offers.
 *
 * `definition` is the object that clients get to see, as the specification writes it; that of a completion says what it
 * belongs to. `run` is called with the arguments and the context.
 */
class Item {
  constructor(kind, name, definition, run, { owner, policy = {}, contents = null, isWrapped = false }) {
    this.kind = kind;
    this.name = name;
    this.definition = definition;
    this.run = run;
    this.owner = owner;
    this.policy = policy;
    this.contents = contents;
    this.isWrapped = isWrapped;
    /** Of one that is mounted: the server it is mounted from, and what it is there. */
    this.source = null;
  }

  /** The same for a server that mounts its server. */
  mounted(prefix, server) {
    const before = prefix === '' ? '' : `${prefix}${SEPARATOR}`;
    let { name, definition } = this;
    if (this.kind === 'tool' || this.kind === 'prompt') {
      name = `${before}${name}`;
      definition = { ...definition, name };
    } else if (this.kind === 'completion' && definition.kind === 'prompt') {
      definition = { ...definition, of: `${before}${definition.of}` };
      name = completionName(definition);
    }
    const item = new Item(this.kind, name, definition, this.run, this);
    item.source = { server, item: this };
    return item;
  }

  /** Whether it is known by a URI, which stays what it is wherever it is mounted. */
  get keepsName() {
    return ['resource', 'template'].includes(this.kind) || (this.kind === 'completion' && this.definition.kind === 'template');
  }

  /** Whether both are what one server offers, which is mounted at two places. */
  isSame(other) {
    if (other === undefined || this.source === null || other.source === null) return false;
    return this.keepsName && this.source.item === other.source.item;
  }

  /** The middleware around it: that of the server, then of those that it is mounted from. */
  layers(server) {
    const own = server.layers;
    return this.source === null ? own : [...own, ...this.source.item.layers(this.source.server)];
  }

  /** Hands it to the engine of a server. */
  register(server, pump, replace) {
    const { engine } = pump;
    const number = this.run === null ? 0 : pump.addHandler(new Entry(this, server));
    if (this.kind === 'method') engine.registerMethod(this.name, number, replace);
    else if (this.kind === 'completion') {
      const { kind, of, argument } = this.definition;
      engine.registerCompletion(kind, of, argument, number, replace);
    } else {
      const policy = JSON.stringify(this.policy);
      engine.register(this.kind, JSON.stringify(this.definition), policy, number, this.contents ?? undefined, replace);
    }
  }

  /** Takes it away from the engine. */
  unregister(engine) {
    if (this.kind === 'completion') {
      const { kind, of, argument } = this.definition;
      engine.unregisterCompletion(kind, of, argument);
    } else engine.unregister(this.kind, this.name);
  }
}

/** What answers the calls of an item at one server. */
class Entry {
  #item;
  #server;
  #answer;
  #layered;

  constructor(item, server) {
    this.#item = item;
    this.#server = server;
    this.#answer = ANSWERS[item.kind];
    this.isStructured = item.definition.outputSchema !== undefined;
    this.isWrapped = item.isWrapped;
    this.mimeType = item.definition.mimeType;
    const layers = item.layers(server);
    this.#layered = layers.length === 0 ? null : require('./middleware.js').layered(layers, (args, context) => this.#run(args, context));
    if (this.#layered === null && item.owner === server) {
      const { run } = item;
      this.call = (args, context) => run(args, context);
    }
  }

  /** The item, for messages about it. */
  get noun() {
    return `${this.#item.kind} ${JSON.stringify(this.#item.name)}`;
  }

  call(args, context) {
    return this.#layered === null ? this.#run(args, context) : this.#layered(args, context);
  }

  answer(value, context) {
    return this.#answer(value, this, context);
  }

  fail(error, context) {
    return answerThrown(error, context, this.#server);
  }

  #run(args, context) {
    context.belongTo(this.#item.owner);
    return this.#item.run(args, context);
  }
}

/** What a completion is known by. */
function completionName({ argument, of }) {
  return `${argument} of ${of}`;
}

/** The members that say something. */
function defined(members) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function tool(owner, name, config, handler) {
  const { inputSchema, outputSchema, title, description, annotations, icons, _meta, timeout, coerce, hidden, hostEnforces } = config;
  const what = `tool ${JSON.stringify(name)}`;
  let input = EMPTY;
  let run = handler;
  let isEnforced = hostEnforces;
  if (inputSchema !== undefined) {
    const { json, validate } = require('./schema.js').describe(inputSchema, `inputSchema of ${what}`);
    input = json;
    if (validate !== null) {
      run = (args, context) => after(() => validate(args), InvalidArgumentsError, (value) => handler(value, context));
      isEnforced ??= true;
    }
  }
  let output;
  let isWrapped = false;
  if (outputSchema !== undefined) {
    const { json, validate } = require('./schema.js').describe(outputSchema, `outputSchema of ${what}`, 'output');
    isWrapped = json.type !== 'object' && json.properties === undefined;
    output = isWrapped ? { type: 'object', properties: { result: json }, required: ['result'] } : json;
    if (validate !== null) {
      run = validated(run, validate, isWrapped);
      isEnforced ??= true;
    }
  }
  const definition = defined({ name, title, description, inputSchema: input, outputSchema: output, annotations, icons, _meta });
  const policy = defined({ timeout, coerce, hidden, hostEnforces: isEnforced });
  return new Item('tool', name, definition, run, { owner, policy, isWrapped });
}

const EMPTY = Object.freeze({ type: 'object', properties: {}, additionalProperties: false });

/** Goes on with what `first` gives, now or later; values that it refuses are told as an error of that class. */
function after(first, Refused, next) {
  const refuse = (error) => {
    // Whatever else a library throws is a defect of the program, such as a transform that fails.
    throw error?.name === 'Mismatch' ? new Refused(error.message) : error;
  };
  let value;
  try {
    value = first();
  } catch (error) {
    refuse(error);
  }
  return typeof value?.then === 'function' ? value.then(next, refuse) : next(value);
}

/** A handler whose values go through the library's side that comes out; of whole results, what is structured. */
function validated(run, validate, isWrapped) {
  const check = (value) => {
    if (value === null || typeof value !== 'object' || !results.isToolResult(value)) return validate(value);
    const { structuredContent } = value;
    if (structuredContent === undefined || value.isError) return value;
    const made = validate(isWrapped ? structuredContent?.result : structuredContent);
    const whole = (content) => ({ ...value, structuredContent: isWrapped ? { result: content } : content });
    return typeof made?.then === 'function' ? made.then(whole) : whole(made);
  };
  return (args, context) => {
    const value = run(args, context);
    return typeof value?.then === 'function' ? value.then(check) : check(value);
  };
}

function resource(owner, name, uri, config, source) {
  const { title, description, mimeType, size, annotations, icons, _meta, timeout, cacheTtl, cachePublic, hidden } = config;
  const isTemplate = uri.includes('{');
  const isFixed = typeof source !== 'function';
  const bytes = typeof source === 'string' ? Buffer.from(source) : source;
  if (isFixed && !isUint8Array(bytes)) {
    throw new TypeError(`resource ${JSON.stringify(name)} needs its contents, or a function that gives them`);
  }
  if (isFixed && isTemplate) throw new TypeError(`${uri} stands for many resources; give a function for their contents`);
  const definition = defined({
    [isTemplate ? 'uriTemplate' : 'uri']: uri, name, title, description,
    mimeType: mimeType ?? (typeof source === 'string' ? 'text/plain' : undefined), size, annotations, icons, _meta,
  });
  const policy = defined({ timeout, cacheTtl, cachePublic, hidden });
  const run = isFixed ? null : isTemplate
    ? (variables, context) => source(location(context.name), variables, context)
    : (_, context) => source(location(context.name), context);
  return new Item(isTemplate ? 'template' : 'resource', uri, definition, run, { owner, policy, contents: isFixed ? bytes : null });
}

function location(uri) {
  // What the engine takes for a URI may be none to the web.
  return URL.canParse(uri) ? new URL(uri) : { href: uri, toString: () => uri, toJSON: () => uri };
}

function prompt(owner, name, config, handler) {
  const { title, description, argsSchema, arguments: given, icons, _meta, timeout } = config;
  let run = handler;
  let args = given;
  if (argsSchema !== undefined) {
    const what = `argsSchema of prompt ${JSON.stringify(name)}`;
    const { describe, textArguments, textConverter } = require('./schema.js');
    const { json, validate } = describe(argsSchema, what);
    args ??= textArguments(json, what);
    const convert = textConverter(json);
    const read = (texts) => {
      const values = convert === null ? texts : convert(texts);
      return validate === null ? values : validate(values);
    };
    run = (texts, context) => after(() => read(texts), InvalidParamsError, (values) => handler(values, context));
  }
  const listed = args === undefined || args.length === 0 ? undefined : args;
  const definition = defined({ name, title, description, arguments: listed, icons, _meta });
  return new Item('prompt', name, definition, run, { owner, policy: defined({ timeout }) });
}

function completion(owner, kind, of, argument, handler) {
  const definition = { kind, of, argument };
  const run = ({ value, arguments: known }, context) => {
    context.setArguments(known);
    return handler(value, context);
  };
  return new Item('completion', completionName(definition), definition, run, { owner });
}

function method(owner, name, handler) {
  return new Item('method', name, {}, handler, { owner });
}

module.exports = { tool, resource, prompt, completion, method };
