// Functions around requests: those that handlers answer, and those that the engine answers itself.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { InvalidParamsError, McpError, McpServer, NotAuthorisedError, NotFoundError, ToolError, image } from 'mcplite';

import { Client, ERAS, LEGACY, MODERN, call, messages, shakenHands, turn } from './support/client.mjs';

const NAME = { type: 'object', properties: { name: { type: 'string' }, times: { type: 'integer' } } };

function made(options) {
  return new McpServer({ name: 's', ...options });
}

/** A server with something of everything. */
function offering(options) {
  const server = made(options);
  for (const name of ['plain', 'secret', 'other']) server.registerTool(name, {}, () => 'done');
  server.registerPrompt('p', { arguments: [{ name: 'what' }], complete: { what: () => ['x'] } }, () => 'prompt');
  server.registerResource('family', 'x:{y}', {}, (uri, { y }) => y);
  server.registerResource('fixed', 'r:1', {}, 'fixed');
  server.on('my/own', () => ({ own: 1 }));
  return server;
}

/** Whether a handler of the program answers. */
function isHandled({ method }) {
  return ['tools/call', 'prompts/get'].includes(method);
}

describe('layers', () => {
  test('are nested, the first outermost, around handlers of either kind', async () => {
    const server = made();
    const path = [];
    const layer = (name) => async (request, next) => {
      path.push(`+${name}`);
      try {
        return await next();
      } finally {
        path.push(`-${name}`);
      }
    };
    server.registerTool('now', {}, () => void path.push('now'));
    assert.equal(server.use(layer('outer')), server);
    server.use(layer('inner'));
    server.registerTool('later', {}, async () => {
      await turn();
      path.push('later');
    });
    const client = new Client(server);
    for (const name of ['now', 'later']) {
      path.length = 0;
      await client.call(name);
      assert.deepEqual(path, ['+outer', '+inner', name, '-inner', '-outer']);
    }
  });

  test('may be plain functions', async () => {
    const server = made();
    server.use((request, next) => next());
    server.use((request, next) => next().then((given) => (typeof given === 'string' ? `${given}!` : given)));
    server.registerTool('a', {}, () => 'a');
    assert.equal(await new Client(server).text('a'), 'a!');
  });

  test('know the request', async () => {
    const server = made();
    const seen = [];
    server.use((request, next) => {
      if (isHandled(request)) seen.push([request.method, request.name, request.arguments, request.context.server === server]);
      return next();
    });
    server.registerTool('a', { inputSchema: NAME }, () => '');
    await new Client(server).call('a', { name: 'x' });
    assert.deepEqual(seen, [['tools/call', 'a', { name: 'x' }, true]]);
  });

  test('are put around what was there before, while clients are connected', async () => {
    const server = offering();
    const client = new Client(server);
    assert.equal(await client.text('plain'), 'done');
    server.use(async (request, next) => (isHandled(request) ? `<${await next()}>` : next()));
    assert.equal(await client.text('plain'), '<done>');
    assert.deepEqual(await client.tools(), ['plain', 'secret', 'other']);
  });

  test('change arguments', async () => {
    const server = made();
    server.use((request, next) => {
      if (isHandled(request)) request.arguments.name = request.arguments.name.toUpperCase();
      return next();
    });
    server.use((request, next) => {
      if (isHandled(request)) request.arguments = { ...request.arguments, times: 2 };
      return next();
    });
    server.registerTool('greet', { inputSchema: NAME }, ({ name, times = 1 }) => name.repeat(times));
    assert.equal(await new Client(server).text('greet', { name: 'ada' }), 'ADAADA');
  });

  test('change results, and answer in the place of handlers', async () => {
    const server = made();
    let calls = 0;
    server.use(async (request, next) => {
      if (request.name === 'cached') return { n: 7 };
      if (request.name === 'picture') return image(Uint8Array.of(1), 'image/png');
      const given = await next();
      return typeof given === 'number' ? given * 10 : given;
    });
    for (const name of ['cached', 'picture', 'number']) {
      server.registerTool(name, {}, () => {
        calls += 1;
        return 4;
      });
    }
    const client = new Client(server);
    assert.deepEqual((await client.call('cached')).structuredContent, { n: 7 });
    assert.equal((await client.call('picture')).content[0].type, 'image');
    assert.equal(calls, 0);
    assert.equal(await client.text('number'), '40');
  });

  test('may call a handler twice', async () => {
    const server = made();
    let calls = 0;
    server.use(async (request, next) => {
      try {
        return await next();
      } catch {
        return next();
      }
    });
    server.registerTool('flaky', {}, () => {
      calls += 1;
      if (calls === 1) throw new Error('not yet');
      return 'at last';
    });
    assert.equal(await new Client(server).text('flaky'), 'at last');
  });

  test('throw the answer, and catch what handlers throw', async () => {
    const reports = [];
    const server = made({ onError: (error) => reports.push(error.message) });
    server.use(async (request, next) => {
      if (request.name === 'forbidden') throw new McpError(-31999, 'not for you', { why: 1 });
      if (request.name === 'broken') throw new Error('a bug');
      try {
        return await next();
      } catch (error) {
        if (error instanceof RangeError) return `rescued ${error.message}`;
        throw error;
      }
    });
    for (const name of ['forbidden', 'broken']) server.registerTool(name, {}, () => 'never');
    server.registerTool('range', {}, () => {
      throw new RangeError('it');
    });
    server.registerTool('told', {}, () => {
      throw new ToolError('told');
    });
    const client = new Client(server);
    const { code, message, data } = await client.refusal('tools/call', { name: 'forbidden' });
    assert.deepEqual([code, message, data], [-31999, 'not for you', { why: 1 }]);
    assert.deepEqual(reports, []);
    assert.equal(await client.text('broken'), 'failed: a bug');
    assert.deepEqual(reports, ['a bug']);
    assert.equal(await client.text('range'), 'rescued it');
    assert.equal(await client.text('told'), 'failed: told');
  });

  test('see output before its schema does', async () => {
    const server = made({ onError() {} });
    server.use(async (request, next) => (isHandled(request) ? { n: 'wrong' } : next()));
    server.registerTool('a', { outputSchema: { type: 'object', properties: { n: { type: 'integer' } } } }, () => ({ n: 1 }));
    const { error, result } = await new Client(server).answer('tools/call', { name: 'a' });
    assert.ok(error ?? result.isError);
  });

  test('surround resources, templates, completions and methods', async () => {
    const server = offering();
    const seen = [];
    server.use((request, next) => {
      seen.push(`${request.method} ${request.name}`);
      return next();
    });
    const client = new Client(server, { revision: MODERN });
    await client.call('plain');
    await client.request('prompts/get', { name: 'p' });
    await client.request('resources/read', { uri: 'r:1' });
    await client.request('resources/read', { uri: 'x:2' });
    await client.request('completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'what', value: '' } });
    await client.request('my/own');
    assert.deepEqual(seen, [
      'tools/call plain', 'prompts/get p', 'resources/read r:1', 'resources/read x:2', 'completion/complete p', 'my/own ',
    ]);
  });

  test('hear of cancellations', async () => {
    const server = made();
    const seen = [];
    server.use(async (request, next) => {
      const { signal } = request.context;
      signal.addEventListener('abort', () => seen.push('aborted'));
      return next();
    });
    server.registerTool('hang', {}, () => new Promise(() => {}));
    const client = new Client(server);
    const { id } = client.begin('tools/call', { name: 'hang' });
    await turn();
    client.cancel(id);
    await turn();
    assert.deepEqual(seen, ['aborted']);
    assert.equal(client.session.openCalls, 0);
  });
});

for (const revision of ERAS) {
  describe(`around the engine, in ${revision}`, () => {
    test('every request comes by', async () => {
      const server = offering();
      const seen = [];
      server.use(async (request, next) => {
        const result = await next();
        seen.push(`${request.method} ${request.name}`);
        assert.equal(typeof result, 'object');
        return result;
      });
      const client = new Client(server, { revision });
      assert.equal((await client.tools()).length, 3);
      assert.equal((await client.request('prompts/list')).prompts.length, 1);
      assert.equal((await client.request('resources/list')).resources.length, 1);
      assert.equal((await client.request('resources/templates/list')).resourceTemplates.length, 1);
      assert.equal((await client.request('resources/read', { uri: 'r:1' })).contents[0].text, 'fixed');
      const always = ['tools/list ', 'prompts/list ', 'resources/list ', 'resources/templates/list ', 'resources/read r:1'];
      if (revision === LEGACY) {
        await client.request('resources/subscribe', { uri: 'r:1' });
        await client.request('ping');
        await client.request('logging/setLevel', { level: 'error' });
        assert.deepEqual(seen, [...always, 'resources/subscribe r:1', 'ping ', 'logging/setLevel ']);
      } else {
        await client.request('server/discover');
        await client.listen({ uris: ['r:1'] });
        assert.deepEqual(seen.slice(0, 6), [...always, 'server/discover ']);
      }
      server.notifyUpdated('r:1');
      assert.equal((await client.told('notifications/resources/updated')).uri, 'r:1');
    });

    test('lists depend on who asks, and what is hidden can be refused', async () => {
      const server = offering();
      server.use(async (request, next) => {
        const isAda = request.context.principal === 'ada';
        if (request.method === 'tools/call' && request.name === 'secret' && !isAda) throw new NotAuthorisedError('it is a secret');
        const result = await next();
        if (request.method === 'tools/list' && !isAda) result.tools = result.tools.filter(({ name }) => name !== 'secret');
        return result;
      });
      const ada = new Client(server, { revision, principal: 'ada' });
      const bob = new Client(server, { revision, principal: 'bob' });
      assert.deepEqual(await ada.tools(), ['plain', 'secret', 'other']);
      assert.deepEqual(await bob.tools(), ['plain', 'other']);
      assert.equal(await ada.text('secret'), 'done');
      assert.match((await bob.refusal('tools/call', { name: 'secret' })).message, /it is a secret/);
    });

    test('what it throws is the answer, and what the engine refuses can be caught', async () => {
      const server = offering();
      server.use(async (request, next) => {
        if (request.method === 'prompts/list') throw new McpError(-31000, 'no prompts today');
        try {
          return await next();
        } catch (error) {
          assert.ok(error instanceof InvalidParamsError);
          if (request.method === 'tools/list') return { tools: [] };
          throw error;
        }
      });
      const client = new Client(server, { revision });
      assert.equal((await client.refusal('prompts/list')).code, -31000);
      assert.deepEqual((await client.request('tools/list', { cursor: 'nope' })).tools, []);
      const { code, message } = await client.refusal('resources/list', { cursor: 7 });
      assert.deepEqual([code, message], [-32602, 'Invalid params: cursor must be a string']);
    });

    test('passing on changes nothing of what the engine says', async () => {
      const plain = new Client(offering(), { revision });
      const server = offering();
      server.use((request, next) => next());
      const surrounded = new Client(server, { revision });
      for (const [method, params] of [
        ['tools/list', {}], ['tools/list', { cursor: 'nope' }], ['prompts/get', { name: 'nope' }], ['tools/call', { name: 'nope' }],
        ['resources/read', { uri: 'nope:1' }], ['resources/read', { uri: 'r:1' }], ['no/such', {}], ['tools/call', { name: 'plain', arguments: { a: 1 } }],
        ['completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'other', value: '' } }],
      ]) {
        assert.deepEqual(await surrounded.answer(method, params), await plain.answer(method, params), method);
      }
    });

    test('results that are none are told to the program', async () => {
      const reports = [];
      const server = offering({ onError: (error) => reports.push(error.message) });
      server.use(async (request, next) => (request.method === 'tools/list' ? 'nothing' : next()));
      assert.equal((await new Client(server, { revision }).refusal('tools/list')).code, -32603);
      assert.match(reports[0], /middleware gave a string for tools\/list: give the object that next\(\) gave, or throw/);
    });

    test('may ask the client', async () => {
      const server = offering();
      server.use(async (request, next) => {
        if (request.method !== 'tools/call') return next();
        const { data } = await request.context.elicit('Sure?');
        return data === 'yes' ? next() : 'not done';
      });
      for (const [value, text] of [['yes', 'done'], ['no', 'not done']]) {
        const client = new Client(server, { revision, answers: { 'elicitation/create': { action: 'accept', content: { value } } } });
        assert.equal(await client.text('plain'), text);
      }
    });
  });
}

test('the handshake is nobody\'s business', () => {
  const server = offering();
  const seen = [];
  server.use((request, next) => {
    seen.push(request.method);
    return next();
  });
  shakenHands(server);
  assert.deepEqual(seen, []);
});

test('a client that is answered at once is not answered twice', async () => {
  const server = offering();
  server.use((request, next) => next());
  const session = shakenHands(server);
  const output = messages(session.receive(`${call(1, 'plain')}\n${call(2, 'other')}\n`));
  for (let turns = 0; turns < 5; turns += 1) {
    await turn();
    output.push(...messages(session.drain()));
  }
  assert.deepEqual(output.map(({ id }) => id).sort(), [1, 2]);
});

test('what the engine does not find is not found', async () => {
  const server = offering();
  const caught = [];
  server.use(async (request, next) => {
    try {
      return await next();
    } catch (error) {
      caught.push(error);
      throw error;
    }
  });
  const { code } = await new Client(server).refusal('resources/subscribe', { uri: 'nope:1' });
  assert.equal(code, -32002);
  assert.ok(caught[0] instanceof NotFoundError);
  assert.equal(caught[0].code, -32002);
});

test('a resource that is not found can be found elsewhere', async () => {
  const server = made();
  server.use(async (request, next) => {
    try {
      return await next();
    } catch (error) {
      if (error instanceof NotFoundError) return 'found';
      throw error;
    }
  });
  server.registerResource('a', 'a:1', {}, () => {
    throw new NotFoundError('gone');
  });
  assert.equal((await new Client(server).request('resources/read', { uri: 'a:1' })).contents[0].text, 'found');
});
