'use strict';

const { JSON_RPC_ERROR, isNotification, makeError, makeResult } = require('../lib/compat/bmad/jsonrpc.js');
const { MemoryTransport } = require('../lib/compat/bmad/memory_transport.js');
const { McpServer } = require('../lib/compat/bmad/server.js');

module.exports = { JSON_RPC_ERROR, McpServer, MemoryTransport, isNotification, makeError, makeResult };
