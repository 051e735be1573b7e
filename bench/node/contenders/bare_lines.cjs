// The floor over stdio: the least that a server in JavaScript does. It cuts its input into lines, parses
// them, knows what it is asked by a `switch`, checks nothing, and writes what a chunk asked for at once.
'use strict';

const META = { 'io.modelcontextprotocol/serverInfo': { name: 'bench', version: '1.0.0' } };

function answer({ id, method, params }) {
  switch (method) {
    case 'initialize':
      return result(id, {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'bench', version: '1.0.0' },
      });
    case 'server/discover':
      return result(id, {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        _meta: META,
      });
    case 'tools/call': {
      const { a, b } = params.arguments;
      return result(id, { content: [{ type: 'text', text: String(a + b) }] });
    }
    default:
      return '';
  }
}

function result(id, value) {
  return JSON.stringify({ jsonrpc: '2.0', id, result: value }) + '\n';
}

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  const text = rest + chunk;
  let answers = '';
  let begin = 0;
  for (let end; (end = text.indexOf('\n', begin)) !== -1; begin = end + 1) {
    answers += answer(JSON.parse(text.slice(begin, end)));
  }
  rest = text.slice(begin);
  if (answers !== '') process.stdout.write(answers);
});
