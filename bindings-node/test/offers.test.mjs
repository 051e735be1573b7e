// Resources, prompts, completions and methods, from the methods of McpServer to the wire.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { McpServer, ResourceTemplate } from 'mcplite';

import { Client, ERAS, LEGACY, MODERN, hello, messages } from './support/client.mjs';

function made(options) {
  return new McpServer({ name: 'offers', version: '1.2', ...options });
}

describe('resources', () => {
  test('that never change are answered by the engine', async () => {
    const server = made();
    server.registerResource('readme', 'doc:readme', { title: 'The readme' }, 'Read me.');
    server.registerResource('logo', 'doc:logo', { mimeType: 'image/png', size: 2 }, Uint8Array.of(255, 0));
    const client = new Client(server);
    assert.deepEqual((await client.request('resources/list')).resources, [
      { uri: 'doc:readme', name: 'readme', title: 'The readme', mimeType: 'text/plain' },
      { uri: 'doc:logo', name: 'logo', mimeType: 'image/png', size: 2 },
    ]);
    const read = async (uri) => (await client.request('resources/read', { uri })).contents;
    assert.deepEqual(await read('doc:readme'), [{ uri: 'doc:readme', mimeType: 'text/plain', text: 'Read me.' }]);
    assert.deepEqual(await read('doc:logo'), [{ uri: 'doc:logo', mimeType: 'image/png', blob: '/wA=' }]);
  });

  test('get their URI, and those of a family their variables', async () => {
    const server = made();
    server.registerResource('one', 'doc://host/one', {}, (uri, ctx) => `${uri instanceof URL} ${uri.pathname} ${ctx.name}`);
    server.registerResource('row', 'row://{table}/{id}', {}, (uri, { table, id }, ctx) => [uri.href, table, id, ctx.method].join(' '));
    server.registerResource('odd', 'odd://[', {}, (uri) => `${uri} ${uri.href} ${JSON.stringify(uri)}`);
    const client = new Client(server);
    const read = async (uri) => (await client.request('resources/read', { uri })).contents[0].text;
    assert.equal(await read('doc://host/one'), 'true /one doc://host/one');
    assert.equal(await read('row://users/a%20b'), 'row://users/a%20b users a b resources/read');
    // What the engine takes for a URI, and the web does not.
    assert.equal(await read('odd://['), 'odd://[ odd://[ "odd://["');
    assert.deepEqual((await client.request('resources/templates/list')).resourceTemplates, [{ uriTemplate: 'row://{table}/{id}', name: 'row' }]);
  });

  test('that are a family may be given as a template of other libraries', async () => {
    const server = made();
    const template = new ResourceTemplate('file://{path}', { list: undefined, complete: { path: (value) => [`${value}1`] } });
    assert.equal(template.uriTemplate, 'file://{path}');
    server.registerResource('file', template, {}, (uri, { path }) => path);
    const client = new Client(server);
    assert.equal((await client.request('resources/read', { uri: 'file://a' })).contents[0].text, 'a');
    const params = { ref: { type: 'ref/resource', uri: 'file://{path}' }, argument: { name: 'path', value: 'x' } };
    assert.deepEqual((await client.request('completion/complete', params)).completion.values, ['x1']);
  });

  test('say how long they may be kept', async () => {
    const server = made({ cacheTtl: 5000, cachePublic: true });
    server.registerResource('a', 'a:1', { cacheTtl: 60_000 }, () => '');
    server.registerResource('b', 'a:2', {}, () => '');
    const client = new Client(server, { revision: MODERN });
    const hints = async (uri) => {
      const { ttlMs, cacheScope } = await client.request('resources/read', { uri });
      return [ttlMs, cacheScope];
    };
    assert.deepEqual(await hints('a:1'), [60_000, 'private']);
    assert.deepEqual(await hints('a:2'), [5000, 'public']);
  });
});

describe('prompts', () => {
  test('have arguments in the words of the specification', async () => {
    const server = made();
    const args = [{ name: 'who', title: 'Who', description: 'Whom to greet.', required: true }, { name: 'how' }];
    server.registerPrompt('greet', { title: 'Greet', description: 'Greets.', arguments: args }, ({ who, how = 'Hello' }) => `${how}, ${who}!`);
    const client = new Client(server);
    const { prompts } = await client.request('prompts/list');
    assert.deepEqual(prompts, [{ name: 'greet', title: 'Greet', description: 'Greets.', arguments: args }]);
    const get = async (given) => (await client.request('prompts/get', { name: 'greet', arguments: given })).messages;
    assert.deepEqual(await get({ who: 'Ada' }), [{ role: 'user', content: { type: 'text', text: 'Hello, Ada!' } }]);
    assert.equal((await client.refusal('prompts/get', { name: 'greet', arguments: {} })).code, -32602);
  });

  test('have arguments from a schema, and get them as it says', async () => {
    const server = made();
    const argsSchema = {
      type: 'object',
      properties: { who: { type: 'string', description: 'Whom.' }, times: { type: 'integer' }, loud: { type: 'boolean' } },
      required: ['who', 'times'],
    };
    server.registerPrompt('greet', { argsSchema }, (args) => JSON.stringify(args));
    const client = new Client(server);
    const [{ arguments: listed }] = (await client.request('prompts/list')).prompts;
    assert.deepEqual(listed.map(({ name, required = false }) => [name, required]), [['who', true], ['times', true], ['loud', false]]);
    const params = (args) => ({ name: 'greet', arguments: args });
    const { messages: [message] } = await client.request('prompts/get', params({ who: '5', times: '3', loud: 'true' }));
    assert.equal(message.content.text, '{"who":"5","times":3,"loud":true}');
    const { code, message: words } = await client.refusal('prompts/get', params({ who: 'x', times: 'many' }));
    assert.equal(code, -32602);
    assert.match(words, /times/);
  });
});

