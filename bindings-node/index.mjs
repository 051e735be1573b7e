import mcplite from './index.cjs';

export const {
  version, PROTOCOL_VERSIONS, McpServer, ResourceTemplate, Session, McpError, ToolError, NotFoundError, NotAuthorisedError,
  InvalidParamsError, MissingCapabilityError, UrlElicitationRequiredError, Suspended, MisuseError, ErrorCode, image, audio,
} = mcplite;
export default mcplite;
