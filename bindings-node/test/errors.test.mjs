// What handlers throw, and what clients and the program get.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runInNewContext } from 'node:vm';

import {
  ErrorCode, InvalidParamsError, McpError, McpServer, MissingCapabilityError, MisuseError, NotAuthorisedError, NotFoundError, Suspended,
  ToolError, UrlElicitationRequiredError,
} from 'mcplite';

import { Client, ERAS, LEGACY, MODERN } from './support/client.mjs';

const PAGE = { message: 'Log in', url: 'https://example.com', elicitationId: 'a' };

/** A server whose handlers all throw the same, at once or later. */
function throwing(thrown, options) {
  const reports = [];
  const server = new McpServer({ name: 'throwing', onError: (error, request) => reports.push({ error, request }), ...options });
  const now = () => {
    throw thrown;
  };
  const later = async () => {
    throw thrown;
  };
  server.registerTool('now', {}, now);
  server.registerTool('later', {}, later);
  server.registerResource('r', 'r:1', {}, now);
  server.registerPrompt('p', { arguments: [{ name: 'a' }], complete: { a: now } }, later);
  server.on('my/own', now);
  return { server, reports };
}

const REQUESTS = [
  ['tools/call', { name: 'now' }],
  ['tools/call', { name: 'later' }],
  ['resources/read', { uri: 'r:1' }],
  ['prompts/get', { name: 'p' }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } }],
  ['my/own', {}],
];

