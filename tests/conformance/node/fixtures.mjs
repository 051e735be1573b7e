// The file of fixtures, and the server that it describes.

import { readFileSync } from 'node:fs';
import { McpServer } from './package.mjs';
import { Attempt, isAtOnce } from './steps.mjs';

/** A server that offers everything in the file. */
export function load(path) {
  const said = JSON.parse(readFileSync(path, 'utf8'));
  const server = new McpServer(said.server);
  const completions = said.items.filter((item) => item.kind === 'completion');
  said.items.forEach((item, place) => {
    if (item.kind === 'completion') return;
    offer(server, item, handler(said, item, place), completionsOf(said, completions, item));
  });
  return server;
}

/** Where nothing has to be waited for, both kinds of handlers take turns. */
function handler(said, item, place) {
  if (isAtOnce(item) && place % 2 === 0) return (args, ctx) => new Attempt(said, item, args, ctx).answerAtOnce();
  return async (args, ctx) => new Attempt(said, item, args, ctx).answer();
}

function completionsOf(said, completions, { kind, definition }) {
  const own = completions.filter(({ prompt }) => kind === 'prompt' && prompt === definition.name);
  return Object.fromEntries(own.map((item) => [
    item.argument, (value, ctx) => new Attempt(said, item, ctx.arguments, ctx).answerAtOnce(),
  ]));
}

function offer(server, item, answer, complete) {
  const { name, uri, uriTemplate, ...config } = item.definition;
  if (item.kind === 'tool') server.registerTool(name, config, answer);
  else if (item.kind === 'prompt') server.registerPrompt(name, { ...config, complete }, answer);
  else if (item.kind === 'resource') server.registerResource(name, uri, config, (_, ctx) => answer({}, ctx));
  else server.registerResource(name, uriTemplate, config, (_, variables, ctx) => answer(variables, ctx));
}
