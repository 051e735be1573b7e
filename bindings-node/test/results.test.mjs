// What handlers give, and what clients get.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';

import { McpServer, audio, image } from 'mcplite';

import { Client, ERAS, MODERN } from './support/client.mjs';

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10);
const PNG_BLOCK = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' };
const OPAQUE = Uint8Array.of(0, 255);
const BLOB = 'AP8=';
const URI = 'it:self';
const TYPE = 'text/x-it';

const text = (value) => ({ type: 'text', text: value });

/** A server whose handlers all give the same, and what it reports. */
function giving(value, { outputSchema } = {}) {
  const reports = [];
  const server = new McpServer({ name: 'giving', onError: (error) => reports.push(error) });
  server.registerTool('it', { outputSchema }, () => value);
  server.registerTool('later', { outputSchema }, async () => value);
  server.registerResource('it', URI, { mimeType: TYPE }, () => value);
  server.registerPrompt('it', { arguments: [{ name: 'a' }], complete: { a: () => value } }, () => value);
  server.on('my/it', () => value);
  return { server, reports, client: new Client(server, { revision: MODERN }) };
}

const PARAMS = {
  'tools/call': { name: 'it' },
  'resources/read': { uri: URI },
  'prompts/get': { name: 'it' },
  'completion/complete': { ref: { type: 'ref/prompt', name: 'it' }, argument: { name: 'a', value: '' } },
  'my/it': {},
};

async function given(method, value, options) {
  const { client, reports } = giving(value, options);
  const { resultType, _meta, ...result } = await client.request(method, PARAMS[method]);
  assert.deepEqual(reports, []);
  return result;
}

function name(value) {
  return inspect(value, { depth: 3, breakLength: Infinity }).slice(0, 90);
}

describe('a tool gives content', () => {
  for (const [value, content] of [
    [undefined, []],
    [null, []],
    ['', [text('')]],
    ['a\nb \u{1f600} "', [text('a\nb \u{1f600} "')]],
    [7, [text('7')]],
    [1.5, [text('1.5')]],
    [-0, [text('0')]],
    [true, [text('true')]],
    [false, [text('false')]],
    [NaN, [text('null')]],
    [new Date(0), [text('1970-01-01T00:00:00.000Z')]],
    [[], [text('[]')]],
    [[1, 'a'], [text('[1,"a"]')]],
    [[{ a: 1 }], [text('[{"a":1}]')]],
    [[undefined, () => 1], [text('[null,null]')]],
    [['a', 'b'], [text('a'), text('b')]],
    [text('a'), [text('a')]],
    [{ ...text('a'), annotations: { priority: 1 }, _meta: { k: 1 } }, [{ ...text('a'), annotations: { priority: 1 }, _meta: { k: 1 } }]],
    [image(PNG), [PNG_BLOCK]],
    [PNG, [PNG_BLOCK]],
    [Buffer.from(PNG), [PNG_BLOCK]],
    [PNG.subarray(0), [PNG_BLOCK]],
    [['see', PNG, text('b')], [text('see'), PNG_BLOCK, text('b')]],
    [{ type: 'image', data: PNG, mimeType: 'image/x' }, [{ ...PNG_BLOCK, mimeType: 'image/x' }]],
    [{ type: 'audio', data: 'b2s=', mimeType: 'audio/wav' }, [{ type: 'audio', data: 'b2s=', mimeType: 'audio/wav' }]],
    [{ type: 'resource_link', uri: 'a:b', name: 'B' }, [{ type: 'resource_link', uri: 'a:b', name: 'B' }]],
    [{ type: 'resource', resource: { uri: 'a:b', text: 'c' } }, [{ type: 'resource', resource: { uri: 'a:b', text: 'c' } }]],
    [{ type: 'resource', resource: { uri: 'a:b', blob: OPAQUE } }, [{ type: 'resource', resource: { uri: 'a:b', blob: BLOB } }]],
    [OPAQUE, [{ type: 'resource', resource: { uri: 'attachment:data', mimeType: 'application/octet-stream', blob: BLOB } }]],
    [{ content: [] }, []],
    [{ content: ['a', text('b'), PNG] }, [text('a'), text('b'), PNG_BLOCK]],
    ['lone \ud800 half', [text('lone \ufffd half')]],
    [{ toJSON: () => 'said' }, [text('said')]],
    [{ toJSON: () => ['said'] }, [text('["said"]')]],
  ]) {
    test(name(value), async () => {
      for (const own of ['it', 'later']) {
        const { client, reports } = giving(value);
        const result = await client.call(own);
        assert.deepEqual(result.content, content);
        assert.ok(!('structuredContent' in result) && !('isError' in result));
        assert.deepEqual(reports, []);
      }
    });
  }
});

