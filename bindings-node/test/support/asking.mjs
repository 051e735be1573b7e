// Servers whose tools ask.

import { McpServer } from 'mcplite';

export const ELICIT = 'elicitation/create';
export const SAMPLE = 'sampling/createMessage';
export const ROOTS = 'roots/list';

export function accept(content) {
  return { action: 'accept', content };
}

/** A server with a tool `ask`, and how often its handler began and came to its end. */
export function asking(handler, options) {
  const runs = [];
  const reports = [];
  const server = new McpServer({ name: 's', onError: (error) => reports.push(error), ...options });
  server.registerTool('ask', {}, async (args, ctx) => {
    runs.push('begun');
    const given = await handler(ctx, args);
    runs.push('done');
    return given;
  });
  return { server, runs, reports };
}
