// The servers that an HTTP transcript talks to, made from its options, and what their host does.

import http from 'node:http';
import { once } from 'node:events';
import { turn } from '../client.mjs';
import { WAYS } from '../web.mjs';
import { Stage } from './stage.mjs';

const NUMBERS = {
  'body-bytes': 'bodyBytes', 'header-bytes': 'headerBytes', 'header-count': 'headerCount', keepalive: 'keepaliveMs', 'replay-bytes': 'replayBytes',
  retry: 'retryMs', 'session-idle': 'sessionIdleMs', sessions: 'sessions',
};
const LISTS = { cors: 'corsOrigins', hosts: 'allowedHosts', origins: 'allowedOrigins' };

export class Endpoint {
  /** How many requests have arrived, and how many of them are over. */
  arrived = 0;
  over = 0;
  #stage;
  #others = new Map();
  #web;

  static async open(lines, way) {
    const endpoint = new Endpoint();
    const options = lines.map((line) => [line.split(' ', 1)[0], line.slice(line.indexOf(' ') + 1)]);
    endpoint.#stage = new Stage(options.filter(([key]) => !isOwn(key)));
    const settings = { path: '/mcp' };
    for (const [key, value] of options.filter(([name]) => isOwn(name))) {
      if (key === 'mount') endpoint.#mount(value, way);
      else Object.assign(settings, setting(key, value));
    }
    const handler = WAYS[way](endpoint.#stage.server, settings);
    // Whether a host is needed is the engine's affair here.
    endpoint.#web = http.createServer({ requireHostHeader: false }, (request, response) => {
      endpoint.arrived += 1;
      response.once('close', () => {
        endpoint.over += 1;
      });
      const other = endpoint.#others.get(request.url.split('?')[0]);
      (other === undefined ? handler : other.handler)(request, response);
    });
    await once(endpoint.#web.listen(0, '127.0.0.1'), 'listening');
    return endpoint;
  }

  get port() {
    return this.#web.address().port;
  }

  /** Has the host do something; gives what it learned by that. */
  async do(action) {
    const [verb, one = '', ...others] = action.split(' ');
    const { context } = this.#stage.memory.held.get(one) ?? {};
    if (verb === 'progress') context.progress(Number(others[0]));
    else if (verb === 'close-stream') return context.closeStream() ? 'closed' : 'refused';
    else if (verb === 'cancelled') {
      // Hearing of it takes the turn after the one in which it happened.
      await turn();
      return context.cancelled ? 'yes' : 'no';
    } else if (verb === 'unmount') this.#others.delete(one);
    else {
      await this.#stage.act(verb, action.slice(verb.length + 1));
      // Anything has the package look what there is to do.
      this.#stage.server.notifyUpdated('nobody:watches');
      if (verb === 'time') for (const { stage } of this.#others.values()) stage.time(Number(one));
    }
    return null;
  }

  close() {
    this.#stage.close();
    for (const { stage } of this.#others.values()) stage.close();
    this.#web.close();
    this.#web.closeAllConnections();
  }

  /** A handler has one server: others stand beside it, as the program leads requests to them. */
  #mount(value, way) {
    const [path, fixture] = value.split(' ');
    const stage = new Stage([['fixture', fixture]]);
    this.#others.set(path, { stage, handler: WAYS[way](stage.server, { path }) });
  }
}

function isOwn(key) {
  return key in NUMBERS || key in LISTS || ['authorize', 'mount', 'resource-metadata', 'sse', 'stateless'].includes(key);
}

function setting(key, value) {
  if (key in NUMBERS) return { [NUMBERS[key]]: Number(value) };
  if (key in LISTS) return { [LISTS[key]]: value.split(',') };
  if (key === 'authorize') return { authorize };
  if (key === 'resource-metadata') return { resourceMetadata: JSON.parse(value) };
  if (key === 'stateless') return { stateless: value === 'on' };
  const [ssePath, ssePostPath] = value.split(' ');
  return { ssePath, ssePostPath };
}

/** Takes the token for the name of whoever sends it, but for two that are not good enough. */
function authorize(request) {
  const [kind, token] = (request.headers.authorization ?? '').split(' ');
  if (kind !== 'Bearer') {
    request.setChallenge('scope="files:read"');
    return 401;
  }
  if (token === 'expired') request.setChallenge('error="invalid_token"');
  if (token === 'weak') request.setChallenge('scope="files:write"');
  return { expired: 401, weak: 403 }[token] ?? token;
}
