import { createRequire } from 'node:module';

// The same instance that `require` gives. To import it as a module would take Node longer than to load it.
const mcplite = createRequire(import.meta.url)('./index.cjs');

export const {
  version, PROTOCOL_VERSIONS, McpServer, ResourceTemplate, Session, McpError, ToolError, NotFoundError, NotAuthorisedError,
  InvalidParamsError, MissingCapabilityError, UrlElicitationRequiredError, Suspended, MisuseError, ErrorCode, image, audio,
} = mcplite;
export default mcplite;
