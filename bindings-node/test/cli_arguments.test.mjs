// Reading `key=value` by the schema of a tool.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { part } from './support/cli.mjs';

const { readArguments } = part('arguments');
const { Field, fields } = part('schema');

const SCHEMA = {
  type: 'object',
  properties: {
    i: { type: 'integer' },
    n: { type: 'number' },
    b: { type: 'boolean' },
    s: { type: 'string' },
    tags: { type: 'array', items: { type: 'string' } },
    numbers: { type: 'array', items: { type: 'integer' } },
    o: { type: 'object' },
    either: { type: ['integer', 'string'] },
    one: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
    colour: { enum: ['red', 'green'] },
    level: { enum: [1, 2] },
    ref: { $ref: '#/$defs/Count' },
    free: {},
  },
  $defs: { Count: { type: 'integer' } },
};

test('a value has the type that its schema asks for', () => {
  const cases = {
    'i=5': 5, 'i=-5': -5, 'n=5': 5, 'n=1.5e3': 1500, 'b=true': true, 'b=No': false, 'b=1': true,
    's=5': '5', 's=': '', 's=a=b': 'a=b', 's=true': 'true', 's:=5': 5,
    'tags=["a", "b"]': ['a', 'b'], 'tags=a': ['a'], 'tags=5': ['5'], 'numbers=5': [5], 'o={"x": [1]}': { x: [1] },
    'either=5': 5, 'either=five': 'five', 'one=null': null, 'one=true': true, 'colour=red': 'red', 'level=2': 2, 'ref=7': 7,
    'free=7': 7, 'free=word': 'word', 'free={"a": 1}': { a: 1 },
  };
  for (const [pair, value] of Object.entries(cases)) {
    assert.deepEqual(readArguments([pair], SCHEMA), { [/^\w+/.exec(pair)[0]]: value }, pair);
  }
  assert.deepEqual(readArguments(['level=3'], SCHEMA), { level: 3 });
});

test('a key that stands twice makes an array, and single arguments are added to a whole object', () => {
  assert.deepEqual(readArguments(['tags=a', 'tags=b', 'tags=["c"]'], SCHEMA), { tags: ['a', 'b', 'c'] });
  assert.deepEqual(readArguments(['numbers=1', 'numbers=2'], SCHEMA), { numbers: [1, 2] });
  assert.deepEqual(readArguments(['i=2'], SCHEMA, '{"i": 1, "s": "x"}'), { i: 2, s: 'x' });
});

test('what the schema does not know is free where it allows more', () => {
  assert.deepEqual(readArguments(['x=1', 'y=z'], { type: 'object' }), { x: 1, y: 'z' });
  assert.deepEqual(readArguments(['x=1'], { additionalProperties: { type: 'string' } }), { x: '1' });
});

test('mistakes are told as usage, and a slip of the pen with what was meant', () => {
  const cases = [
    [['i=five'], null, "i must be an integer, not 'five'"],
    [['b=perhaps'], null, 'b must be a boolean'],
    [['o=[1]'], null, 'o must be an object'],
    [['numbers=a'], null, 'numbers must be an integer'],
    [['i:=five'], null, 'the value of i is no JSON'],
    [['five'], null, "'five' is no argument"],
    [['=5'], null, 'is no argument'],
    [['colr=red'], null, "there is no argument 'colr'"],
    [['i=1', 'i=2'], null, 'i is given 2 times'],
    [[], '[1]', '--json must be an object'],
    [[], '{', '--json is no JSON'],
  ];
  for (const [pairs, whole, message] of cases) {
    assert.throws(() => readArguments(pairs, SCHEMA, whole), (error) => error.message.includes(message) && error.code === 2);
  }
  assert.throws(() => readArguments(['colr=red'], SCHEMA), { hint: 'did you mean colour?' });
});

test('a type is told in a few words, and one that refers to itself ends', () => {
  const cases = [
    [{ type: 'integer' }, 'integer'],
    [{ type: ['integer', 'null'] }, 'integer or null'],
    [{ type: 'array', items: { type: 'string' } }, 'array of string'],
    [{ type: 'array' }, 'array'],
    [{ enum: ['a', 1] }, 'a|1'],
    [{ const: 'x' }, 'x'],
    [{}, 'any'],
    [true, 'any'],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 'number or string'],
  ];
  for (const [schema, label] of cases) assert.equal(new Field(schema, schema).label, label);
  const [{ field }] = fields({ properties: { x: { $ref: '#/properties/x' } } });
  assert.equal(field.label, 'any');
});
