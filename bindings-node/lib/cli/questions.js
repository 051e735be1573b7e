'use strict';

// Answering a server's questions at the terminal.

const { ReadStream, isatty } = require('node:tty');

const { standard, styled, writeError } = require('./standard.js');
const { fields, inWords } = require('./schema.js');
const { note } = require('./terminal.js');

const DECLINED = { action: 'decline' };

let lines = null;

/** Asks the person what `elicitation/create` asks; declines if there is none. */
async function answer({ message = '', mode, url = '', requestedSchema }) {
  if (!isatty(standard().input) || !isatty(2)) {
    note(`declined, since there is nobody to ask: ${message}`);
    return DECLINED;
  }
  writeError(styled(message, 'bold'));
  const found = mode === 'url' ? await visit(url) : await fillIn(requestedSchema);
  if (found !== null) return found;
  writeError('');
  note('declined');
  return DECLINED;
}

async function visit(url) {
  writeError(`  open ${url}`);
  const text = await prompt('  then press Enter (Ctrl-D declines) ');
  return text === null ? null : { action: 'accept' };
}

/** What the person has filled in; null if the person would rather not. */
async function fillIn(schema) {
  const content = {};
  const asked = fields(schema);
  for (const { name, field, isRequired } of asked) {
    const value = await ask(name, field, isRequired);
    if (value === null) return null;
    if (value.given !== undefined) content[name] = value.given;
  }
  if (asked.length === 0) {
    const text = await prompt('  agree? [y/N] ');
    if (text === null) return null;
    if (!['y', 'yes'].includes(text.trim().toLowerCase())) return DECLINED;
  }
  return { action: 'accept', content };
}

async function ask(name, field, isRequired) {
  const initial = field.default;
  const shown = initial === null ? '' : ` [${inWords(initial)}]`;
  const about = field.description ? ` ${styled(field.description, 'dim')}` : '';
  writeError(`  ${name} (${field.label}${isRequired ? '' : ', optional'})${about}`);
  for (;;) {
    const text = await prompt(`  ${name}${shown}: `);
    if (text === null) return null;
    if (!text && initial !== null) return { given: initial };
    if (!text && !isRequired) return {};
    const isList = field.isArray && !text.startsWith('[');
    const items = text.split(',').map((part) => part.trim()).filter(Boolean);
    try {
      return { given: field.read(isList ? JSON.stringify(items) : text) };
    } catch (error) {
      writeError(`  it ${error.message}`);
    }
  }
}

/** The next line that the person types; null after Ctrl-D. */
async function prompt(text) {
  process.stderr.write(text);
  lines ??= require('node:readline').createInterface({ input: new ReadStream(standard().input) })[Symbol.asyncIterator]();
  const { value, done } = await lines.next();
  return done ? null : value;
}

module.exports = { answer };
