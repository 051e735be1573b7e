'use strict';

// Standard input and output, kept for the client or for results, and standard error, for everything else.

const fs = require('node:fs');
const { isatty } = require('node:tty');

const STYLES = { bold: '1', dim: '2', red: '31', green: '32', yellow: '33', cyan: '36' };
const ERRORS = 2;

let ends = { input: 0, output: 1 };
let isTaken = false;

/** From now on what the program prints goes to standard error, and it finds nothing to read. */
function takeStandard() {
  if (isTaken) return;
  isTaken = true;
  ends = require('../native.js').takeStandard();
  // Where descriptors cannot be turned around, what is printed in JavaScript can.
  if (ends.output === 1) process.stdout.write = (...written) => process.stderr.write(...written);
}

/** The descriptors that lead out, wherever the others lead by now. */
function standard() {
  return ends;
}

/** Writes a result. */
function print(data) {
  write(ends.output, data);
}

/** Writes a line to standard error, if there is one. */
function writeError(text) {
  try {
    write(ERRORS, `${text}\n`);
  } catch {
    // There is nobody left to tell.
  }
}

function write(descriptor, data) {
  let rest = Buffer.from(data);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(fs.writeSync(descriptor, rest));
    } catch (error) {
      if (error.code === 'EAGAIN') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      // Whoever read our output has seen enough.
      else if (error.code === 'EPIPE') process.exit(1);
      else throw error;
    }
  }
}

/** Whether results go to a terminal. */
function isTerminal() {
  return isatty(ends.output);
}

/** A result in a style, if that is shown. */
function styledResult(text, style) {
  return styled(text, style, ends.output);
}

/** The text in a style, if standard error is a terminal whose owner wants colours. */
function styled(text, style, descriptor = ERRORS) {
  const isPlain = process.env.NO_COLOR || process.env.TERM === 'dumb' || !isatty(descriptor);
  return isPlain ? text : `\x1b[${STYLES[style]}m${text}\x1b[0m`;
}

/** How many columns a line of results has; plenty where nobody looks at a screen. */
function width() {
  return isTerminal() ? Math.max(40, Number(process.env.COLUMNS) || process.stderr.columns || 100) : 120;
}

module.exports = { isTerminal, print, standard, styled, styledResult, takeStandard, width, writeError };
