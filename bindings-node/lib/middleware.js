'use strict';

// Middleware: functions around every request.

const { refusal } = require('./errors.js');
const { answerPassed } = require('./results.js');
const { answerThrown } = require('./failures.js');

/** A request on its way to whoever answers it. Middleware may change the arguments. */
class Request {
  constructor(context, args) {
    this.context = context;
    this.arguments = args;
  }

  get method() {
    return this.context.method;
  }

  get name() {
    return this.context.name;
  }
}

/** Puts layers around a function of arguments and context, the first outermost. */
function layered(layers, call) {
  return (args, context) => {
    const request = new Request(context, args);
    const at = async (place) => {
      if (place === layers.length) return call(request.arguments, context);
      return layers[place](request, () => at(place + 1));
    };
    return at(0);
  };
}

/** What answers requests in the engine's place, with middleware around it. */
class EngineEntry {
  #pump;
  #server;
  #layered;
  noun = 'middleware';

  constructor(pump, server) {
    this.#pump = pump;
    this.#server = server;
    this.#layered = layered(server.layers, (_, context) => this.#ask(context));
  }

  call(args, context) {
    return this.#layered(args, context);
  }

  answer(value, context) {
    return answerPassed(value, this, context);
  }

  fail(error, context) {
    return answerThrown(error, context, this.#server);
  }

  #ask(context) {
    const { result, error } = JSON.parse(this.#pump.engine.engineAnswer(context.number));
    if (error !== undefined) throw refusal(error);
    return result;
  }
}

module.exports = { layered, EngineEntry };
