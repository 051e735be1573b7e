'use strict';

// `mcplite inspect`: shows what a server offers.

const { ERA, catalog, connect } = require('./connection.js');
const { writeJson } = require('./json.js');
const { TARGET } = require('./options.js');
const { print, styledResult } = require('./standard.js');
const { Parser } = require('./parser.js');
const { fields } = require('./schema.js');
const { table } = require('./table.js');
const { Target } = require('./target.js');
const { EXIT_OK } = require('./terminal.js');

const DESCRIPTION = `\
Shows the tools, resources and prompts of a server, as a client sees them.`;

const EXAMPLES = `\
examples:
  mcplite inspect server.js
  mcplite inspect server.js --json             the whole definitions
  mcplite inspect server.js --era 2025-06-18   as a client of that revision sees them
`;

async function execute(argv) {
  const options = new Parser('inspect', {
    description: DESCRIPTION,
    epilog: EXAMPLES,
    parameters: [
      { ...TARGET, help: 'the file or module to look at' },
      { name: '--json', isFlag: true, help: 'print the definitions as JSON' },
      ERA,
    ],
  }).parse(argv);
  if (options === null) return EXIT_OK;
  const server = await new Target(options.target).load();
  const client = await connect(server, options.era);
  const lists = await catalog(client);
  await client.close();
  print(options.json ? `${writeJson(whole(client, lists), 2)}\n` : page(client, lists).map((line) => `${line}\n`).join(''));
  return EXIT_OK;
}

function whole({ serverInfo, revision, serverCapabilities, instructions }, lists) {
  return {
    serverInfo,
    protocolVersion: revision,
    capabilities: serverCapabilities,
    ...(instructions !== undefined && { instructions }),
    ...lists,
  };
}

function page({ serverInfo, revision, instructions }, lists) {
  const name = serverInfo.title || serverInfo.name || '';
  const lines = [`${styledResult(name, 'bold')} ${serverInfo.version ?? ''}  (${revision})`];
  if (instructions) lines.push(firstLine(instructions));
  const { tools, resources, resourceTemplates, prompts } = lists;
  const sections = {
    Tools: tools.map((item) => [item.name, signature(item), about(item)]),
    Resources: resources.map((item) => [item.uri, item.mimeType ?? '', about(item)]),
    'Resource templates': resourceTemplates.map((item) => [item.uriTemplate, item.mimeType ?? '', about(item)]),
    Prompts: prompts.map((item) => [item.name, asked(item), about(item)]),
  };
  for (const [title, rows] of Object.entries(sections)) {
    if (rows.length > 0) lines.push('', styledResult(`${title} (${rows.length})`, 'cyan'), ...table(rows));
  }
  if (Object.values(sections).every((rows) => rows.length === 0)) {
    lines.push('', 'It offers nothing yet: give it a function with server.registerTool.');
  }
  return lines;
}

/** The parameters of a tool in one line. */
function signature({ inputSchema }) {
  const parts = fields(inputSchema).map(({ name, field, isRequired }) => {
    if (field.default !== null) return `${name}: ${field.label} = ${writeJson(field.default)}`;
    return `${name}${isRequired ? '' : '?'}: ${field.label}`;
  });
  return parts.join(', ');
}

/** The first line of a description that says anything. */
function firstLine(text) {
  return text.split('\n').map((line) => line.trim()).find(Boolean) ?? '';
}

function about({ description, title }) {
  return firstLine(String(description || title || ''));
}

function asked({ arguments: args = [] }) {
  return args.map(({ name, required }) => `${name}${required ? '' : '?'}`).join(', ');
}

module.exports = { execute, firstLine };
