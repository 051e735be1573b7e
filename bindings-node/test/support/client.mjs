// A client for tests, as small as it can be: it speaks to a session, in either era, and answers when it is asked.

export const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
export const LEGACY = '2025-11-25';
export const MODERN = '2026-07-28';
export const ERAS = [LEGACY, MODERN];

/** Milliseconds after which what should have happened will not happen any more. */
export const PATIENCE = 10_000;

const PREFIX = 'io.modelcontextprotocol/';

export class RpcError extends Error {
  constructor({ code, message, data }) {
    super(message);
    Object.assign(this, { name: 'RpcError', code, data });
  }
}

/** Resolves as the promise does, or rejects when it takes too long. */
export async function soon(promise, what = 'what was awaited') {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not happen`)), PATIENCE);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** One turn of the loop: whatever was due has been done. */
export function turn() {
  return new Promise((resolve) => setImmediate(resolve));
}

export function request(id, method, params = {}) {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

export function notification(method, params = {}) {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}

export function call(id, name, args = {}) {
  return request(id, 'tools/call', { name, arguments: args });
}

export function hello(revision = LEGACY, capabilities = {}) {
  return request('hello', 'initialize', {
    protocolVersion: revision, capabilities, clientInfo: { name: 'test', version: '1' },
  });
}

/** The members of `_meta` that each request has since 2026-07-28. */
export function modernMeta({ capabilities = {}, clientInfo = { name: 'test', version: '1' }, logLevel } = {}) {
  return {
    [`${PREFIX}protocolVersion`]: MODERN,
    [`${PREFIX}clientInfo`]: clientInfo,
    [`${PREFIX}clientCapabilities`]: capabilities,
    ...(logLevel === undefined ? {} : { [`${PREFIX}logLevel`]: logLevel }),
  };
}

/** The messages in what a session gave. */
export function messages(output) {
  return String(output ?? '').split('\n').filter(Boolean).map((line) => JSON.parse(line));
}

/** A session that has shaken hands, for tests of raw bytes. */
export function shakenHands(server, revision = LEGACY, options) {
  const session = server.session(options);
  session.handle(hello(revision));
  session.handle(notification('notifications/initialized'));
  return session;
}

/**
 * A client at a session. `answers` has a function for each method that it can be asked, which gets the params and gives
 * the result; the capabilities follow from them unless they are given.
 */
export class Client {
  #server;
  #options;
  #isModern;
  #lastId = 0;
  #pending = new Map();
  #waiting = [];
  notifications = [];
  /** What it was asked: method and params of each. */
  asked = [];

  constructor(server, options = {}) {
    this.#server = server;
    this.#options = { revision: LEGACY, answers: {}, clientInfo: { name: 'test', version: '1' }, ...options };
    this.#options.capabilities ??= capabilitiesFor(this.#options.answers);
    this.#isModern = this.#options.revision === MODERN;
    this.reconnect(server);
  }

  /** A new session, which goes on with everything else. */
  reconnect(server = this.#server) {
    const { revision, capabilities, clientInfo, principal, state, logLevel } = this.#options;
    this.session = server.session({ principal, state });
    this.session.onOutput = () => this.#take(this.session.drain());
    if (this.#isModern) return;
    const said = this.session.handle(request('hello', 'initialize', { protocolVersion: revision, capabilities, clientInfo }));
    this.initialized = messages(said)[0].result;
    this.#feed(notification('notifications/initialized'));
    if (logLevel !== undefined) this.#feed(request('level', 'logging/setLevel', { level: logLevel }));
  }

  /** The whole answer to a request; questions on the way are answered. */
  async answer(method, params = {}) {
    for (;;) {
      const message = await this.begin(method, params).answer;
      const { result } = message;
      if (result?.resultType !== 'input_required') return message;
      const given = await Promise.all(Object.entries(result.inputRequests ?? {}).map(async ([key, question]) => {
        const { method: asked, params: how } = question;
        return [key, await this.#answerTo(asked, how)];
      }));
      params = { ...params, inputResponses: Object.fromEntries(given), requestState: result.requestState };
    }
  }

  /** Sends a request; gives its id, and the next answer to it for whoever waits for that. */
  begin(method, params = {}) {
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = new Promise((resolve) => this.#pending.set(id, resolve));
    this.#feed(request(id, method, this.#dressed(params)));
    return {
      id,
      get answer() {
        return soon(answer, `the answer to ${method}`);
      },
    };
  }

  async request(method, params) {
    const { result, error } = await this.answer(method, params);
    if (error !== undefined) throw new RpcError(error);
    return result;
  }

  call(name, args = {}, more = {}) {
    return this.request('tools/call', { name, arguments: args, ...more });
  }

  /** What a tool says; a failure is marked. */
  async text(name, args, more) {
    const { content, isError } = await this.call(name, args, more);
    const text = content.map((block) => block.text).join('|');
    return isError ? `failed: ${text}` : text;
  }

  /** The error that answers a request. */
  async refusal(method, params) {
    const { error } = await this.answer(method, params);
    if (error === undefined) throw new Error(`${method} was not refused`);
    return error;
  }

  async tools() {
    return (await this.request('tools/list')).tools.map(({ name }) => name);
  }

  notify(method, params) {
    this.#feed(notification(method, params));
  }

  cancel(id, reason) {
    this.notify('notifications/cancelled', { requestId: id, reason });
  }

  /** Watches lists and resources, in the way of its era. */
  async listen({ tools, prompts, resources, uris = [] } = {}) {
    if (!this.#isModern) {
      for (const uri of uris) await this.request('resources/subscribe', { uri });
      return;
    }
    const notifications = { toolsListChanged: tools, promptsListChanged: prompts, resourcesListChanged: resources };
    if (uris.length > 0) notifications.resourceSubscriptions = uris;
    this.#lastId += 1;
    this.#feed(request(this.#lastId, 'subscriptions/listen', this.#dressed({ notifications })));
    await this.told('notifications/subscriptions/acknowledged');
  }

  /** Params of the next notification of a method, which is taken out. */
  told(method) {
    const found = this.notifications.findIndex((own) => own.method === method);
    if (found >= 0) return Promise.resolve(this.notifications.splice(found, 1)[0].params ?? {});
    const promise = new Promise((resolve) => this.#waiting.push({ method, resolve }));
    return soon(promise, method);
  }

  /** Params of all notifications of a method so far. */
  all(method) {
    return this.notifications.filter((own) => own.method === method).map(({ params }) => params);
  }

  close() {
    this.session.onOutput = null;
    this.session.close();
  }

  #dressed(params) {
    if (!this.#isModern) return params;
    return { ...params, _meta: { ...modernMeta(this.#options), ...params._meta } };
  }

  #feed(text) {
    this.#take(this.session.handle(text));
  }

  #take(output) {
    for (const message of messages(output)) this.#hear(message);
  }

  #hear(message) {
    if (message.method === undefined) {
      this.#pending.get(message.id)?.(message);
      this.#pending.delete(message.id);
    } else if (message.id !== undefined) {
      this.#reply(message);
    } else {
      const found = this.#waiting.findIndex(({ method }) => method === message.method);
      if (found < 0) this.notifications.push(message);
      else this.#waiting.splice(found, 1)[0].resolve(message.params ?? {});
    }
  }

  async #reply({ id, method, params }) {
    let body;
    try {
      body = { result: await this.#answerTo(method, params) };
    } catch (error) {
      body = { error: { code: error.code ?? -1, message: error.message } };
    }
    if (!this.session.isClosed) this.#feed(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
  }

  async #answerTo(method, params) {
    this.asked.push({ method, params });
    const answer = this.#options.answers[method];
    if (answer === undefined) throw new Error(`nobody answers ${method}`);
    return typeof answer === 'function' ? answer(params) : answer;
  }
}

function capabilitiesFor(answers) {
  return {
    ...(answers['elicitation/create'] && { elicitation: { form: {}, url: {} } }),
    ...(answers['sampling/createMessage'] && { sampling: { tools: {} } }),
    ...(answers['roots/list'] && { roots: {} }),
  };
}
