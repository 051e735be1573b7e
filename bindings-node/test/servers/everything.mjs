// Everything that a client may meet, as `examples/c/everything.c` has it.

import { audio, image, McpServer, ToolError } from 'mcplite';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==', 'base64');
const BEEP = Buffer.from(
  'UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQQAAACA/4AA', 'base64');
const NAMES = ['alpha', 'beta', 'gamma'];
const STYLES = ['formal', 'friendly', 'funny'];

export function everything() {
  const server = new McpServer({
    name: 'everything',
    version: '1.0',
    title: 'Everything',
    description: 'Every feature of an MCP server.',
    instructions: 'Call echo first, then try the others.',
    websiteUrl: 'https://example.com/everything',
    icons: [{ src: 'https://example.com/everything.svg', mimeType: 'image/svg+xml' }],
  });
  let cancelledWaits = 0;
  let touches = 0;
  let late = null;

  server.registerTool('echo', {
    title: 'Echo',
    description: 'Says it again.',
    inputSchema: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    icons: [{ src: 'https://example.com/echo.svg', mimeType: 'image/svg+xml' }],
    _meta: { 'com.example/rank': 1 },
  }, ({ text }) => text);

  server.registerTool('add', {
    title: 'Add',
    description: 'Adds two numbers.',
    inputSchema: { type: 'object', required: ['a', 'b'], properties: { a: { type: 'number' }, b: { type: 'number' } } },
    outputSchema: { type: 'object', required: ['sum'], properties: { sum: { type: 'number' } } },
    annotations: { readOnlyHint: true },
  }, async ({ a, b }) => ({ sum: a + b }));

  server.registerTool('countdown', {
    description: 'Counts down, with progress.',
    inputSchema: { type: 'object', required: ['from'], properties: { from: { type: 'integer', minimum: 1, maximum: 10 } } },
  }, ({ from }, ctx) => {
    for (let step = 1; step <= from; step += 1) ctx.progress(step, from, `${from - step} to go`);
    return 'liftoff';
  });

  server.registerTool('wait', { description: 'Waits until it is cancelled.' }, async (_, ctx) => {
    ctx.progress(0, undefined, 'waiting');
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
    cancelledWaits += 1;
  });

  server.registerTool('cancelled', { description: 'Tells how many waits were cancelled.' }, () => String(cancelledWaits));

  server.registerTool('part', { description: 'Ends the connection before it answers, where it can.' }, (_, ctx) => {
    ctx.progress(1, 2, 'before');
    const isClosed = ctx.closeStream();
    ctx.progress(2, 2, 'after');
    return isClosed ? 'met again' : 'stayed';
  });

  server.registerTool('media', { description: 'Gives content of every kind.' }, () => [
    'One of each kind.',
    image(PIXEL),
    audio(BEEP),
    { type: 'resource', resource: { uri: 'note://embedded', mimeType: 'text/plain', text: 'An embedded note.' } },
    { type: 'resource_link', uri: 'file:///readme.txt', name: 'readme', mimeType: 'text/plain' },
  ]);

  server.registerTool('fail', { description: 'Fails.' }, () => {
    throw new ToolError('it broke');
  });

  server.registerTool('log', { description: 'Logs at three levels.' }, async (_, ctx) => {
    ctx.log('debug', 'in detail', 'everything');
    ctx.log('info', 'in general', 'everything');
    ctx.log('warning', { free: 7, unit: 'MB' }, 'everything');
    return 'logged';
  });

  server.registerTool('ask_name', { description: 'Greets the user, whose name it asks for.' }, async (_, ctx) => {
    const form = { type: 'object', required: ['name'], properties: { name: { type: 'string', title: 'Name', maxLength: 100 } } };
    const { accepted, data } = await ctx.elicit('What is your name?', form);
    return accepted ? `Hello, ${data.name}!` : 'declined';
  });

  server.registerTool('ask_model', { description: "Has the client's model answer a question." }, async (_, ctx) =>
    (await ctx.sample('What is the capital of France?', { maxTokens: 100 })).text);

  server.registerTool('ask_roots', { description: 'Counts the folders that are open.' }, async (_, ctx) => {
    const roots = await ctx.roots();
    return `${roots.length} roots: ${roots[0]?.uri}`;
  });

  server.registerTool('touch', { description: 'Changes the note, and which tools there are.' }, () => {
    touches += 1;
    if (late !== null) {
      late.remove();
      late = null;
    } else {
      late = server.registerTool('late', { description: 'Comes and goes.' }, () => 'better than never');
    }
    server.notifyUpdated('note://latest');
    return late === null ? 'unregistered late' : 'registered late';
  });

  server.registerTool('slow', {
    description: 'Would take longer than its deadline.',
    inputSchema: { type: 'object', properties: { ms: { type: 'integer', minimum: 0 } } },
    timeout: 50,
  }, () => new Promise(() => {}));

  server.registerTool('whoami', { description: 'Tells what is known of the request.' }, ({}, { revision, clientInfo, method }) =>
    ({ revision, client: clientInfo, method }));

  server.registerResource('readme', 'file:///readme.txt', { mimeType: 'text/plain' }, 'Read me.');
  server.registerResource('pixel', 'data://pixel', { mimeType: 'image/png' }, PIXEL);
  server.registerResource('latest', 'note://latest', {
    title: 'Latest note',
    description: 'Changes when the tool touch is called.',
    mimeType: 'text/plain',
    annotations: { audience: ['user', 'assistant'], priority: 0.5 },
  }, () => `touched ${touches} times`);
  server.registerResource('note', 'note://{name}', {
    title: 'Note',
    description: 'One note by its name.',
    mimeType: 'text/plain',
    complete: { name: (value) => NAMES.filter((name) => name.startsWith(value)) },
  }, async (_, { name }) => `note ${name}`);

  server.registerPrompt('greet', {
    title: 'Greet',
    description: 'Has somebody greeted.',
    arguments: [
      { name: 'name', description: 'Who it is.', required: true },
      { name: 'style', description: 'formal, friendly or funny' },
    ],
    complete: { style: async (value) => STYLES.filter((style) => style.startsWith(value)) },
    icons: [{ src: 'https://example.com/greet.png', mimeType: 'image/png' }],
  }, ({ name, style = 'friendly' }) => ({
    description: 'A greeting, and how it begins',
    messages: [
      { role: 'user', content: `Write a ${style} greeting for ${name}.` },
      { role: 'assistant', content: `Dear ${name},` },
    ],
  }));

  server.on('everything/echo', (params) => params ?? {});
  return server;
}
