'use strict';

// `mcplite run`: serves a file's server over stdio or HTTP.

const { serveStdio } = require('./loading.js');
const { SERVING, address, enterFolder, settings } = require('./options.js');
const { Parser } = require('./parser.js');
const { standard } = require('./standard.js');
const { EXIT_INTERRUPTED, EXIT_OK, Failure, note } = require('./terminal.js');
const { Target } = require('./target.js');

const DESCRIPTION = `\
Imports a file or module, finds the server in it, and serves it: over standard input and output, or
over HTTP with --http. What the program prints goes to standard error, never among the messages.`;

const EXAMPLES = `\
examples:
  mcplite run server.js                        the only server of the file, over stdio
  mcplite run server.js:server                 the one with this name, or what this function makes
  mcplite run package --http                   http://127.0.0.1:8000/mcp
  mcplite run server.js --http 0.0.0.0:9000 --path /tools --allow-host tools.example.com
`;

const GRACE = 5000;

function execute(argv) {
  const options = new Parser('run', {
    description: DESCRIPTION,
    epilog: EXAMPLES,
    parameters: [...SERVING, { name: '--report', type: 'int', isHidden: true }],
  }).parse(argv);
  return options === null ? EXIT_OK : serve(options);
}

/** Serves until the client is gone, or for HTTP until it is interrupted. */
async function serve(options) {
  const where = address(options);
  const asked = settings(options);
  enterFolder(options);
  const target = new Target(options.target);
  const reporter = options.report === null ? null : new (require('./watch.js').Reporter)(options.report, target.root);
  // Before the file gets at standard input.
  const watchdog = where === null ? new (require('../native.js').Watchdog)(2 * GRACE) : null;
  let server;
  try {
    server = await target.load();
  } catch (failure) {
    reporter?.start(failure.files);
    throw failure;
  }
  reporter?.start();
  const interruption = interruptible(server);
  try {
    if (where === null) await serveStdio(server, { exit: false, grace: GRACE, ends: { ...standard(), watchdog } });
    else await serveHttp(server, where, asked, interruption.whenOver);
  } catch (error) {
    const hint = where === null ? null : `is ${options.http} free, and yours to use?`;
    throw new Failure(`cannot serve ${target.label}: ${error.message}`, { hint });
  }
  return interruption.hasBegun ? EXIT_INTERRUPTED : EXIT_OK;
}

function serveHttp(server, { host, port }, asked, whenOver) {
  const handler = server.httpHandler(asked);
  const listener = require('node:http').createServer(handler);
  return new Promise((resolve, reject) => {
    listener.on('error', reject);
    listener.listen({ host, port }, () => {
      const name = host.includes(':') ? `[${host}]` : host;
      const url = `http://${name}:${listener.address().port}${asked.path}`;
      note(`serving at ${url} (Ctrl-C ends it)`);
    });
    whenOver.then(() => {
      handler.close();
      listener.close();
      listener.closeAllConnections();
      resolve();
    });
  });
}

/** Ctrl-C gives calls time to finish, and a second one does not wait. */
function interruptible(server) {
  const interruption = { hasBegun: false };
  interruption.whenOver = new Promise((resolve) => {
    process.on('SIGINT', () => {
      if (interruption.hasBegun) process.exit(EXIT_INTERRUPTED);
      interruption.hasBegun = true;
      setTimeout(() => server.close(), GRACE).unref();
      server.shutdown().then(resolve);
    });
  });
  return interruption;
}

module.exports = { execute };
