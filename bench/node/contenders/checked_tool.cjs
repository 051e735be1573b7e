// The tool for servers that check nothing: what a schema would check, by hand, which is the cheapest way.
'use strict';

const NUMBER = { type: 'number' };

exports.TOOL = {
  name: 'add',
  description: 'Adds.',
  inputSchema: { type: 'object', properties: { a: NUMBER, b: NUMBER }, required: ['a', 'b'] },
};

exports.addChecked = ({ name, arguments: given }) => {
  if (name !== 'add') throw new Error(`there is no tool ${name}`);
  if (typeof given?.a !== 'number' || typeof given.b !== 'number') {
    return { content: [{ type: 'text', text: 'a and b must be numbers' }], isError: true };
  }
  return { content: [{ type: 'text', text: String(given.a + given.b) }] };
};
