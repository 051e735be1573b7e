'use strict';

const { ErrorCode, MCPError } = require('./errors.js');

/** What a request or notification of one method looks like. */
class MessageSchema {
  #needs;

  /** `needs` says of which type members of `params` must be; those with a question mark may be absent. */
  constructor(method, needs = {}) {
    this.method = method;
    this.shape = { method: { value: method } };
    this.isOfProtocol = true;
    this.#needs = Object.entries(needs);
  }

  parse(message) {
    const issues = this.#issues(message);
    if (issues.length > 0) throw invalid(issues);
    return message;
  }

  safeParse(message) {
    const issues = this.#issues(message);
    return issues.length > 0 ? { success: false, error: invalid(issues) } : { success: true, data: message };
  }

  get '~standard'() {
    const validate = (message) => {
      const issues = this.#issues(message);
      return issues.length > 0 ? { issues } : { value: message };
    };
    return { version: 1, vendor: 'mcplite', validate };
  }

  #issues(message) {
    const params = message?.params ?? {};
    if (message?.method !== this.method) return [{ message: `must be ${this.method}`, path: ['method'] }];
    if (!isObject(params)) return [{ message: 'must be an object', path: ['params'] }];
    const issues = [];
    for (const [name, type] of this.#needs) {
      const value = params[name];
      if (value === undefined && type.endsWith('?')) continue;
      const needed = type.replace('?', '');
      if (needed === 'object' ? isObject(value) : typeof value === needed) continue;
      const message = value === undefined ? 'is missing' : `must be of type ${needed}`;
      issues.push({ message, path: ['params', name] });
    }
    return issues;
  }
}

/** The method that a schema is for: ours, zod's and others with a literal `method`, or a plain text. */
function methodOf(schema) {
  const method = typeof schema === 'string' ? schema : literal(schema?.method ?? shapeOf(schema)?.method);
  if (typeof method === 'string' && method !== '') return method;
  throw new TypeError('the schema names no method: it needs a literal, such as z.object({ method: z.literal("my/method") })');
}

/** The members of a schema of an object: of zod 3, zod 4 and its mini, valibot, or JSON Schema. */
function shapeOf(schema) {
  const shape = schema?.shape ?? schema?._zod?.def?.shape ?? schema?._def?.shape ?? schema?.entries ?? schema?.properties;
  return typeof shape === 'function' ? shape() : shape;
}

function literal(schema) {
  if (typeof schema !== 'object' || schema === null) return schema;
  return schema._zod?.def?.values?.[0] ?? schema._def?.value ?? schema.value ?? schema.literal ?? schema.const;
}

/** The message as its schema makes it, or a promise of it. */
function validated(schema, message) {
  const standard = schema?.['~standard'];
  if (typeof standard?.validate === 'function') {
    const outcome = standard.validate(message);
    return typeof outcome?.then === 'function' ? Promise.resolve(outcome).then(valueOf) : valueOf(outcome);
  }
  if (typeof schema?.safeParse === 'function') {
    const { success, data, error } = schema.safeParse(message);
    if (!success) throw invalid(error?.issues ?? [{ message: String(error?.message ?? error) }]);
    return data;
  }
  return message;
}

function valueOf(outcome) {
  if (outcome.issues !== undefined) throw invalid(outcome.issues);
  return outcome.value;
}

function invalid(issues) {
  const texts = issues.map(({ message, path = [] }) => {
    const place = path.map((step) => String(step?.key ?? step)).join('.');
    return place === '' ? message : `${place}: ${message}`;
  });
  return new MCPError(ErrorCode.InvalidParams, `Invalid params: ${texts.join('; ')}`);
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

module.exports = { MessageSchema, methodOf, validated };
