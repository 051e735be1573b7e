// A client of 2025-11-25 at the other end of a session.

import { once } from 'node:events';

const MEMBERS = { protocolVersion: '2025-11-25', clientInfo: { name: 'peer', version: '1.0.0' } };

export class Peer {
  #session;
  #ids = 0;
  #ready = new EventTarget();

  /** `elicit` answers questions to the user: it gets the params and gives the result. */
  constructor(server, { elicit } = {}) {
    this.elicit = elicit;
    this.#session = server.session();
    this.#session.onOutput = () => this.#ready.dispatchEvent(new Event('output'));
    const capabilities = elicit ? { elicitation: {} } : {};
    this.#session.handle(JSON.stringify(message('initialize', { ...MEMBERS, capabilities }, 'hello')));
    this.#session.handle(JSON.stringify(message('notifications/initialized')));
  }

  /** The result of a request; an error is thrown as the object that it is. */
  async request(method, params) {
    const id = ++this.#ids;
    let next = parse(this.#session.handle(JSON.stringify(message(method, params, id))));
    for (;;) {
      next ??= parse(this.#session.poll());
      if (next === null) {
        await once(this.#ready, 'output', { signal: AbortSignal.timeout(5000) });
      } else if (next.method === 'elicitation/create') {
        const result = await this.elicit(next.params);
        next = parse(this.#session.handle(JSON.stringify({ jsonrpc: '2.0', id: next.id, result })));
      } else {
        if (next.error) throw next.error;
        return next.result;
      }
    }
  }

  /** The tool's result. */
  call(name, args = {}) {
    return this.request('tools/call', { name, arguments: args });
  }

  /** What the tool is listed as. */
  async tool(name) {
    const { tools } = await this.request('tools/list');
    return tools.find((tool) => tool.name === name);
  }
}

function message(method, params, id) {
  return { jsonrpc: '2.0', id, method, params };
}

function parse(bytes) {
  return bytes === null ? null : JSON.parse(bytes);
}
