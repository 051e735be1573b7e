'use strict';

// What handlers return, in the words of the specification.

const { ErrorCode, MCPError } = require('./errors.js');

const BLOCKS = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);

/** The result of a request, as the engine takes it. */
function resultOf(method, value) {
  if (value === undefined || value === null) return method === 'tools/call' ? { content: [] } : {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new MCPError(ErrorCode.InternalError, `the handler of ${method} must return an object, as all results are`);
  }
  if (method === 'tools/call') return toolResult(value);
  if (method === 'prompts/get' && Array.isArray(value.messages)) return { ...value, messages: value.messages.flatMap(messagesOf) };
  return value;
}

function toolResult(value) {
  return value.content === undefined && value.structuredContent === undefined ? { content: [], ...value } : value;
}

/** One message, or several if its content is that of a tool's response, in the roles that there are. */
function messagesOf(message) {
  // The protocol knows no system: what it says is for the model, as the user's messages are.
  const role = message.role === 'system' ? 'user' : message.role;
  return blocksOf(message.content).map((content) => ({ ...message, role, content }));
}

function blocksOf(content) {
  if (Array.isArray(content)) return content.flatMap(blocksOf);
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (BLOCKS.has(content?.type)) return [content];
  if (Array.isArray(content?.content)) return content.content.flatMap(blocksOf);
  return [{ type: 'text', text: JSON.stringify(content) ?? '' }];
}

module.exports = { resultOf };
