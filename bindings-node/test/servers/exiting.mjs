// A process that serves HTTP by the way that is named, talks to itself, and does what is named next: then nothing should
// keep it.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { McpServer } from 'mcplite';
import { send, toolCall, Visitor, WAYS } from '../support/web.mjs';

const [way, ending] = process.argv.slice(2);
const server = new McpServer({ name: 'exiting', timeout: 60_000 });
server.registerTool('echo', {}, () => 'hi');
const handler = WAYS[way](server);
const web = createServer(handler);
await once(web.listen(0, '127.0.0.1'), 'listening');
const { port } = web.address();

const reply = await send(port, toolCall('echo'));
await reply.text();
// A session that is left behind, with its timers, and a stream whose client is there until the end.
const visitor = await Visitor.arrive(port);
const stream = await visitor.get();

if (ending === 'shutdown') {
  await server.shutdown();
  while ((await stream.message()) !== null);
} else if (ending === 'close') {
  server.close();
  while ((await stream.message()) !== null);
} else {
  stream.hangUp();
}
web.close();
web.closeIdleConnections();
console.log('done');