describe('completions', () => {
  test('know what is typed and what is known', async () => {
    const server = made();
    const city = async (value, ctx) => [`${ctx.arguments.country}-${value}-${ctx.method}`];
    server.registerPrompt('travel', { arguments: [{ name: 'country' }, { name: 'city' }], complete: { city } }, () => '');
    server.registerResource('map', 'map://{country}/{city}', { complete: { city } }, () => '');
    const client = new Client(server);
    for (const ref of [{ type: 'ref/prompt', name: 'travel' }, { type: 'ref/resource', uri: 'map://{country}/{city}' }]) {
      const complete = async (more) => {
        const { completion } = await client.request('completion/complete', { ref, argument: { name: 'city', value: 'Ber' }, ...more });
        return completion.values;
      };
      assert.deepEqual(await complete({ context: { arguments: { country: 'de' } } }), ['de-Ber-completion/complete']);
      assert.deepEqual(await complete({}), ['undefined-Ber-completion/complete']);
    }
    assert.ok('completions' in client.initialized.capabilities);
  });
});

describe('methods of ones own', () => {
  for (const revision of ERAS) {
    test(`get params and context in ${revision}`, async () => {
      const server = made();
      const heard = [];
      server.on('my/plain', (params) => ({ plain: params.a }));
      server.on('my/context', async (params, ctx) => ({ method: ctx.method, id: typeof ctx.requestId }));
      server.on('my/nothing', () => {});
      server.on('my/number', () => 7);
      server.on('notifications/mine', (params, ctx) => {
        heard.push([params.a, ctx.requestId]);
      });
      const client = new Client(server, { revision });
      assert.equal((await client.request('my/plain', { a: 1 })).plain, 1);
      const { method, id } = await client.request('my/context');
      assert.deepEqual([method, id], ['my/context', 'number']);
      assert.equal((await client.request('my/nothing')).plain, undefined);
      assert.equal((await client.request('my/number')).result, 7);
      client.notify('notifications/mine', { a: 2 });
      await client.request('my/nothing');
      assert.deepEqual(heard, [[2, null]]);
    });
  }

  test('replace one another, and can be taken back', async () => {
    const server = made();
    server.on('my/own', () => ({ who: 'first' }));
    const second = server.on('my/own', () => ({ who: 'second' }));
    const client = new Client(server);
    assert.equal((await client.request('my/own')).who, 'second');
    second.remove();
    assert.equal((await client.refusal('my/own')).code, -32601);
  });

  test('may stand for all others, or in the place of the engine', async () => {
    const server = made();
    server.on('my/own', () => ({ who: 'own' }));
    server.on('*', (params, ctx) => ({ who: ctx.method }));
    server.registerTool('a', {}, () => '');
    const client = new Client(server);
    assert.equal((await client.request('my/own')).who, 'own');
    assert.equal((await client.request('my/other')).who, 'my/other');
    assert.deepEqual(await client.tools(), ['a']);
    server.on('tools/list', () => ({ tools: [{ name: 'mine', inputSchema: { type: 'object' } }] }));
    assert.deepEqual(await client.tools(), ['mine']);
    assert.equal(await client.text('a'), '');
  });
});

describe('pages', () => {
  test('hold as many items as was said', async () => {
    const server = made({ pageSize: 2 });
    for (const name of ['a', 'b', 'c']) server.registerTool(name, {}, () => '');
    const client = new Client(server);
    const first = await client.request('tools/list');
    const second = await client.request('tools/list', { cursor: first.nextCursor });
    assert.deepEqual([first, second].map(({ tools }) => tools.map(({ name }) => name)), [['a', 'b'], ['c']]);
    assert.equal(second.nextCursor, undefined);
  });
});

describe('revisions', () => {
  test('that are not spoken are not spoken', async () => {
    const server = made({ revisions: ['2025-06-18'] });
    server.registerTool('a', {}, () => '');
    assert.equal(new Client(server, { revision: LEGACY }).initialized.protocolVersion, '2025-06-18');
    assert.equal((await new Client(server, { revision: MODERN }).refusal('server/discover')).code, -32601);
    const modern = made({ revisions: [MODERN] });
    const [{ error }] = messages(modern.session().handle(hello()));
    assert.deepEqual([error.code, error.data.supported], [-32022, [MODERN]]);
  });
});
