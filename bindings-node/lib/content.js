'use strict';

// Content of tools, from bytes.

const { isUint8Array } = require('node:util/types');

/** Beginnings of files, and the types that they say. */
const SIGNATURES = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
  ['image/bmp', [0x42, 0x4d]],
  ['audio/mpeg', [0x49, 0x44, 0x33]],
  ['audio/mpeg', [0xff, 0xfb]],
  ['audio/ogg', [0x4f, 0x67, 0x67, 0x53]],
  ['audio/flac', [0x66, 0x4c, 0x61, 0x43]],
];

/** The type of bytes by how they begin, if that says something. */
function typeOf(bytes) {
  const found = SIGNATURES.find(([, start]) => start.every((byte, at) => bytes[at] === byte));
  if (found !== undefined) return found[0];
  const form = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (!form.startsWith('RIFF')) return undefined;
  return form.endsWith('WEBP') ? 'image/webp' : form.endsWith('WAVE') ? 'audio/wav' : undefined;
}

function image(data, mimeType) {
  return media('image', data, mimeType, 'image/png');
}

function audio(data, mimeType) {
  return media('audio', data, mimeType, 'audio/wav');
}

function media(type, data, mimeType, otherwise) {
  const isText = typeof data === 'string';
  if (!isText && !isUint8Array(data)) throw new TypeError(`${type} takes bytes or base64`);
  const bytes = isText ? Buffer.from(data.slice(0, 24), 'base64') : data;
  return { type, data: isText ? data : encoded(data), mimeType: mimeType ?? typeOf(bytes) ?? otherwise };
}

/** A block for bytes: an image or sound if they look like one, else an embedded resource. */
function fromBytes(bytes) {
  const mimeType = typeOf(bytes);
  if (mimeType?.startsWith('image/')) return image(bytes, mimeType);
  if (mimeType?.startsWith('audio/')) return audio(bytes, mimeType);
  const blob = encoded(bytes);
  return { type: 'resource', resource: { uri: 'attachment:data', mimeType: 'application/octet-stream', blob } };
}

function encoded(bytes) {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

module.exports = { image, audio, fromBytes };
