'use strict';

// Adding one server to a client's file without touching anything else in it.

const fs = require('node:fs');
const path = require('node:path');
const { isDeepStrictEqual } = require('node:util');

const { readJson, writeJson } = require('./json.js');
const { Failure } = require('./terminal.js');
const toml = require('./toml.js');

/** The whole file, if there were nothing else in it. */
function jsonSnippet(member, name, entry) {
  return `${writeJson({ [member]: { [name]: entry } }, 2)}\n`;
}

/** One table, with its own tables below it. */
function tomlSnippet(member, name, entry) {
  return toml.writeToml([member, name], asMap(entry));
}

/** The text with the server in it; a Failure if that cannot be done without loss. */
function mergedJson(text, member, name, entry, file) {
  let content;
  try {
    content = readJson(text.trim() || '{}');
  } catch (error) {
    throw unusable(file, `it is no valid JSON: ${error.message}`);
  }
  const servers = content instanceof Map ? content.get(member) ?? new Map() : null;
  if (!(servers instanceof Map)) {
    const what = content instanceof Map ? `its ${member} is` : 'it is';
    throw unusable(file, `${what} no JSON object`);
  }
  servers.set(name, joined(servers.get(name), asMap(entry)));
  content.set(member, servers);
  return `${writeJson(content, indentOf(text))}\n`;
}

/** The text with the server's table in it; a Failure if that cannot be done without loss. */
function mergedToml(text, member, name, entry, file) {
  let before;
  try {
    before = toml.readToml(text);
  } catch (error) {
    throw unusable(file, `it is no valid TOML: ${error.message}`);
  }
  const servers = before.get(member) ?? new Map();
  if (!(servers instanceof Map)) throw unusable(file, `its ${member} is no table`);
  const whole = joined(servers.get(name), asMap(entry));
  const after = withTable(text, [member, name], toml.writeToml([member, name], whole));
  const expected = new Map(before).set(member, new Map(servers).set(name, whole));
  // The text was edited line by line; whether that was right is seen by reading it again.
  let isRight = false;
  try {
    isRight = isDeepStrictEqual(toml.readToml(after), expected);
  } catch {
    // It was not.
  }
  if (!isRight) throw unusable(file, `${member}.${name} is written there in a way that we cannot edit`);
  return after;
}

/** Replaces the file in one step; gives the name of the backup, or null if there was nothing before. */
function save(file, text) {
  const real = fs.existsSync(file) ? fs.realpathSync(file) : file;
  fs.mkdirSync(path.dirname(real), { recursive: true });
  const found = fs.statSync(real, { throwIfNoEntry: false });
  const mode = found === undefined ? 0o600 : found.mode & 0o777;
  const backup = found === undefined ? null : `${real}.bak`;
  if (backup !== null) fs.writeFileSync(backup, fs.readFileSync(real), { mode });
  fs.writeFileSync(`${real}.new`, text, { mode });
  fs.renameSync(`${real}.new`, real);
  return backup;
}

/** The text of a file, empty if there is none. */
function load(file) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(fs.readFileSync(file));
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw unusable(file, 'it is no UTF-8 text');
  }
}

function unusable(file, why) {
  return new Failure(`${file} was left as it is: ${why}`, {
    hint: 'put it right, or run the command without --write and paste what it prints',
  });
}

function asMap(entry) {
  return new Map(Object.entries(entry).map(([key, value]) => {
    return [key, typeof value === 'object' && !Array.isArray(value) ? asMap(value) : value];
  }));
}

/** What was said about a server, with what is said now; a remote server is another one. */
function joined(old, entry) {
  if (!(old instanceof Map) || old.has('url')) return entry;
  const whole = new Map([...old, ...entry]);
  const env = old.get('env');
  if (env instanceof Map && entry.has('env')) whole.set('env', new Map([...env, ...entry.get('env')]));
  return whole;
}

function indentOf(text) {
  const [, blank] = /\n([ \t]+)/.exec(text) ?? [];
  if (blank === undefined) return 2;
  return blank.startsWith('\t') ? '\t' : blank.length;
}

/** Replaces the lines of a table and of those below it, or appends them. */
function withTable(text, place, table) {
  const kept = [];
  let position = null;
  let isOurs = false;
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const header = toml.headerOf(line);
    if (header !== null) isOurs = place.every((part, depth) => header[depth] === part);
    if (isOurs) position ??= kept.length;
    else kept.push(line);
  }
  if (position === null) {
    const before = kept.join('');
    const gap = before === '' ? '' : before.endsWith('\n') ? '\n' : '\n\n';
    return before + gap + table;
  }
  const following = position < kept.length ? '\n' : '';
  return kept.slice(0, position).join('') + table + following + kept.slice(position).join('');
}

module.exports = { jsonSnippet, load, mergedJson, mergedToml, save, tomlSnippet };
