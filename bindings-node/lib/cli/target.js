'use strict';

// Finding the server in `file.js[:server]` or `package[:server]`.

const fs = require('node:fs');
const path = require('node:path');

const { takeStandard } = require('./standard.js');
const { EXIT_UNLOADABLE, Failure, complain, usage } = require('./terminal.js');
const { article, quoted } = require('./text.js');

const PROJECT_SIGNS = ['package.json', '.git'];
const FILE = /\.[cm]?[jt]sx?$/;
const PACKAGE = /^(@[\w.~-]+\/)?[\w~-][\w.~-]*(\/[\w.~-]+)*$/;
const NAME = /^[\p{ID_Start}_$][\p{ID_Continue}$]*(\.[\p{ID_Start}_$][\p{ID_Continue}$]*)*$/u;

/** Where a server is: a file or a package, and perhaps the name that it has there. */
class Target {
  constructor(text) {
    const [place, attribute] = split(text);
    this.text = text;
    this.attribute = attribute;
    this.isFile = FILE.test(place) || path.isAbsolute(place) || place.startsWith('.') || fs.existsSync(place);
    this.place = this.isFile ? path.resolve(place) : place;
    if (this.isFile) {
      this.#checkFile(place);
    } else if (!PACKAGE.test(place)) {
      throw usage(`${quoted(text)} is neither a file nor a module`, 'write file.js, file.js:server, package or package:server');
    }
  }

  #checkFile(place) {
    const found = fs.statSync(this.place, { throwIfNoEntry: false });
    if (found === undefined) {
      const hint = `looked in ${path.dirname(this.place)}`;
      throw new Failure(`there is no file ${place}`, { hint, code: EXIT_UNLOADABLE });
    }
    if (found.isDirectory()) {
      throw new Failure(`${place} is a folder`, { hint: 'name the file with the server', code: EXIT_UNLOADABLE });
    }
  }

  /** What a person calls the file or package. */
  get label() {
    return this.isFile ? path.basename(this.place) : this.place;
  }

  /** The last part of the name, without its ending. */
  get stem() {
    return path.parse(this.place).name;
  }

  /** The folder in which packages are looked for. */
  get folder() {
    return this.isFile ? path.dirname(this.place) : process.cwd();
  }

  /** The project that the file belongs to: the nearest folder that looks like one. */
  get root() {
    for (let folder = this.folder; ; folder = path.dirname(folder)) {
      if (PROJECT_SIGNS.some((sign) => fs.existsSync(path.join(folder, sign)))) return folder;
      if (path.dirname(folder) === folder) return this.folder;
    }
  }

  /** Imports the file or package and gives its server; a Failure says what is wrong. */
  async load() {
    takeStandard();
    process.on('exit', this.#ended);
    try {
      const { exported, started } = await require('./loading.js').load(this, (namespace) => {
        return this.attribute !== null || serversOf(namespace).size > 0;
      });
      return started !== null && (this.attribute === null || exported === null) ? started : await this.#choose(exported);
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw require('./unloadable.js').unloadable(this, error);
    } finally {
      process.off('exit', this.#ended);
    }
  }

  #ended = () => {
    const hint = 'put what should only happen in a script under `if (process.argv[1] === import.meta.filename)`';
    complain(new Failure(`${this.label} ended the program while it was loaded`, { hint }));
    process.exitCode = EXIT_UNLOADABLE;
  };

  #choose(exported) {
    if (this.attribute !== null) return this.#named(exported, this.attribute);
    const found = serversOf(exported);
    const best = ['default', 'server'].find((name) => found.has(name));
    if (best !== undefined) return found.get(best);
    if (found.size === 1) return [...found.values()][0];
    if (found.size === 0) {
      const factories = Object.entries(members(exported)).filter(([, value]) => typeof value === 'function');
      const hint = factories.length === 0 ? 'write `export const server = new McpServer(…)` at the top level of the file'
        : `to call a function that makes one: ${this.#suggest(factories.map(([name]) => name))}`;
      throw new Failure(`there is no server in ${this.label}`, { hint, code: EXIT_UNLOADABLE });
    }
    const names = [...found.keys()];
    throw new Failure(`there are ${found.size} servers in ${this.label}: ${names.join(', ')}`, {
      hint: `say which one: ${this.#suggest(names)}`,
      code: EXIT_UNLOADABLE,
    });
  }

  async #named(exported, attribute) {
    let value = members(exported);
    for (const part of attribute.split('.')) {
      if (value === null || value === undefined || !(part in Object(value))) {
        const names = [...serversOf(exported).keys()];
        throw new Failure(`there is no ${quoted(attribute)} in ${this.label}`, {
          hint: names.length > 0 ? `servers there: ${names.join(', ')}` : 'nor any server at all',
          code: EXIT_UNLOADABLE,
        });
      }
      value = value[part];
    }
    if (typeof value === 'function') value = await this.#make(value, attribute);
    if (isServer(value)) return value;
    throw new Failure(`${attribute} in ${this.label} is no server but ${kind(value)}`, {
      hint: 'name a server, or a function without parameters that returns one',
      code: EXIT_UNLOADABLE,
    });
  }

  async #make(factory, attribute) {
    try {
      return await factory();
    } catch (error) {
      const failure = require('./unloadable.js').unloadable(this, error);
      failure.message = `${attribute}() in ${this.label} failed: ${error}`;
      throw failure;
    }
  }

  #suggest(names) {
    const place = this.attribute === null ? this.text : this.text.slice(0, -this.attribute.length - 1);
    return names.slice(0, 5).map((name) => `${place}:${name}`).join(' or ');
  }
}

function split(text) {
  const colon = text.lastIndexOf(':');
  const [place, attribute] = [text.slice(0, colon), text.slice(colon + 1)];
  if (colon <= 0) return [text, null];
  if (attribute === '') return [place, null];
  return NAME.test(attribute) ? [place, attribute] : [text, null];
}

/** What a module exports; CommonJS has more of it than can be told from its text. */
function members(exported) {
  const { default: whole, ...named } = exported;
  delete named['module.exports'];
  const isPlain = typeof whole === 'object' && whole !== null && !isServer(whole);
  return { ...(isPlain && whole), ...named, ...('default' in exported && { default: whole }) };
}

function serversOf(exported) {
  const found = new Map();
  for (const [name, value] of Object.entries(members(exported))) {
    if (isServer(value) && ![...found.values()].includes(value)) found.set(name, value);
  }
  return found;
}

/** A server's class may be that of another copy of the package. */
function isServer(value) {
  return ['registerTool', 'session', 'stdio', 'httpHandler'].every((name) => typeof value?.[name] === 'function');
}

function kind(value) {
  if (value === null || value === undefined) return String(value);
  return article(typeof value === 'object' ? value.constructor?.name ?? 'object' : typeof value);
}

module.exports = { Target };
