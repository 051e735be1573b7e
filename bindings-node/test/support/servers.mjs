// Servers for the tests of the client for tests.

import { McpServer, ToolError } from 'mcplite';

export const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
export const ERAS = ['legacy', 'modern'];

const FORM = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name'],
};
const NUMBERS = { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer', default: 2 } }, required: ['a'] };

/** A server that has something of everything. */
export function everything() {
  const server = new McpServer({ name: 'tested', version: '2.1', instructions: 'Be kind.' });
  const adding = { inputSchema: NUMBERS, outputSchema: { type: 'integer' } };
  const add = server.registerTool('add', adding, ({ a, b = 2 }) => a + b);
  server.registerTool('fail', {}, () => {
    throw new ToolError('it broke');
  });
  server.registerTool('work', {}, (_, ctx) => {
    ctx.progress(1, 2, 'half');
    ctx.progress(2, 2);
    ctx.log('info', { step: 1 }, 'worker');
    return 'worked';
  });
  server.registerTool('who', {}, (_, ctx) => `${ctx.principal} ${ctx.state}`);
  server.registerTool('later', {}, async () => {
    await null;
    return 'hi';
  });
  server.registerTool('echo', {}, (_, ctx) => ({ content: [], _meta: { 'my/own': ctx.meta['my/key'] } }));
  server.registerResource('config', 'cfg://main', { mimeType: 'text/plain' }, () => 'on');
  const complete = { name: () => ['file'] };
  server.registerResource('raw', 'raw://{name}', { complete }, (_, { name }) => Buffer.from(`\xff${name}`, 'latin1'));
  const names = (value) => ['Ada', 'Alan', 'Grace'].filter((name) => name.startsWith(value));
  const greeting = { description: 'Greets.', arguments: [{ name: 'name', required: true }], complete: { name: names } };
  server.registerPrompt('greet', greeting, ({ name }) => `Hello, ${name}!`);
  server.on('my/method', (params) => ({ got: params.a }));
  return { server, add };
}

/** A server whose tools ask their client. */
export function inquisitive() {
  const server = new McpServer({ name: 'asking' });
  const tools = {
    async form(ctx) {
      const { action, data } = await ctx.elicit('Who are you?', FORM);
      return `${action} ${JSON.stringify(data)}`;
    },
    async twice(ctx) {
      const field = (name) => ({ type: 'object', properties: { [name]: { type: 'string' } }, required: [name] });
      const first = await ctx.elicit('First?', field('one'));
      const second = await ctx.elicit('Second?', field('two'));
      return `${first.data.one} ${second.data.two}`;
    },
    async think(ctx) {
      return (await ctx.sample('What is it?')).text;
    },
    async page(ctx) {
      return (await ctx.elicitUrl('Please pay.', 'https://example.com/pay', { elicitationId: '1' })).action;
    },
    async where(ctx) {
      return (await ctx.roots()).map((root) => root.uri).join(', ');
    },
    plain: () => 'still here',
  };
  for (const [name, run] of Object.entries(tools)) server.registerTool(name, {}, (_, ctx) => run(ctx));
  return server;
}

/** Adds a tool that does not answer; gives promises of when it was called, and when it was cancelled. */
export function blocked(server) {
  const called = occasion();
  const cancelled = occasion();
  server.registerTool('block', {}, (_, ctx) => {
    ctx.signal.addEventListener('abort', cancelled.come);
    called.come();
    return new Promise(() => {});
  });
  return { called: called.promise, cancelled: cancelled.promise };
}

/** A promise, and the function that keeps it. */
export function occasion() {
  let come;
  const promise = new Promise((resolve) => {
    come = resolve;
  });
  return { promise, come };
}
