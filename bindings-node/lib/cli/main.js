'use strict';

// The command `mcplite`: runs, shows, calls, watches and installs the servers of JavaScript files.

const { print, writeError } = require('./standard.js');
const { EXIT_OK, EXIT_USAGE, Failure, complain } = require('./terminal.js');
const { quoted } = require('./text.js');

const MODULES = { run: './run.js', inspect: './inspection.js', call: './call.js', dev: './dev.js', install: './install.js' };

const HELP = `\
usage: mcplite <command> [options]

Runs and tries out Model Context Protocol servers written with mcplite.

commands:
  run        serve a file's server, over stdio or HTTP
  inspect    show the tools, resources and prompts of a server
  call       call a tool, read a resource or get a prompt
  dev        serve, and reload when the code changes
  install    configure a client (Claude Code, Claude Desktop, Cursor, VS Code, Codex)

options:
  -h, --help     show this; \`mcplite <command> --help\` says more about a command
  --version      show the version

examples:
  mcplite run server.js
  mcplite inspect server.js
  mcplite call server.js add a=1 b=2
  mcplite install server.js --client claude-code --write

exit codes: 0 done, 1 the tool failed, 2 wrong usage, 3 the file cannot be loaded, 130 interrupted
`;

/** Runs the command line and ends the process with its exit code, whatever the server's file has left open. */
async function start(argv) {
  let code;
  try {
    code = await dispatch(argv);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    complain(error);
    code = error.code;
  }
  process.exit(code);
}

async function dispatch(argv) {
  const [command, ...rest] = argv;
  if (command === undefined) {
    writeError(HELP.trimEnd());
    return EXIT_USAGE;
  }
  if (['-h', '--help', 'help'].includes(command)) {
    if (command === 'help' && Object.hasOwn(MODULES, rest[0] ?? '')) return dispatch([rest[0], '--help']);
    print(HELP);
    return EXIT_OK;
  }
  if (['-V', '--version', 'version'].includes(command)) {
    print(`mcplite ${require('../../package.json').version}\n`);
    return EXIT_OK;
  }
  if (!Object.hasOwn(MODULES, command)) {
    throw new Failure(`there is no command ${quoted(command)}`, { hint: meant(command), code: EXIT_USAGE });
  }
  return require(MODULES[command]).execute(rest);
}

function meant(command) {
  if (/\.[cm]?[jt]s$/.test(command)) return `try: mcplite run ${command}`;
  return 'the commands are run, inspect, call, dev and install; see mcplite --help';
}

module.exports = { HELP, start };
