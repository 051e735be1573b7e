'use strict';

// Showing what a tool, a resource or a prompt has given.

const { writeJson } = require('./json.js');
const { isTerminal, print, styled, styledResult, writeError } = require('./standard.js');
const { EXIT_FAILED, EXIT_OK, Failure, note } = require('./terminal.js');

/** Prints a result of this kind, and gives the exit code. */
function show(kind, result, { raw, structured }) {
  const isError = result.isError === true;
  if (raw) {
    printJson(result);
  } else if (structured && !isError) {
    if (result.structuredContent === undefined) {
      throw new Failure(`the ${kind} gave no structured content`, { hint: 'leave out --structured' });
    }
    printJson(result.structuredContent);
  } else if (kind === 'resource') {
    for (const contents of result.contents ?? []) showContents(contents);
  } else if (kind === 'prompt') {
    for (const { role, content } of result.messages ?? []) print(`${styledResult(`${role}:`, 'cyan')} ${textOf(content)}\n`);
  } else {
    for (const block of result.content ?? []) {
      if (isError) writeError(styled(textOf(block), 'red'));
      else print(`${textOf(block)}\n`);
    }
  }
  return isError ? EXIT_FAILED : EXIT_OK;
}

function printJson(value) {
  print(`${writeJson(value, isTerminal() ? 2 : null)}\n`);
}

/** A block of content as a line of text, or as a note of what it is. */
function textOf(block) {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource':
      return block.resource.text ?? `[${block.resource.uri}: ${bytesOf(block.resource.blob)}]`;
    case 'resource_link':
      return `${block.title || block.name}: ${block.uri}`;
    case 'image':
    case 'audio':
      return `[${block.type}, ${block.mimeType}: ${bytesOf(block.data)}]`;
    default:
      return writeJson(block);
  }
}

function bytesOf(encoded = '') {
  return `${Buffer.byteLength(encoded, 'base64')} bytes`;
}

function showContents({ text, blob = '', uri, mimeType = 'binary' }) {
  if (text !== undefined) print(isTerminal() && !text.endsWith('\n') ? `${text}\n` : text);
  else if (isTerminal()) note(`${uri} is ${mimeType}, ${bytesOf(blob)}: send the output to a file`);
  else print(Buffer.from(blob, 'base64'));
}

module.exports = { show };
