'use strict';

// A client in the same process, for the commands that show and call.

const { writeJson } = require('./json.js');
const { styled, writeError } = require('./standard.js');
const { Failure, usage } = require('./terminal.js');

const LEVELS = { debug: 'dim', info: 'cyan', notice: 'cyan', warning: 'yellow' };

/** The option that says which revision of the protocol is spoken. */
const ERA = {
  name: '--era', metavar: 'ERA',
  help: 'modern, legacy, or a revision such as 2025-06-18 (default: the newest it speaks)',
};

/** Opens a client for the server; a Failure if the two have no revision in common. */
async function connect(server, era) {
  const { Client } = require('../testing/client.js');
  let refusal;
  for (const revision of era === null ? ['modern', 'legacy'] : [era]) {
    try {
      return await Client.connect(server, {
        revision,
        elicit: require('./questions.js').answer,
        roots: () => [require('node:url').pathToFileURL(process.cwd()).href],
        onLog: tellLog,
        onProgress: tellProgress,
        timeout: null,
        throwOnError: false,
        clientInfo: { name: 'mcplite', version: require('../../package.json').version },
      });
    } catch (error) {
      if (error.name === 'MisuseError') throw usage(error.message, 'see --era');
      if (error.name !== 'McpError') throw error;
      refusal = error;
    }
  }
  throw new Failure(`the server refuses: ${refusal.message}`, { hint: 'try another --era' });
}

/** Everything that the server lists, by the protocol's names. */
async function catalog(client) {
  const { tools, resources, prompts } = client.serverCapabilities;
  return {
    tools: tools ? await client.listTools() : [],
    resources: resources ? await client.listResources() : [],
    resourceTemplates: resources ? await client.listTemplates() : [],
    prompts: prompts ? await client.listPrompts() : [],
  };
}

function tellLog(level, data, logger) {
  const text = typeof data === 'string' ? data : writeJson(data);
  writeError(`${styled(`${level}:`, LEVELS[level] ?? 'red')} ${logger ? `${logger}: ` : ''}${text}`);
}

function tellProgress(progress, total, message) {
  const count = total === undefined ? `${progress}` : `${progress}/${total}`;
  writeError(`${styled('progress:', 'dim')} ${count}${message ? ` ${message}` : ''}`);
}

module.exports = { ERA, catalog, connect };
