'use strict';

// `mcplite dev`: serves, and starts the server anew when its code changes.

const { Nursery } = require('./child.js');
const { SERVING, address, enterFolder, settings } = require('./options.js');
const { Parser } = require('./parser.js');
const { Target } = require('./target.js');
const { EXIT_INTERRUPTED, EXIT_OK, note, usage } = require('./terminal.js');
const { INTERVAL } = require('./watch.js');

const DESCRIPTION = `\
Serves like \`mcplite run\`, and reloads when a file that the program imported has changed. The
client's connection stays: calls that run are waited for, the handshake is repeated behind its back,
and it is told that the lists have changed. With --http the process is restarted.`;

const EXAMPLES = `\
examples:
  mcplite dev server.js                        what a client starts instead of \`mcplite run\`
  mcplite dev server.js --http 9000
  mcplite dev server.js --watch prompts.json   reload also when this file changes
`;

/** Timers take a bit more than three times this, in milliseconds. */
const LONGEST = 7e8;

function execute(argv) {
  const options = new Parser('dev', {
    description: DESCRIPTION,
    epilog: EXAMPLES,
    parameters: [
      ...SERVING,
      { name: '--watch', metavar: 'FILE', isRepeated: true, help: 'reload when this changes too' },
      {
        name: '--grace', metavar: 'SECONDS', type: 'float', initial: 5,
        help: 'how long running calls are waited for before a reload (default: 5)',
      },
    ],
  }).parse(argv);
  if (options === null) return EXIT_OK;
  if (options.grace < 0) throw usage('--grace cannot be negative');
  const grace = Math.min(1000 * options.grace, LONGEST);
  // What is wrong with them is told now, not by every process that is started.
  const where = address(options);
  settings(options);
  enterFolder(options);
  const nursery = new Nursery(new Target(options.target), passedOn(options), options.watch);
  const attendant = where === null ? new (require('./relay.js').Relay)(nursery, grace) : new Supervisor(nursery, grace);
  return Promise.race([attendant.run(), whenSignalled(attendant)]);
}

function passedOn({ http, path, allowHost }) {
  if (http === null) return [];
  return ['--http', http, '--path', path, ...allowHost.flatMap((host) => ['--allow-host', host])];
}

/** Makes the end by a signal an orderly one, so that no process is left behind. */
function whenSignalled(attendant) {
  return new Promise((resolve) => {
    process.once('SIGINT', () => attendant.stop().then(() => resolve(EXIT_INTERRUPTED)));
    process.once('SIGTERM', () => attendant.stop().then(() => resolve(128 + 15)));
  });
}

/** Keeps one process that serves over HTTP, with the code as it is. */
class Supervisor {
  #nursery;
  #grace;
  #child = null;
  #isStopping = false;

  constructor(nursery, grace) {
    this.#nursery = nursery;
    this.#grace = grace;
  }

  async run() {
    this.#start();
    for (;;) {
      await new Promise((resolve) => {
        setTimeout(resolve, INTERVAL);
      });
      const changed = this.#isStopping ? [] : this.#nursery.look();
      if (changed.length > 0) {
        note(`${this.#nursery.name(changed)} changed, reloading`);
        await this.#interrupt();
        this.#start();
      }
    }
  }

  async stop() {
    this.#isStopping = true;
    await this.#interrupt();
  }

  #start() {
    const child = this.#nursery.start(false);
    this.#child = child;
    child.whenOver.then((code) => {
      if (this.#child === child) this.#nursery.tellEnd(code);
      this.#child = null;
    });
  }

  async #interrupt() {
    const child = this.#child;
    this.#child = null;
    child?.process.kill('SIGINT');
    await child?.end(this.#grace);
  }
}

module.exports = { execute };
