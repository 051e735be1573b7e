'use strict';

// What is served, and how.

const { usage } = require('./terminal.js');
const { quoted, reason } = require('./text.js');

const DEFAULT_ADDRESS = '127.0.0.1:8000';

const TARGET = { name: 'target', metavar: 'file.js[:server]' };

/** The options of `run` and `dev` that say what is served and how. */
const SERVING = [
  { ...TARGET, help: 'the file or module to serve' },
  {
    name: '--http', metavar: 'HOST:PORT', constant: DEFAULT_ADDRESS, belongs: isAddress,
    help: `serve over HTTP, at ${DEFAULT_ADDRESS} unless told otherwise`,
  },
  { name: '--path', initial: '/mcp', help: 'the path over HTTP (default: /mcp)' },
  {
    name: '--allow-host', metavar: 'NAME', isRepeated: true,
    help: 'a name that clients elsewhere use for this machine, over HTTP',
  },
  { name: '--directory', metavar: 'FOLDER', help: 'change to this folder before anything is imported' },
];

/** Whether what follows `--http` belongs to it, and is not the file. */
function isAddress(text) {
  return /(^|:)\d+$/.test(text) || text === 'localhost';
}

/** Where HTTP is served: HOST:PORT, PORT or HOST, with IPv6 addresses in brackets; null for stdio. */
function address({ http: text }) {
  if (text === null) return null;
  const [, host, port] = /^\d+$/.test(text) ? [text, '', text]
    : text.endsWith(']') || !text.includes(':') ? [text, text, '8000']
    : /^(.*):(.*)$/s.exec(text);
  if (!/^\d+$/.test(port) || Number(port) > 65535) throw usage(`${quoted(text)} is no address`, 'write HOST:PORT or PORT');
  return { host: host.replace(/^\[|\]$/g, '') || '127.0.0.1', port: Number(port) };
}

/** What is said about serving over HTTP, as options of `httpHandler`. */
function settings({ http, path, allowHost }) {
  if (http === null && allowHost.length > 0) throw usage('--allow-host is for --http');
  return { path, ...(allowHost.length > 0 && { allowedHosts: allowHost }) };
}

/** Changes to the folder that was named, if one was. */
function enterFolder({ directory }) {
  if (directory === null) return;
  try {
    process.chdir(directory);
  } catch (error) {
    throw usage(`cannot change to ${directory}: ${reason(error)}`);
  }
}

module.exports = { SERVING, TARGET, address, enterFolder, isAddress, settings };
