// What compilers make of the package, and whether its types are true.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import * as mcplite from 'mcplite';

const require = createRequire(import.meta.url);
const folder = join(dirname(fileURLToPath(import.meta.url)), 'types');
const declarations = join(dirname(require.resolve('mcplite/package.json')), 'index.d.ts');

// Each compiler once for every way to resolve modules that it is mostly used with.
const SETTINGS = { typescript: ['nodenext', 'bundler'], 'typescript-5.9': ['nodenext'] };

for (const [compiler, all] of Object.entries(SETTINGS)) {
  for (const settings of all) {
    // Marks of mistakes that are none are errors as well.
    test(`${compiler} agrees with the types, as ${settings}`, { timeout: 300_000 }, async () => {
      const tsc = join(dirname(require.resolve(`${compiler}/package.json`)), 'bin', 'tsc');
      assert.equal(await output(tsc, '--project', `tsconfig.${settings}.json`), '');
    });
  }
}

function output(...command) {
  return new Promise((resolve) => {
    execFile(process.execPath, command, { cwd: folder }, (_error, stdout, stderr) => resolve(stdout + stderr));
  });
}

/** The values that the declarations have, and the members of their types. */
function declared() {
  const ts = require('typescript-5.9');
  const program = ts.createProgram([declarations], { noEmit: true });
  const checker = program.getTypeChecker();
  const own = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(declarations)));
  const symbols = own.map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));
  const members = (name) => {
    const type = checker.getDeclaredTypeOfSymbol(symbols.find((symbol) => symbol.name === name));
    // Symbols such as that of the iterator have names of the compiler's.
    return checker.getPropertiesOfType(type).map((member) => member.name).filter((member) => !member.startsWith('__@'));
  };
  return { values: symbols.filter((symbol) => symbol.flags & ts.SymbolFlags.Value).map(({ name }) => name), members };
}

test('the declarations are true of what there is', async () => {
  const { values, members } = declared();
  const { default: whole, ...named } = mcplite;
  assert.deepEqual(values.sort(), Object.keys(named).sort());
  assert.deepEqual(Object.keys(whole).sort(), Object.keys(named).sort());

  const server = new mcplite.McpServer({ name: 'declared' });
  let context;
  const registered = server.registerTool('look', {}, (_args, ctx) => {
    context = ctx;
  });
  const session = server.session();
  const handler = server.httpHandler();
  const fetchHandler = server.fetchHandler();
  const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'peer', version: '1' } };
  for (const message of [
    { id: 1, method: 'initialize', params: initialize },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'look' } },
  ]) session.handle(JSON.stringify({ jsonrpc: '2.0', ...message }));

  const objects = {
    McpServer: server,
    Session: session,
    Context: context,
    Registered: registered,
    HttpHandler: handler,
    FetchHandler: fetchHandler,
    ResourceTemplate: new mcplite.ResourceTemplate('a://{b}'),
    McpError: new mcplite.McpError(1, 'wrong', {}),
    MisuseError: new mcplite.MisuseError('wrong'),
    NotFoundError: new mcplite.NotFoundError('gone', {}),
  };
  for (const [type, object] of Object.entries(objects)) {
    const missing = members(type).filter((member) => !(member in object) && member !== 'cause');
    assert.deepEqual(missing, [], `members that ${type} does not have`);
  }
  handler.close();
  fetchHandler.close();
  server.close();
});
