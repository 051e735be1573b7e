'use strict';

// `mcplite call`: calls a tool, reads a resource or gets a prompt.

const { readArguments } = require('./arguments.js');
const { ERA, catalog, connect } = require('./connection.js');
const { TARGET } = require('./options.js');
const { print } = require('./standard.js');
const { Parser } = require('./parser.js');
const { Target } = require('./target.js');
const { EXIT_OK, Failure, usage } = require('./terminal.js');
const { nearest, quoted } = require('./text.js');

const DESCRIPTION = `\
Calls a tool of the server and prints what it gives: text to standard output, and its progress, logs
and errors to standard error. Without a tool, lists what can be called.

Values are read as the tool's schema asks: numbers, true and false, and JSON for arrays and objects.
key:=json is JSON in any case; a key that stands twice makes an array.`;

const EXAMPLES = `\
examples:
  mcplite call server.js                            what can be called
  mcplite call server.js add a=1 b=2
  mcplite call server.js search query=cats tags=a tags=b filter:='{"year": 2026}'
  mcplite call server.js search --json '{"query": "cats"}'
  mcplite call server.js add a=1 b=2 --structured
  mcplite call server.js --resource config://main
  mcplite call server.js --prompt review code='x = 1'
`;

async function execute(argv) {
  const options = new Parser('call', {
    description: DESCRIPTION,
    epilog: EXAMPLES,
    parameters: [
      { ...TARGET, help: 'the file or module to use' },
      { name: 'words', metavar: 'tool key=value …', isRest: true, help: 'what is called' },
      { name: '--json', metavar: 'OBJECT', help: 'all arguments at once; - reads stdin' },
      { name: '--resource', metavar: 'URI', group: 'what', help: 'read this resource instead' },
      { name: '--prompt', metavar: 'NAME', group: 'what', help: 'get this prompt instead' },
      { name: '--structured', isFlag: true, group: 'how', help: 'print structured content as JSON' },
      { name: '--raw', isFlag: true, group: 'how', help: 'print the whole result as JSON' },
      ERA,
    ],
  }).parse(argv);
  if (options === null) return EXIT_OK;
  const server = await new Target(options.target).load();
  // A tool that waits for nothing that Node knows of is waited for all the same.
  setInterval(() => {}, 2 ** 30);
  const client = await connect(server, options.era);
  const [kind, result] = await perform(client, options);
  await client.close();
  if (kind === 'menu') {
    for (const line of require('./menu.js').menu(result, options.target)) print(`${line}\n`);
    return EXIT_OK;
  }
  return require('./results.js').show(kind, result, options);
}

async function perform(client, options) {
  const { words, json, resource, prompt } = options;
  try {
    if (resource !== null) {
      if (words.length > 0 || json !== null) throw usage('a resource takes no arguments', 'its URI is all');
      return ['resource', (await client.read(resource)).raw];
    }
    if (prompt !== null) {
      const args = readArguments(words, { additionalProperties: { type: 'string' } }, json);
      return ['prompt', (await client.prompt(prompt, args)).raw];
    }
    if (words.length === 0) return ['menu', await catalog(client)];
    const [name, ...pairs] = words;
    const tools = client.serverCapabilities.tools ? await client.listTools() : [];
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) throw unknown('tool', name, tools, options);
    return ['tool', (await client.call(name, readArguments(pairs, tool.inputSchema, json))).raw];
  } catch (error) {
    throw error.name === 'McpError' ? await refusal(error, client, options) : error;
  }
}

/** What the server answered instead of a result; a wrong name is the user's mistake. */
async function refusal(error, client, options) {
  if (options.prompt !== null && client.serverCapabilities.prompts) {
    const prompts = await client.listPrompts();
    if (!prompts.some(({ name }) => name === options.prompt)) return unknown('prompt', options.prompt, prompts, options);
  }
  return new Failure(`${error.message} (code ${error.code})`);
}

function unknown(what, name, items, { target }) {
  const close = nearest(name, items.map((item) => item.name));
  let hint = `see what there is: mcplite call ${target}`;
  if (close !== undefined) hint = `did you mean ${close}? ${hint}`;
  else if (name.includes('=')) hint = `the name of the tool comes before its arguments; ${hint}`;
  return usage(`there is no ${what} ${quoted(name)}`, hint);
}

module.exports = { execute };
