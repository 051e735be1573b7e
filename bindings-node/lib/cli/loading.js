'use strict';

// Importing the file of a server, which may want to serve by itself.

const { Module } = require('node:module');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

// A file that starts its server only says by that which one it means. Its copy of the package may be another one than
// ours, which is why they meet here.
const HOOK = Symbol.for('mcplite.cli');
const PATIENCE = 5000;

let started = null;
let tellStarted = () => {};

/** Takes the place of `stdio` and `connect`. What stands behind them in the file is never reached. */
function start(server) {
  started ??= server;
  tellStarted();
  return new Promise(() => {});
}

/** Serves, although files may not. */
function serveStdio(server, options) {
  globalThis[HOOK] = undefined;
  try {
    return server.stdio(options);
  } finally {
    globalThis[HOOK] = { stdio: start };
  }
}

/**
 * Imports a file or package. Gives the server that it started, or null, and its exports, or null if it waits for the end
 * of its server. `isEnough` says of exports whether there is any use in waiting for a server that is started later.
 */
async function load({ place, isFile, folder }, isEnough) {
  const whenStarted = new Promise((resolve) => {
    tellStarted = resolve;
  });
  globalThis[HOOK] = { stdio: start, connect: start };
  try {
    const importing = isFile ? import(pathToFileURL(place)) : importFrom(folder)(place);
    importing.catch(() => {});
    const exported = await Promise.race([importing, whenStarted.then(turn).then(() => null)]);
    if (exported !== null && started === null && !isEnough(exported)) await Promise.race([whenStarted, whenIdle()]);
    return { exported, started };
  } finally {
    // One that is started later is not to take the client from the one that is served.
    globalThis[HOOK] = { stdio: start };
  }
}

/** Imports packages as a file in this folder would. */
function importFrom(folder) {
  const file = path.join(folder, 'mcplite.js');
  const module = new Module(file);
  module._compile('module.exports = (name) => import(name)', file);
  return module.exports;
}

/** Lets a file finish what it does after starting its server. */
function turn() {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Waits until nothing happens any more that could start a server. */
function whenIdle() {
  return new Promise((resolve) => {
    process.once('beforeExit', resolve);
    setTimeout(resolve, PATIENCE).unref();
  });
}

module.exports = { load, serveStdio };
