// What the reference of the TypeScript SDK shows: its programs, with the imports changed, in both eras.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  CallToolRequestSchema, CompleteRequestSchema, GetPromptRequestSchema, ListPromptsRequestSchema, ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema, ListToolsRequestSchema, MCPError, ReadResourceRequestSchema, Server,
} from 'mcplite/compat/sdk';

import { ERAS, WITHIN, connected, plain, serverWith } from './compat_sdk_support.mjs';

const CALCULATE = {
  name: 'calculate',
  description: 'Perform calculations',
  inputSchema: { type: 'object', properties: { expression: { type: 'string' } }, required: ['expression'] },
};

/** A calculator that knows sums. */
function evaluate(expression) {
  if (!/^[\d+ ]+$/.test(expression)) throw new Error(`cannot evaluate ${expression}`);
  return expression.split('+').reduce((sum, term) => sum + Number(term), 0);
}

function exampleServer() {
  const server = new Server({ name: 'example-server', version: '1.0.0' }, { capabilities: { tools: {}, resources: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [CALCULATE] }));
  server.setRequestHandler(CallToolRequestSchema, async (request) => {
    const { name, arguments: args } = request.params;
    if (name === 'calculate') {
      try {
        return { content: [{ type: 'text', text: `Result: ${evaluate(args.expression)}` }] };
      } catch (error) {
        return { content: [{ type: 'text', text: `Error: ${error.message}` }], isError: true };
      }
    }
    throw new Error(`Unknown tool: ${name}`);
  });
  server.setRequestHandler(ListResourcesRequestSchema, async () => ({
    resources: [{ uri: 'memo://1', name: 'One', description: 'The first', mimeType: 'text/plain' }],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async (request) => {
    const { uri } = request.params;
    return { contents: [{ uri, mimeType: 'text/plain', text: `what ${uri} says` }] };
  });
  return server;
}

for (const [revision, era] of Object.entries(ERAS)) {
  test(`${revision}: the complete example`, WITHIN, async () => {
    const server = exampleServer();
    const { ask } = await connected(server, era);
    const { tools } = await ask('tools/list');
    assert.deepEqual(tools, [CALCULATE]);
    const sum = await ask('tools/call', { name: 'calculate', arguments: { expression: '1 + 2' } });
    assert.deepEqual(plain(sum), { content: [{ type: 'text', text: 'Result: 3' }] });
    const failed = await ask('tools/call', { name: 'calculate', arguments: { expression: 'rm' } });
    assert.deepEqual(plain(failed), { content: [{ type: 'text', text: 'Error: cannot evaluate rm' }], isError: true });
    await assert.rejects(ask('tools/call', { name: 'nothing' }), { code: -32603, message: 'Unknown tool: nothing' });
    const { resources } = await ask('resources/list');
    assert.deepEqual(resources, [{ uri: 'memo://1', name: 'One', description: 'The first', mimeType: 'text/plain' }]);
    const { contents } = await ask('resources/read', { uri: 'memo://1' });
    assert.deepEqual(contents, [{ uri: 'memo://1', mimeType: 'text/plain', text: 'what memo://1 says' }]);
    await assert.rejects(ask('prompts/list'), { code: -32601 });
    await server.close();
  });

  test(`${revision}: every kind of content that tools give`, WITHIN, async () => {
    const content = [
      { type: 'text', text: 'text' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'memo://1', mimeType: 'text/plain', text: 'embedded' } },
    ];
    const server = serverWith([[CallToolRequestSchema, async () => ({ content, isError: false, metadata: { took: 5 } })]]);
    const { ask } = await connected(server, era);
    assert.deepEqual(plain(await ask('tools/call', { name: 'x' })), { content, isError: false, metadata: { took: 5 } });
    await server.close();
  });

  test(`${revision}: resources of bytes, and templates`, WITHIN, async () => {
    const templates = [{ uriTemplate: 'memo://{id}', name: 'Memos' }];
    const server = serverWith([
      [ReadResourceRequestSchema, ({ params }) => ({ contents: [{ uri: params.uri, mimeType: 'image/png', blob: 'AAAA' }] })],
      [ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: templates })],
    ]);
    const { ask } = await connected(server, era);
    assert.deepEqual((await ask('resources/read', { uri: 'memo://2' })).contents, [{ uri: 'memo://2', mimeType: 'image/png', blob: 'AAAA' }]);
    assert.deepEqual((await ask('resources/templates/list')).resourceTemplates, templates);
    await server.close();
  });

  test(`${revision}: prompts, in the roles that the protocol has`, WITHIN, async () => {
    const prompts = [{ name: 'review', description: 'Reviews code', arguments: [{ name: 'code', description: 'The code', required: true, default: '' }] }];
    const server = serverWith([
      [ListPromptsRequestSchema, async () => ({ prompts })],
      [GetPromptRequestSchema, async (request) => {
        const { name, arguments: args } = request.params;
        return {
          description: `The prompt ${name}`,
          messages: [
            { role: 'system', content: { type: 'text', text: 'You review code.' } },
            { role: 'user', content: { type: 'text', text: args.code } },
            { role: 'assistant', content: 'plain text' },
            { role: 'user', content: { content: [{ type: 'text', text: 'of a tool' }, { type: 'image', data: 'AAAA', mimeType: 'image/png' }] } },
            { role: 'assistant', content: { type: 'tool_call', name: 'calculate' } },
          ],
        };
      }],
    ]);
    const { ask } = await connected(server, era);
    assert.deepEqual((await ask('prompts/list')).prompts, prompts);
    const { description, messages } = await ask('prompts/get', { name: 'review', arguments: { code: 'x = 1' } });
    assert.equal(description, 'The prompt review');
    assert.deepEqual(messages, [
      { role: 'user', content: { type: 'text', text: 'You review code.' } },
      { role: 'user', content: { type: 'text', text: 'x = 1' } },
      { role: 'assistant', content: { type: 'text', text: 'plain text' } },
      { role: 'user', content: { type: 'text', text: 'of a tool' } },
      { role: 'user', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } },
      { role: 'assistant', content: { type: 'text', text: '{"type":"tool_call","name":"calculate"}' } },
    ]);
    await server.close();
  });

  test(`${revision}: an error of one's own is told with its code and data`, WITHIN, async () => {
    const server = serverWith([[CallToolRequestSchema, async ({ params }) => {
      throw new MCPError(-32001, 'Tool not found', { toolName: params.name });
    }]]);
    const { ask } = await connected(server, era);
    await assert.rejects(ask('tools/call', { name: 'unknown-tool' }), {
      code: -32001, message: 'Tool not found', data: { toolName: 'unknown-tool' },
    });
    await server.close();
  });

  test(`${revision}: completions`, WITHIN, async () => {
    const complete = ({ params }) => ({ completion: { values: [`${params.argument.value}!`] } });
    const server = serverWith([[CompleteRequestSchema, complete]], { capabilities: { completions: {}, prompts: {} } });
    const { ask } = await connected(server, era);
    const params = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: 'hey' } };
    assert.deepEqual((await ask('completion/complete', params)).completion, { values: ['hey!'] });
    await server.close();
  });
}

