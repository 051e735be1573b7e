import bmad from './bmad.cjs';

export const { JSON_RPC_ERROR, McpServer, MemoryTransport, isNotification, makeError, makeResult } = bmad;
