import { McpServer } from 'mcplite';

export const server = new McpServer({ name: 'hello', version: '1.0' });

const someone = { type: 'object', properties: { name: { type: 'string', default: 'you' } } };
server.registerTool('greet', { description: 'Greets someone by name.', inputSchema: someone }, ({ name = 'you' }) => `Hello, ${name}!`);

await server.stdio();
