'use strict';

const native = require('./lib/native.js');
const { McpServer } = require('./lib/server.js');
const errors = require('./lib/errors.js');

class ResourceTemplate {
  constructor(uriTemplate, { complete } = {}) {
    this.uriTemplate = String(uriTemplate);
    this.complete = complete;
  }
}

exports.version = native.version();
exports.PROTOCOL_VERSIONS = Object.freeze(native.revisions());
exports.McpServer = McpServer;
exports.ResourceTemplate = ResourceTemplate;
exports.McpError = errors.McpError;
exports.ToolError = errors.ToolError;
exports.NotFoundError = errors.NotFoundError;
exports.NotAuthorisedError = errors.NotAuthorisedError;
exports.InvalidParamsError = errors.InvalidParamsError;
exports.MissingCapabilityError = errors.MissingCapabilityError;
exports.UrlElicitationRequiredError = errors.UrlElicitationRequiredError;
exports.Suspended = errors.Suspended;
exports.MisuseError = errors.MisuseError;
exports.ErrorCode = errors.ErrorCode;
exports.image = (...given) => require('./lib/content.js').image(...given);
exports.audio = (...given) => require('./lib/content.js').audio(...given);
Object.defineProperty(exports, 'Session', { enumerable: true, get: () => require('./lib/session.js').Session });
