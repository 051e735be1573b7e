'use strict';

// `mcplite install`: configures a client to start the server.

const fs = require('node:fs');
const path = require('node:path');

const { CLIENTS } = require('./clients.js');
const { TARGET } = require('./options.js');
const { print, writeError } = require('./standard.js');
const { Parser } = require('./parser.js');
const settings = require('./settings.js');
const { Target } = require('./target.js');
const { EXIT_OK, Failure, note, usage } = require('./terminal.js');
const { quoted, reason } = require('./text.js');

const DESCRIPTION = `\
Prints what a client's configuration needs to start the server, and where it belongs; with --write,
adds it there. Other entries stay as they are, and the file as it was is kept beside it as .bak.`;

const EXAMPLES = `\
examples:
  mcplite install server.js --client claude-code
  mcplite install server.js --client claude-desktop --write
  mcplite install server.js:server --client codex --name tools --env API_KEY=abc --write
  mcplite install package --client cursor --scope user --node /usr/local/bin/node
`;

const SCRIPT = path.resolve(__dirname, '..', '..', 'bin', 'mcplite.js');

async function execute(argv) {
  const options = new Parser('install', {
    description: DESCRIPTION,
    epilog: EXAMPLES,
    parameters: [
      { ...TARGET, help: 'the file or module to install' },
      { name: '--client', isRequired: true, choices: CLIENTS.map(({ name }) => name), help: 'which client' },
      { name: '--name', help: "the client's name for it (default: the server's own)" },
      { name: '--env', metavar: 'K=V', isRepeated: true, help: 'an environment variable it needs' },
      { name: '--write', isFlag: true, help: 'change the file instead of printing' },
      { name: '--node', metavar: 'PATH', help: 'the interpreter (default: this one)' },
      { name: '--scope', choices: ['project', 'user'], help: 'for this folder, or for everything you do' },
    ],
  }).parse(argv);
  if (options === null) return EXIT_OK;
  const env = environment(options.env);
  const target = new Target(options.target);
  const client = CLIENTS.find(({ name }) => name === options.client);
  const file = client.file(options.scope, process.cwd());
  const node = options.node === null ? null : interpreter(options.node);
  const name = await nameOf(options, target, env);
  const [command, ...args] = commandLine(target, node);
  const entry = client.entry(command, args, env);
  if (options.write) return write(client, file, name, entry);
  note(`add this to ${file}, or let --write do it; then ${client.after}`);
  print((client.isToml ? settings.tomlSnippet : settings.jsonSnippet)(client.member, name, entry));
  return EXIT_OK;
}

function write(client, file, name, entry) {
  const text = settings.load(file);
  const merged = (client.isToml ? settings.mergedToml : settings.mergedJson)(text, client.member, name, entry, file);
  if (merged === text) {
    note(`${file} has ${name} already`);
    return EXIT_OK;
  }
  let backup;
  try {
    backup = settings.save(file, merged);
  } catch (error) {
    throw new Failure(`cannot write ${file}: ${reason(error)}`);
  }
  writeError(`${file}: ${name} is configured for ${client.title}`);
  if (backup !== null) writeError(`  as it was: ${backup}`);
  writeError(`  now ${client.after}`);
  return EXIT_OK;
}

function environment(pairs) {
  return Object.fromEntries(pairs.map((pair) => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (name === undefined) throw usage(`--env ${quoted(pair)} has no value`, 'write K=V');
    return [name, value];
  }));
}

/** The name that the user wants, else the server's, of which only plain characters are kept. */
async function nameOf(options, target, env) {
  let name = options.name ?? '';
  if (!name && options.node === null) {
    Object.assign(process.env, env);
    try {
      ({ name } = await target.load());
    } catch (failure) {
      failure.hint ||= 'to install it all the same, give it a --name';
      throw failure;
    }
  }
  return name.replace(/[^A-Za-z0-9_-]/g, '-').replace(/^-+|-+$/g, '') || target.stem;
}

function interpreter(chosen) {
  if (!chosen.includes(path.sep)) {
    const folders = (process.env.PATH ?? '').split(path.delimiter);
    const found = folders.map((folder) => path.join(folder, chosen)).find(isProgram);
    if (found === undefined) throw usage(`there is no ${chosen} on the PATH`, 'see --node');
    return found;
  }
  const place = path.resolve(chosen);
  if (!isProgram(place)) throw usage(`${chosen} is no program`, 'see --node');
  return place;
}

function isProgram(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** What starts the server. The cache of npx comes and goes, so that from there npx is what stays. */
function commandLine(target, node) {
  const where = target.attribute === null ? target.place : `${target.place}:${target.attribute}`;
  const run = ['run', where, ...(target.isFile ? [] : ['--directory', target.folder])];
  if (node === null && SCRIPT.split(path.sep).includes('_npx')) {
    return [...(process.platform === 'win32' ? ['cmd', '/c'] : []), 'npx', '-y', 'mcplite', ...run];
  }
  return [node ?? process.execPath, ...(node === null ? process.execArgv : []), SCRIPT, ...run];
}

module.exports = { execute };
