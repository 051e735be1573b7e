// Node itself, waiting on its standard input: answers anything with an empty line, so that its memory can
// be seen.
'use strict';

process.stdin.on('data', (chunk) => {
  if (chunk.includes('"id"')) process.stdout.write('\n');
});
