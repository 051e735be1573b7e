'use strict';

// Reading the options of a command.

const { print } = require('./standard.js');
const { usage } = require('./terminal.js');
const { quoted } = require('./text.js');

const CONVERTERS = {
  int: (text) => (/^\s*[-+]?\d+\s*$/.test(text) ? Number(text) : undefined),
  float: (text) => (text.trim() !== '' && !Number.isNaN(Number(text)) ? Number(text) : undefined),
};

/**
 * Reads the options of a command, which may stand anywhere among its other arguments.
 *
 * An argument is `{ name, help }` and may have: `metavar`; `isFlag`; `type`, "int" or "float"; `choices`; `initial`, what
 * it is if it is not given; `isRepeated`, for a list of values; `constant`, what it is without a value; `isRequired`; `group`,
 * of which only one may be given; `isRest`, which takes what is left over; `isHidden`.
 */
class Parser {
  constructor(command, { description, epilog, parameters }) {
    this.program = `mcplite ${command}`;
    this.description = description;
    this.epilog = epilog;
    this.options = parameters.filter(({ name }) => name.startsWith('--'));
    this.places = parameters.filter(({ name }) => !name.startsWith('--'));
  }

  /** Gives the values by name, or null if the help was wanted, which is then shown. */
  parse(argv) {
    const found = {};
    for (const { name, isFlag, isRepeated, isRest, initial } of [...this.options, ...this.places]) {
      found[key(name)] = isFlag ? false : initial ?? (isRepeated || isRest ? [] : null);
    }
    const seen = new Set();
    const loose = [];
    const unknown = [];
    const rest = [...argv];
    while (rest.length > 0) {
      const word = rest.shift();
      if (word === '--') {
        loose.push(...rest.splice(0));
      } else if (word === '-h' || word === '--help') {
        print(require('./help.js').help(this));
        return null;
      } else if (isOption(word)) {
        const [name, value] = divided(word);
        const option = this.options.find((one) => one.name === name);
        if (option === undefined) unknown.push(word);
        else this.#take(option, value, rest, found, seen);
      } else {
        loose.push(word);
      }
    }
    this.#require(this.options.filter(({ name, isRequired }) => isRequired && !seen.has(name)));
    for (const place of this.places) {
      if (place.isRest) found[place.name] = loose.splice(0);
      else if (loose.length > 0) found[place.name] = loose.shift();
      else this.#require([place]);
    }
    const extra = [...unknown, ...loose];
    if (extra.length > 0) throw this.#wrong(`unrecognized arguments: ${extra.join(' ')}`);
    return found;
  }

  #take(option, given, rest, found, seen) {
    const { name, isFlag, isRepeated, constant, type, choices, group } = option;
    const other = this.options.find((one) => group && one.group === group && one !== option && seen.has(one.name));
    if (other) throw this.#wrong(`argument ${name}: not allowed with argument ${other.name}`);
    seen.add(name);
    if (isFlag) {
      if (given !== null) throw this.#wrong(`argument ${name}: ignored explicit argument ${quoted(given)}`);
      found[key(name)] = true;
      return;
    }
    let value = given;
    if (value === null && rest.length > 0 && !isOption(rest[0]) && rest[0] !== '--' && (option.belongs?.(rest[0]) ?? true)) {
      value = rest.shift();
    }
    value ??= constant ?? null;
    if (value === null) throw this.#wrong(`argument ${name}: expected one argument`);
    if (choices && !choices.includes(value)) {
      throw this.#wrong(`argument ${name}: invalid choice: ${quoted(value)} (choose from ${choices.map(quoted).join(', ')})`);
    }
    const converted = type ? CONVERTERS[type](value) : value;
    if (converted === undefined) throw this.#wrong(`argument ${name}: invalid ${type} value: ${quoted(value)}`);
    if (isRepeated) found[key(name)].push(converted);
    else found[key(name)] = converted;
  }

  #require(missing) {
    if (missing.length === 0) return;
    const names = missing.map(({ name, metavar }) => (name.startsWith('--') ? name : metavar));
    throw this.#wrong(`the following arguments are required: ${names.join(', ')}`);
  }

  #wrong(message) {
    return usage(message, `see ${this.program} --help`);
  }
}

function key(name) {
  return name.replace(/^--/, '').replace(/-(.)/g, (_, letter) => letter.toUpperCase());
}

/** Negative numbers, a single dash and texts with spaces are values. */
function isOption(word) {
  return /^-./.test(word) && word !== '--' && !/^-\d+$|^-\d*\.\d+$/.test(word) && !/ /.test(word.split('=')[0]);
}

function divided(word) {
  const place = word.indexOf('=');
  return place < 0 ? [word, null] : [word.slice(0, place), word.slice(place + 1)];
}

module.exports = { Parser };
