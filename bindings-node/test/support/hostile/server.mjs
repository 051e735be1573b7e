// The server that the hostile corpus talks to, as anybody would write it.

import { McpServer } from 'mcplite';

export const server = new McpServer({ name: 'hostile', version: '1.0', onError() {} });

const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const numbers = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] };

// Whatever else it is told: the corpus wants a schema that allows that.
server.registerTool('echo', { description: 'Says it again.', inputSchema: text }, (args) => args.text);
server.registerTool('add', { description: 'Adds two numbers.', inputSchema: numbers }, async ({ a, b }) => a + b);
server.registerTool('fail', { description: 'Always fails.' }, () => {
  throw new Error('it always fails');
});
server.registerResource('static', 'test://static', { mimeType: 'text/plain' }, () => 'static text');
server.registerPrompt('greet', { arguments: [{ name: 'name', required: true }] }, async ({ name }) => `Hello, ${name}!`);
