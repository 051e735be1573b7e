'use strict';

// How the client answers when the server asks.

const { inspect } = require('node:util');

const { ErrorCode, McpError } = require('../../index.cjs');

const ACTIONS = ['accept', 'decline', 'cancel'];
const KINDS = {
  'elicitation/create': { option: 'elicit', shape: elicited },
  'sampling/createMessage': { option: 'sample', shape: sampled },
  'roots/list': { option: 'roots', shape: rooted },
};

/** What the client answers when the server asks: each a value, or a function that makes one. */
class Answers {
  #given;

  constructor({ elicit, sample, roots }) {
    this.#given = { elicit, sample, roots };
  }

  /** The capabilities of a client that has these answers. */
  get capabilities() {
    const { elicit, sample, roots } = this.#given;
    return {
      ...(elicit !== undefined && { elicitation: { form: {}, url: {} } }),
      ...(sample !== undefined && { sampling: { tools: {} } }),
      ...(roots !== undefined && { roots: {} }),
    };
  }

  /** Gives the object that the specification asks for. */
  async to(method, params) {
    const kind = Object.hasOwn(KINDS, method) ? KINDS[method] : null;
    if (kind === null) throw new McpError(ErrorCode.MethodNotFound, `the test client does not know ${method}`);
    const given = this.#given[kind.option];
    if (given === undefined) {
      throw new McpError(ErrorCode.MethodNotFound, `the server asked for ${method}: give the client the option ${kind.option}`);
    }
    return kind.shape(typeof given === 'function' ? await given(params) : given, params);
  }
}

function elicited(answer, params) {
  if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) {
    return ACTIONS.includes(answer.action) ? answer : { action: 'accept', content: answer };
  }
  if (ACTIONS.includes(answer)) return { action: answer };
  if (params.mode === 'url') return { action: answer ? 'accept' : 'decline' };
  const fields = Object.keys(params.requestedSchema?.properties ?? {});
  if (answer === undefined || answer === null || fields.length !== 1) {
    throw new TypeError(
      `elicit gave ${inspect(answer)} for the form with the fields ${fields.join(', ')}: `
      + "give an object of their values, or 'decline' or 'cancel'",
    );
  }
  return { action: 'accept', content: { [fields[0]]: answer } };
}

function sampled(answer) {
  let whole = answer;
  if (typeof whole === 'string') whole = { type: 'text', text: whole };
  if (typeof whole !== 'object' || whole === null) {
    throw new TypeError(`sample gives a string, content or a whole result, not ${inspect(answer)}`);
  }
  if (whole.content === undefined) whole = { content: whole };
  return { role: 'assistant', model: 'test', stopReason: 'endTurn', ...whole };
}

function rooted(answer) {
  if (Array.isArray(answer?.roots)) return answer;
  if (!Array.isArray(answer)) throw new TypeError('roots gives an array of URIs, or of objects with uri and name');
  return { roots: answer.map((root) => (typeof root === 'string' ? { uri: root } : root)) };
}

module.exports = { Answers };
