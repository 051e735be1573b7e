// The package under test: whatever is installed in the folder that MCPLITE_MODULES names, else in the working folder.
// Imports would look for it beside this file.

import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const folder = resolve(process.env.MCPLITE_MODULES ?? '.');

export const { McpServer, MissingCapabilityError } = createRequire(`${folder}/`)('mcplite');