test('a global error handler makes the answers of errors', WITHIN, async () => {
  const seen = [];
  const server = serverWith([[CallToolRequestSchema, async ({ params }) => {
    if (params.name === 'known') throw new MCPError(-32001, 'Tool not found', { toolName: params.name });
    throw new TypeError('a secret');
  }]]);
  server.setErrorHandler((error, request) => {
    seen.push([error.constructor.name, request.method, request.id, request.params.name]);
    if (error instanceof MCPError) return { error: { code: error.code, message: error.message, data: error.data } };
    return { error: { code: -32603, message: 'Internal server error' } };
  });
  const { ask } = await connected(server);
  await assert.rejects(ask('tools/call', { name: 'known' }), { code: -32001, message: 'Tool not found', data: { toolName: 'known' } });
  await assert.rejects(ask('tools/call', { name: 'other' }), { code: -32603, message: 'Internal server error' });
  assert.deepEqual(seen, [['MCPError', 'tools/call', 1, 'known'], ['TypeError', 'tools/call', 2, 'other']]);
  await server.close();
});

test('an error handler may be an option, asynchronous, and of no opinion', WITHIN, async () => {
  const errorHandler = async (error) => (error.message === 'mine' ? { code: 7, message: 'handled' } : undefined);
  const server = serverWith([[CallToolRequestSchema, ({ params }) => { throw new Error(params.name); }]], { errorHandler });
  const { ask } = await connected(server);
  await assert.rejects(ask('tools/call', { name: 'mine' }), { code: 7, message: 'handled' });
  await assert.rejects(ask('tools/call', { name: 'not mine' }), { code: -32603, message: 'not mine' });
  server.setErrorHandler(() => { throw new MCPError(8, 'of the error handler'); });
  await assert.rejects(ask('tools/call', { name: 'mine' }), { code: 8, message: 'of the error handler' });
  await server.close();
});

test('what is told of the server is what it says of itself', WITHIN, async () => {
  const info = { name: 'described', version: '2.1.0', metadata: { description: 'Does things', author: 'Ada', homepage: 'https://example.org/' } };
  const server = new Server(info, { capabilities: { tools: {}, logging: {} }, instructions: 'Be kind' });
  const { greeting } = await connected(server);
  assert.deepEqual(greeting.serverInfo, { name: 'described', version: '2.1.0', description: 'Does things', websiteUrl: 'https://example.org/' });
  assert.deepEqual(Object.keys(greeting.capabilities).sort(), ['logging', 'tools']);
  assert.equal(greeting.instructions, 'Be kind');
  await server.close();

  const modern = await connected(new Server(info, { capabilities: { prompts: {}, experimental: { trial: {} } } }), ERAS['2026-07-28']);
  const { capabilities } = await modern.ask('server/discover');
  assert.deepEqual(Object.keys(capabilities).sort(), ['experimental', 'prompts']);

  const silent = await connected(new Server({ name: 'silent', version: '1' }));
  assert.deepEqual(silent.greeting.capabilities, {});
});

test('an error of one\'s own is an Error with a name', () => {
  const error = new MCPError(-32001, 'Tool not found', { toolName: 'x' });
  assert.ok(error instanceof Error);
  assert.deepEqual([error.name, error.code, error.message, error.data], ['MCPError', -32001, 'Tool not found', { toolName: 'x' }]);
});