describe('errors for clients', () => {
  test('carry code, message and data', () => {
    const error = new McpError(7, 'seven', { of: 9 });
    assert.deepEqual([error.code, error.message, error.data, error.name], [7, 'seven', { of: 9 }, 'McpError']);
    assert.ok(error instanceof Error);
    assert.equal(new McpError(7, 'seven').data, undefined);
  });

  for (const [error, name, code] of [
    [new ToolError('no'), 'ToolError', undefined],
    [new NotFoundError('no'), 'NotFoundError', -32002],
    [new NotAuthorisedError('no'), 'NotAuthorisedError', -32600],
    [new InvalidParamsError('no'), 'InvalidParamsError', -32602],
    [new MissingCapabilityError('no', { sampling: {} }), 'MissingCapabilityError', -32021],
    [new UrlElicitationRequiredError('no', [PAGE]), 'UrlElicitationRequiredError', -32042],
  ]) {
    test(`have a name and a code: ${name}`, () => {
      assert.equal(error.name, name);
      assert.equal(error.message, 'no');
      if (code !== undefined) assert.equal(error.code, code);
      assert.match(String(error.stack), new RegExp(`^${name}: no\n`));
    });
  }

  for (const revision of ERAS) {
    const isModern = revision === MODERN;
    for (const [thrown, expected] of [
      [new McpError(4711, 'own', { a: [1] }), { code: 4711, message: 'own', data: { a: [1] } }],
      [new McpError(-32042, 'own'), { code: isModern ? -32603 : -32042, message: 'own' }],
      [new NotFoundError('it is gone'), { code: isModern ? -32602 : -32002, message: 'Resource not found: it is gone' }],
      [new NotAuthorisedError('not you'), { code: -32600, message: 'Not authorised: not you' }],
      [new InvalidParamsError('bad', { at: 1 }), { code: -32602, message: 'Invalid params: bad', data: { at: 1 } }],
      [Object.assign(new Error('foreign'), { name: 'McpError', code: -32000, data: { b: 2 } }), { code: -32000, message: 'foreign', data: { b: 2 } }],
    ]) {
      test(`are the answer in ${revision}: ${thrown}`, async () => {
        const { server, reports } = throwing(thrown);
        const client = new Client(server, { revision });
        for (const [method, params] of REQUESTS) {
          const error = await client.refusal(method, params);
          if (method === 'resources/read') delete error.data?.uri;
          if (error.data !== undefined && Object.keys(error.data).length === 0) delete error.data;
          assert.deepEqual(error, expected, method);
        }
        assert.deepEqual(reports, []);
      });
    }

    test(`tell the model in ${revision}`, async () => {
      const { server, reports } = throwing(new ToolError('it broke'));
      const client = new Client(server, { revision });
      for (const name of ['now', 'later']) {
        const { content, isError } = await client.call(name);
        assert.deepEqual([content, isError], [[{ type: 'text', text: 'it broke' }], true]);
      }
      assert.equal((await client.refusal('resources/read', { uri: 'r:1' })).code, -32603);
      assert.deepEqual(reports, []);
    });

    test(`say what the client lacks in ${revision}`, async () => {
      const { server } = throwing(new MissingCapabilityError('sampling is needed', { sampling: {} }));
      const { error, result } = await new Client(server, { revision }).answer('tools/call', { name: 'now' });
      if (isModern) assert.deepEqual([error.code, error.data], [-32021, { requiredCapabilities: { sampling: {} } }]);
      else assert.match(result.content[0].text, /sampling is needed/);
    });

    test(`send the user to a page in ${revision}`, async () => {
      const { server } = throwing(new UrlElicitationRequiredError('log in first', [PAGE]));
      const capabilities = { elicitation: { url: {} } };
      const { error, result } = await new Client(server, { revision, capabilities }).begin('tools/call', { name: 'now' }).answer;
      if (isModern) {
        const [{ method, params }] = Object.values(result.inputRequests);
        assert.deepEqual([method, params], ['elicitation/create', { mode: 'url', message: PAGE.message, url: PAGE.url }]);
      } else assert.deepEqual([error.code, error.data], [-32042, { elicitations: [{ mode: 'url', ...PAGE }] }]);
    });
  }

  test('of a subclass are what they are of', async () => {
    class Late extends ToolError {}
    class Gone extends NotFoundError {}
    assert.equal(await new Client(throwing(new Late('too late')).server).text('now'), 'failed: too late');
    assert.equal((await new Client(throwing(new Gone('gone')).server).refusal('my/own')).code, -32002);
  });

  test('whose data cannot be written are told to the program', async () => {
    for (const data of [10n, { get a() { throw new Error('sprung'); } }]) {
      const { server, reports } = throwing(new McpError(1, 'own', data));
      assert.equal((await new Client(server).refusal('my/own')).code, -32603);
      assert.equal(reports.length, 1);
    }
  });

  test('have codes that are plain numbers', () => {
    assert.deepEqual({ ...ErrorCode }, {
      ParseError: -32700, InvalidRequest: -32600, MethodNotFound: -32601, InvalidParams: -32602, InternalError: -32603,
      ResourceNotFound: -32002, HeaderMismatch: -32020, MissingCapability: -32021, UnsupportedRevision: -32022,
      UrlElicitationRequired: -32042,
    });
    assert.ok(Object.isFrozen(ErrorCode));
  });

  test('may have a code that is none', async () => {
    for (const code of [NaN, 1.5, 'E_OWN', undefined, 2 ** 60]) {
      const { server } = throwing(new McpError(code, 'own'));
      const { code: told, message } = await new Client(server).refusal('my/own');
      assert.equal(told, -32603, String(code));
      assert.match(message, /own/);
    }
  });
});