describe('a tool gives data with its text', () => {
  class Point {
    x = 1;
    get sum() {
      return 2;
    }
  }
  for (const [value, structured] of [
    [{}, {}],
    [{ a: [1, null] }, { a: [1, null] }],
    [{ at: new Date(0), none: undefined, run() {} }, { at: '1970-01-01T00:00:00.000Z' }],
    [new Point(), { x: 1 }],
    [Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    [{ type: 'square', text: 'x' }, { type: 'square', text: 'x' }],
    [{ type: 'text' }, { type: 'text' }],
    [{ content: 'none' }, { content: 'none' }],
    [{ content: [{ a: 1 }] }, { content: [{ a: 1 }] }],
    [new Map([['a', 1]]), {}],
    [{ toJSON: () => ({ said: 1 }) }, { said: 1 }],
    [JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}')],
    [{ lone: 'a\ud800', '\udfff': '\\ud800\\\ud800 \u{1f600}' }, { lone: 'a\ufffd', '\ufffd': '\\ud800\\\ufffd \u{1f600}' }],
  ]) {
    test(name(value), async () => {
      const result = await given('tools/call', value);
      assert.equal(JSON.stringify(result.structuredContent), JSON.stringify(structured));
      assert.deepEqual(result.content.map((block) => block.type), ['text']);
      assert.equal(result.content[0].text, JSON.stringify(structured));
    });
  }
});

describe('a whole result', () => {
  test('is sent as it is', async () => {
    const whole = { content: [text('b')], structuredContent: { n: 1 }, _meta: { 'k/l': 2 } };
    const { client } = giving(whole);
    const { content, structuredContent, _meta, isError } = await client.call('it');
    assert.deepEqual({ content, structuredContent }, { content: [text('b')], structuredContent: { n: 1 } });
    assert.equal(_meta['k/l'], 2);
    assert.equal(isError, undefined);
  });

  test('can be an error with content', async () => {
    const whole = { content: ['no', PNG], structuredContent: { why: 1 }, isError: true };
    const result = await given('tools/call', whole);
    assert.deepEqual(result, { content: [text('no'), PNG_BLOCK], structuredContent: { why: 1 }, isError: true });
  });

  test('that says that it is none is none', async () => {
    const result = await given('tools/call', { content: ['yes'], isError: false });
    assert.deepEqual(result.content, [text('yes')]);
    assert.ok(!result.isError);
  });
});

describe('an output schema', () => {
  const object = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const number = { type: 'integer' };

  test('of an object makes data', async () => {
    assert.deepEqual(await given('tools/call', { n: 1 }, { outputSchema: object }), { content: [text('{"n":1}')], structuredContent: { n: 1 } });
  });

  for (const [outputSchema, value, said] of [
    [number, 7, '7'],
    [{ type: 'string' }, 'seven', 'seven'],
    [{ type: 'array', items: number }, [1, 2], '[1,2]'],
    [{ type: ['integer', 'null'] }, null, 'null'],
    [{ type: 'array', items: { type: 'string' } }, ['a'], '["a"]'],
    [{ anyOf: [number, { type: 'boolean' }] }, true, 'true'],
  ]) {
    test(`of ${JSON.stringify(outputSchema)} wraps ${JSON.stringify(value)}`, async () => {
      const { client } = giving(value, { outputSchema });
      const { content, structuredContent } = await client.call('later');
      assert.deepEqual(structuredContent, { result: value });
      assert.deepEqual(content, [text(said)]);
      const [{ outputSchema: listed }] = (await client.request('tools/list')).tools;
      assert.deepEqual(listed, { type: 'object', properties: { result: outputSchema }, required: ['result'] });
    });
  }

  test('is no obstacle to whole results', async () => {
    const whole = { content: ['seven'], structuredContent: { result: 7 } };
    assert.deepEqual(await given('tools/call', whole, { outputSchema: number }), { content: [text('seven')], structuredContent: { result: 7 } });
    const failed = { content: ['no'], isError: true };
    assert.deepEqual(await given('tools/call', failed, { outputSchema: number }), { content: [text('no')], isError: true });
  });

  for (const value of [{ n: 'x' }, {}, undefined, null, 7, 'text', { content: ['no data'] }]) {
    test(`refuses ${name(value)}, and the program is told`, async () => {
      const { client, reports } = giving(value, { outputSchema: object });
      const { error, result } = await client.answer('tools/call', { name: 'it' });
      assert.ok(error !== undefined || result.isError);
      assert.equal(reports.length, 1);
      assert.match(reports[0].message, /cannot be sent/);
    });
  }
});

/** What cannot be written as JSON, and what the program is told of it. */
const cyclic = {};
cyclic.self = cyclic;
const UNWRITABLE = [
  [10n, /a bigint.*BigInt/],
  [{ n: 10n }, /Object.*BigInt/],
  [cyclic, /Object.*circular/i],
  [() => 1, /a function.*JSON has no word for it/],
  [Symbol('x'), /a symbol.*JSON has no word for it/],
  [{ get trap() { throw new Error('sprung'); } }, /sprung/],
  [{ toJSON() { throw new Error('sprung'); } }, /sprung/],
  [{ toJSON: () => undefined }, /JSON has no word for it/],
];

for (const [value, words] of UNWRITABLE) {
  test(`what cannot be sent is an error, and told to the program: ${name(value)}`, async () => {
    for (const [method, params] of Object.entries({ ...PARAMS, 'tools/call': { name: 'later' } })) {
      const { client, reports } = giving(value);
      const { error, result } = await client.answer(method, params);
      if (method === 'tools/call') assert.equal(result.isError, true);
      else assert.equal(error.code, -32603, method);
      assert.equal(reports.length, 1, method);
      if (method !== 'completion/complete' && method !== 'prompts/get') assert.match(reports[0].message, words, method);
    }
  });
}

describe('a resource gives its contents', () => {
  const own = { uri: URI, mimeType: TYPE };
  for (const [value, contents] of [
    ['a', [{ ...own, text: 'a' }]],
    ['', [{ ...own, text: '' }]],
    [OPAQUE, [{ ...own, blob: BLOB }]],
    [Buffer.from(OPAQUE), [{ ...own, blob: BLOB }]],
    [{ a: 1 }, [{ ...own, text: '{"a":1}' }]],
    [[1, 'a'], [{ ...own, text: '[1,"a"]' }]],
    [['a'], [{ ...own, text: '["a"]' }]],
    [[], [{ ...own, text: '[]' }]],
    [7, [{ ...own, text: '7' }]],
    [true, [{ ...own, text: 'true' }]],
    [new Date(0), [{ ...own, text: '1970-01-01T00:00:00.000Z' }]],
    [{ contents: [] }, []],
    [{ contents: [{ uri: 'a:b', text: 'x' }] }, [{ uri: 'a:b', text: 'x' }]],
    [{ contents: [{ text: 'x' }] }, [{ uri: URI, text: 'x' }]],
    [{ contents: [{ uri: 'a:b', blob: OPAQUE, mimeType: 'x/y' }] }, [{ uri: 'a:b', mimeType: 'x/y', blob: BLOB }]],
    [[{ uri: 'a:1', text: 'x' }, { uri: 'a:2', blob: OPAQUE }], [{ uri: 'a:1', text: 'x' }, { uri: 'a:2', blob: BLOB }]],
    [[OPAQUE, { text: 'x' }], [{ ...own, blob: BLOB }, { uri: URI, text: 'x' }]],
    ['\udc00', [{ ...own, text: '\ufffd' }]],
  ]) {
    test(name(value), async () => assert.deepEqual((await given('resources/read', value)).contents, contents));
  }

  for (const value of [null, undefined]) {
    test(`but not ${value}`, async () => {
      const { client, reports } = giving(value);
      assert.equal((await client.refusal('resources/read', { uri: URI })).code, -32603);
      assert.match(reports[0].message, /NotFoundError/);
    });
  }

  test('with what belongs to the whole result', async () => {
    const { client } = giving({ contents: [{ uri: 'a:b', text: 'x' }], _meta: { 'k/l': 1 } });
    const { contents, _meta } = await client.request('resources/read', { uri: URI });
    assert.deepEqual([contents, _meta['k/l']], [[{ uri: 'a:b', text: 'x' }], 1]);
  });
});

describe('a prompt gives messages', () => {
  const user = (content) => ({ role: 'user', content });
  for (const [value, messages] of [
    ['a', [user(text('a'))]],
    [['a', 'b'], [user(text('a')), user(text('b'))]],
    [{ role: 'assistant', content: 'a' }, [{ role: 'assistant', content: text('a') }]],
    [{ role: 'user', content: text('a') }, [user(text('a'))]],
    [['a', { role: 'assistant', content: PNG }], [user(text('a')), { role: 'assistant', content: PNG_BLOCK }]],
    [{ role: 'user', content: ['a', PNG] }, [user(text('a')), user(PNG_BLOCK)]],
    [image(PNG), [user(PNG_BLOCK)]],
    [PNG, [user(PNG_BLOCK)]],
    [{ messages: ['a'] }, [user(text('a'))]],
    [[], []],
    [{ messages: [] }, []],
  ]) {
    test(name(value), async () => assert.deepEqual((await given('prompts/get', value)).messages, messages));
  }

  test('with a description', async () => {
    const result = await given('prompts/get', { description: 'D', messages: ['a'] });
    assert.deepEqual(result, { description: 'D', messages: [user(text('a'))] });
  });

  for (const value of [undefined, null, 7, {}, [7], { role: 'user' }, { messages: [{}] }, { role: 'system', content: 'x' }]) {
    test(`but not ${name(value)}`, async () => {
      const { client, reports } = giving(value);
      assert.equal((await client.refusal('prompts/get', { name: 'it' })).code, -32603);
      assert.equal(reports.length, 1);
      assert.match(reports[0].message, /cannot be sent/);
    });
  }
});

describe('a completion gives suggestions', () => {
  const many = Array.from({ length: 150 }, (_, place) => String(place));
  function* endless() {
    for (let number = 0; ; number += 1) yield String(number);
  }
  for (const [value, completion] of [
    [undefined, { values: [] }],
    [null, { values: [] }],
    ['one', { values: ['one'] }],
    [['a', 'b'], { values: ['a', 'b'] }],
    [{ values: ['a'], total: 9, hasMore: true }, { values: ['a'], total: 9, hasMore: true }],
    [{ values: [] }, { values: [] }],
    [new Set(['a']), { values: ['a'] }],
    [many, { values: many.slice(0, 100), total: 150, hasMore: true }],
    [endless(), { values: many.slice(0, 100), hasMore: true }],
  ]) {
    test(name(value), async () => {
      const { completion: { values, total, hasMore } } = await given('completion/complete', value);
      assert.deepEqual(values, completion.values);
      assert.equal(total, completion.total);
      assert.equal(hasMore ?? false, completion.hasMore ?? false);
    });
  }

  for (const value of [7, [1], {}, { values: 'a' }, { values: [null] }]) {
    test(`but not ${name(value)}`, async () => {
      const { client, reports } = giving(value);
      assert.equal((await client.refusal('completion/complete', PARAMS['completion/complete'])).code, -32603);
      assert.match(reports[0].message, /suggestions are an array of strings/);
    });
  }
});

describe('a method gives its result', () => {
  for (const [value, result] of [
    [undefined, {}],
    [null, {}],
    [{ a: 1 }, { a: 1 }],
    [[1], { result: [1] }],
    ['a', { result: 'a' }],
    [false, { result: false }],
  ]) {
    test(name(value), async () => assert.deepEqual(await given('my/it', value), result));
  }
});

describe('media', () => {
  for (const [make, data, mimeType] of [
    [image, PNG, 'image/png'],
    [image, Uint8Array.of(0xff, 0xd8, 0xff, 0), 'image/jpeg'],
    [image, Buffer.from('GIF89a'), 'image/gif'],
    [image, Buffer.from('RIFF0000WEBPVP8 '), 'image/webp'],
    [image, Buffer.from('?'), 'image/png'],
    [audio, Buffer.from('RIFF0000WAVEfmt '), 'audio/wav'],
    [audio, Buffer.from('ID3abc'), 'audio/mpeg'],
    [audio, Buffer.from('OggS'), 'audio/ogg'],
    [audio, Buffer.from('?'), 'audio/wav'],
  ]) {
    test(`is known by how it begins: ${make.name} ${mimeType}`, () => {
      const base64 = Buffer.from(data).toString('base64');
      assert.equal(make(data).mimeType, mimeType);
      assert.deepEqual(make(base64), { ...make(data) });
      assert.equal(make(data).data, base64);
    });
  }

  test('has the type that is given', () => {
    assert.deepEqual(image('b2s=', 'image/own'), { type: 'image', data: 'b2s=', mimeType: 'image/own' });
    assert.deepEqual(audio(Buffer.from('ok'), 'audio/own'), { type: 'audio', data: 'b2s=', mimeType: 'audio/own' });
  });

  test('is bytes or text', () => {
    for (const wrong of [undefined, null, 7, {}, [1]]) {
      assert.throws(() => image(wrong), { name: 'TypeError', message: 'image takes bytes or base64' });
      assert.throws(() => audio(wrong), { name: 'TypeError', message: 'audio takes bytes or base64' });
    }
  });
});

for (const revision of ERAS) {
  test(`large results come whole in ${revision}`, async () => {
    const server = new McpServer({ name: 'large' });
    server.registerTool('text', {}, () => 'ä'.repeat(1_000_000));
    server.registerTool('data', {}, async () => ({ rows: Array.from({ length: 20_000 }, (_, id) => ({ id, name: `row ${id}` })) }));
    const client = new Client(server, { revision });
    assert.equal((await client.call('text')).content[0].text.length, 1_000_000);
    assert.equal((await client.call('data')).structuredContent.rows.length, 20_000);
  });
}

test('promises of other libraries will do', async () => {
  const server = new McpServer({ name: 'thenable' });
  server.registerTool('thenable', {}, () => ({ then: (resolve) => setImmediate(resolve, 'later') }));
  server.registerTool('callable', {}, () => Object.assign(() => 1, { then: (resolve) => resolve('at once') }));
  const client = new Client(server);
  assert.equal(await client.text('thenable'), 'later');
  assert.equal(await client.text('callable'), 'at once');
});
