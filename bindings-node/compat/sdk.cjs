'use strict';

const { PROTOCOL_VERSIONS } = require('../index.cjs');
const { ErrorCode, MCPError } = require('../lib/compat/sdk/errors.js');
const messages = require('../lib/compat/sdk/messages.js');
const { Server } = require('../lib/compat/sdk/server.js');

module.exports = {
  ...messages,
  ErrorCode,
  JSONRPC_VERSION: '2.0',
  LATEST_PROTOCOL_VERSION: PROTOCOL_VERSIONS.at(-1),
  MCPError,
  McpError: MCPError,
  SUPPORTED_PROTOCOL_VERSIONS: PROTOCOL_VERSIONS,
  Server,
  // Most programs have one of them, and the other would be loaded for nothing.
  get HttpServerTransport() {
    return require('../lib/compat/sdk/http.js').HttpServerTransport;
  },
  get StdioServerTransport() {
    return require('../lib/compat/sdk/stdio.js').StdioServerTransport;
  },
};