describe('anything else that is thrown', () => {
  const hostile = new Proxy(new Error('x'), { get() { throw new Error('trapped'); } });
  for (const [thrown, words] of [
    [new Error('a bug'), 'a bug'],
    [new TypeError(''), 'TypeError'],
    [new RangeError('line\nbreak "quoted" \u{1f600}'), 'line\nbreak "quoted" \u{1f600}'],
    [new Error('\ud800 half'), '\ufffd half'],
    ['a text', 'a text'],
    ['', 'the handler failed'],
    [null, 'the handler threw null'],
    [undefined, 'the handler threw undefined'],
    [7, 'the handler threw 7'],
    [10n, 'the handler failed'],
    [Symbol('s'), 'the handler threw Symbol(s)'],
    [{ message: 'like an error' }, 'like an error'],
    [{ a: 1 }, 'the handler threw {"a":1}'],
    [runInNewContext('new Error("of another realm")'), 'of another realm'],
    [new AggregateError([new Error('one')], 'several'), 'several'],
    [hostile, 'trapped'],
    [Object.assign(new Error('system'), { code: 'ENOENT' }), 'system'],
    [Object.assign(new Error('code'), { code: 5 }), 'code'],
  ]) {
    test(`is an error, and told to the program: ${typeof thrown} ${words}`, async () => {
      const { server, reports } = throwing(thrown);
      const client = new Client(server);
      for (const [method, params] of REQUESTS) {
        const { error, result } = await client.answer(method, params);
        if (method === 'tools/call') assert.deepEqual([result.isError, result.content[0].text], [true, words]);
        else assert.deepEqual([error.code, error.message], [-32603, `Internal error: ${words}`]);
      }
      assert.equal(reports.length, REQUESTS.length);
      assert.deepEqual(reports[0].request, { method: 'tools/call', name: 'now' });
      if (thrown !== hostile) assert.ok(reports.every(({ error }) => Object.is(error, thrown)));
    });
  }

  test('is hidden from clients if the program wants that, but not what is meant for them', async () => {
    const { server, reports } = throwing(new Error('a secret'), { maskErrors: true, debug: true, errors: 'classic' });
    const client = new Client(server);
    for (const [method, params] of REQUESTS) {
      const said = JSON.stringify(await client.answer(method, params));
      assert.ok(!said.includes('secret') && said.includes('the handler failed'), said);
    }
    assert.equal(reports.length, REQUESTS.length);
    const told = throwing(new ToolError('not a secret'), { maskErrors: true });
    assert.equal(await new Client(told.server).text('now'), 'failed: not a secret');
  });

  test('comes with its stack only where clients may see it', async () => {
    const error = Object.assign(new Error('a bug'), { stack: 'Error: a bug\n    at somewhere' });
    const said = async (options) => JSON.stringify(await new Client(throwing(error, options).server).answer('tools/call', { name: 'now' }));
    for (const preset of ['spec', 'classic', 'gateway']) assert.ok(!(await said({ errors: preset })).includes('somewhere'), preset);
    assert.match(await said({ errors: 'classic', debug: true }), /"stacktrace":"Error: a bug\\n    at somewhere"/);
  });

  test('is told on the console unless the program listens', async (t) => {
    const told = t.mock.method(console, 'error', () => {});
    const error = new Error('a bug');
    const { server } = throwing(error, { onError: undefined });
    await new Client(server).answer('tools/call', { name: 'now' });
    assert.deepEqual(told.mock.calls.map((call) => call.arguments), [['mcplite: tools/call now failed', error]]);
  });

  test('is answered even if the program fails to listen', async (t) => {
    const told = t.mock.method(console, 'error', () => {});
    const failure = new Error('deaf');
    const { server } = throwing(new Error('a bug'), { onError() { throw failure; } });
    assert.equal(await new Client(server).text('later'), 'failed: a bug');
    assert.equal(told.mock.calls[0].arguments[1], failure);
  });
});

describe('presets', () => {
  test('choose the codes', async () => {
    const codes = {};
    for (const errors of ['spec', 'classic', 'gateway']) {
      const server = new McpServer({ name: 's', errors });
      server.registerTool('a', { inputSchema: { type: 'object', required: ['b'] } }, () => '');
      const client = new Client(server, { revision: LEGACY });
      codes[errors] = (await client.refusal('tools/call', { name: 'nope' })).code;
    }
    assert.equal(codes.spec, -32602);
    assert.equal(new Set(Object.values(codes)).size > 1, true);
  });
});

describe('errors of the program', () => {
  test('have a code and a name', () => {
    const server = new McpServer({ name: 's' });
    server.close();
    assert.throws(() => server.session(), (error) => {
      assert.ok(error instanceof MisuseError && error instanceof Error);
      assert.deepEqual([error.name, error.code], ['MisuseError', 'ERR_MCPLITE_CLOSED']);
      assert.match(error.stack, /errors\.test\.mjs/);
      return true;
    });
  });

  test('that end attempts can be told from others', () => {
    assert.equal(new Suspended().name, 'Suspended');
    assert.ok(!(new Suspended() instanceof McpError));
  });
});
