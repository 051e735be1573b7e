'use strict';

// What the commands say to people: errors, notes and exit codes.

const { styled, writeError } = require('./standard.js');

const EXIT_OK = 0;
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
const EXIT_UNLOADABLE = 3;
const EXIT_INTERRUPTED = 130;

/** Ends a command: one line that says what is wrong, and another that says what to do. */
class Failure extends Error {
  constructor(message, { hint = null, detail = null, code = EXIT_FAILED, files = [] } = {}) {
    super(message);
    Object.assign(this, { hint, detail, code, files });
  }
}

/** The failure of somebody who has used a command wrongly. */
function usage(message, hint = null) {
  return new Failure(message, { hint, code: EXIT_USAGE });
}

/** Writes a failure to standard error. */
function complain(failure) {
  if (failure.detail) writeError(failure.detail.trimEnd());
  writeError(`${styled('mcplite:', 'red')} ${failure.message}`);
  if (failure.hint) writeError(`  ${failure.hint}`);
}

/** Tells the person something that is not the result. */
function note(text) {
  writeError(`${styled('mcplite:', 'dim')} ${text}`);
}

module.exports = {
  EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, EXIT_UNLOADABLE, EXIT_USAGE, Failure, complain, note, usage,
};
