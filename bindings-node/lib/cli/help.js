'use strict';

// The help of a command.

const { size, wrap } = require('./text.js');

const HELP_OPTION = { name: '-h', invocation: '-h, --help', help: 'show this help message and exit', isFlag: true };
const FARTHEST = 24;

/** The help of a command, laid out as people know it. */
function help({ program, description, epilog, options, places }) {
  const columns = (Number(process.env.COLUMNS) || process.stdout.columns || 80) - 2;
  const shown = [HELP_OPTION, ...options.filter(({ isHidden }) => !isHidden)];
  const widest = Math.max(...[...shown, ...places].map((one) => size(invocation(one)) + 2));
  const margin = Math.min(widest + 2, FARTHEST);
  const describe = (one) => described(one, margin, columns);
  return [
    usage(program, shown, places, columns),
    `${description}\n`,
    `positional arguments:\n${places.map(describe).join('')}`,
    `options:\n${shown.map(describe).join('')}`,
    epilog,
  ].join('\n');
}

function usage(program, options, places, columns) {
  const optional = grouped(options).flatMap((group) => {
    const parts = group.map(invocation).map((text) => text.replace('-h, --help', '-h'));
    return group[0].isRequired ? parts.join().split(' ') : `[${parts.join(' | ')}]`;
  });
  const positional = places.map(({ metavar, isRest }) => (isRest ? `[${metavar} ...]` : metavar));
  const begin = `usage: ${program}`;
  const whole = [begin, ...optional, ...positional].join(' ');
  if (size(whole) <= columns) return `${whole}\n`;
  const indent = ' '.repeat(begin.length + 1);
  const [first, ...lines] = [...filled(optional, columns - indent.length), ...filled(positional, columns - indent.length)];
  return `${[`${begin} ${first}`, ...lines.map((line) => indent + line)].join('\n')}\n`;
}

/** Options of which only one may be given stand together. */
function grouped(options) {
  const groups = new Map();
  for (const option of options) {
    const name = option.group ?? option.name;
    groups.set(name, [...(groups.get(name) ?? []), option]);
  }
  return [...groups.values()];
}

function filled(parts, room) {
  const lines = [];
  for (const part of parts) {
    const longer = `${lines.at(-1)} ${part}`;
    if (lines.length > 0 && size(longer) <= room) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines;
}

function invocation({ name, invocation: whole, metavar, choices, isFlag, constant }) {
  if (whole) return whole;
  if (!name.startsWith('--')) return metavar;
  if (isFlag) return name;
  const value = metavar ?? (choices ? `{${choices.join(',')}}` : name.slice(2).toUpperCase());
  return `${name} ${constant === undefined ? value : `[${value}]`}`;
}

function described(one, margin, columns) {
  const begin = `  ${invocation(one)}`;
  const [first, ...lines] = wrap(one.help, columns - margin);
  const isShort = size(begin) <= margin - 2;
  const head = isShort ? `${begin}${' '.repeat(margin - size(begin))}${first}` : `${begin}\n${' '.repeat(margin)}${first}`;
  return [head, ...lines.map((line) => ' '.repeat(margin) + line), ''].join('\n');
}

module.exports = { help };
