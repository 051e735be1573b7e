import { server } from './server.mjs';

await server.stdio();
