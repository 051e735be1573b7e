// `mcplite inspect` and `mcplite call`, with a server that has a bit of everything.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { after, describe, it } from 'node:test';

import { PATIENCE, SCRIPT, Talk, mcplite, project } from './support/cli.mjs';

const SERVER = `
import { McpServer, ToolError, image } from 'mcplite';

console.log('loading');
const server = new McpServer({ name: 'full', version: '2.0', title: 'The Full One', instructions: 'Use it.\\n\\nWell.' });
export default server;
// What a program leaves open does not keep the command.
setInterval(() => {}, 1000);

const object = (properties, required) => ({ type: 'object', properties, required, additionalProperties: false });
const text = { type: 'string' };
server.registerTool('add', {
  description: 'Adds two numbers.\\n\\nMore about it.',
  inputSchema: object({ a: { type: 'integer', description: 'the first' }, b: { type: 'integer', default: 2 } }, ['a']),
  outputSchema: { type: 'integer' },
}, ({ a, b = 2 }) => {
  console.log('adding');
  return a + b;
});
const colour = { enum: ['red', 'green'] };
const tags = { type: 'array', items: text, default: [] };
server.registerTool('paint', {
  description: 'Paints.',
  inputSchema: object({ colour, tags, deep: { type: 'boolean' } }, ['colour']),
  outputSchema: object({ colour, tags, deep: { type: 'boolean' } }, []),
}, (args) => args);
server.registerTool('fail', { description: 'Never works.' }, () => {
  throw new ToolError('it broke');
});
server.registerTool('report', { description: 'Tells what it does.' }, (_, ctx) => {
  ctx.progress(1, 2, 'half');
  ctx.log('warning', { heat: 9 }, 'oven');
  return 'told';
});
server.registerTool('ask', { description: 'Asks.' }, async (_, ctx) => {
  const { action, data } = await ctx.elicit('How many?', object({ n: { type: 'integer' } }, ['n']));
  return \`\${action}: \${JSON.stringify(data)}\`;
});
server.registerTool('wait', { description: 'Waits for its end.' }, (_, ctx) => {
  ctx.progress(0, undefined, 'waiting');
  return new Promise(() => {});
});
server.registerTool('picture', { description: 'Draws.' }, () => image(Buffer.from('\\x89PNG1234', 'latin1'), 'image/png'));
server.registerResource('config', 'cfg://{key}', { mimeType: 'application/json', description: 'A setting.' }, (uri, { key }) => ({ key }));
server.registerResource('data', 'bin://data', { description: 'Bytes.' }, Buffer.from([255, 0, 254]));
server.registerResource('hello', 'text://hello', { mimeType: 'text/plain' }, 'hello');
const args = [{ name: 'code', required: true }, { name: 'style' }];
server.registerPrompt('review', { description: 'Reviews code.', arguments: args }, ({ code, style = 'short' }) => \`Review \${code}, \${style}.\`);
`;

const OPTIONS = { concurrency: 2, timeout: 3 * PATIENCE };
const cwd = project({
  'server.mjs': SERVER,
  'old.mjs': "import { McpServer } from 'mcplite';\nexport const server = new McpServer({ name: 'old', revisions: ['2025-06-18'] });\n",
});
const call = (words, options) => mcplite(['call', 'server.mjs', ...words], { cwd, ...options });

describe('mcplite inspect', OPTIONS, () => {
  it('shows a line for everything', async () => {
    const told = await mcplite(['inspect', 'server.mjs'], { cwd });
    assert.equal(told.code, 0);
    const lines = told.stdout.split('\n').map((line) => line.trim().replace(/ +/g, ' '));
    assert.deepEqual(lines.slice(0, 2), ['The Full One 2.0 (2026-07-28)', 'Use it.']);
    for (const line of [
      'Tools (7)',
      'add a: integer, b: integer = 2 Adds two numbers.',
      'paint colour: red|green, tags: array of string = [], deep?: boolean Paints.',
      'Resources (2)',
      'text://hello text/plain',
      'cfg://{key} application/json A setting.',
      'review code, style? Reviews code.',
    ]) assert.ok(lines.includes(line), `${line}\n${told.stdout}`);
    assert.ok(!told.stdout.includes('\x1b'));
    assert.equal(told.stderr, 'loading\n');
  });

  it('gives the definitions of the protocol as JSON, in any revision', async () => {
    const modern = JSON.parse((await mcplite(['inspect', 'server.mjs', '--json'], { cwd })).stdout);
    assert.equal(modern.serverInfo.name, 'full');
    assert.equal(modern.protocolVersion, '2026-07-28');
    assert.equal(modern.instructions, 'Use it.\n\nWell.');
    const add = modern.tools.find((tool) => tool.name === 'add');
    assert.deepEqual(add.inputSchema.properties.a, { type: 'integer', description: 'the first' });
    assert.deepEqual(modern.resourceTemplates.map((item) => item.uriTemplate), ['cfg://{key}']);
    const old = JSON.parse((await mcplite(['inspect', 'server.mjs', '--json', '--era', '2024-11-05'], { cwd })).stdout);
    assert.equal(old.protocolVersion, '2024-11-05');
    assert.ok(!old.tools.some((tool) => 'outputSchema' in tool));
  });

  it('refuses an era that there is not, and finds one that there is', async () => {
    const told = await mcplite(['inspect', 'server.mjs', '--era', '1999-01-01'], { cwd });
    assert.equal(told.code, 2);
    assert.match(told.stderr, /2025-06-18/);
    const old = await mcplite(['inspect', 'old.mjs'], { cwd });
    assert.ok(old.stdout.startsWith('old 0.0.0  (2025-06-18)\n'), old.stdout);
    assert.match(old.stdout, /It offers nothing yet/);
  });

  it('does not mind a reader that has seen enough', { skip: process.platform === 'win32' }, () => {
    const command = `"${process.execPath}" "${SCRIPT}" inspect server.mjs --json | head -c 1`;
    const told = spawnSync(command, { shell: true, cwd, encoding: 'utf8', timeout: PATIENCE });
    assert.deepEqual([told.stdout, told.stderr], ['{', 'loading\n']);
  });
});

describe('mcplite call', OPTIONS, () => {
  const outputs = [
    [['add', 'a=1', '--json', '{"b": 5}'], '6\n'],
    [['--era', 'legacy', 'add', 'b=3', 'a=1'], '4\n'],
    [['add', 'a=1', '--structured'], '{"result": 3}\n'],
    [['paint', 'colour=red', 'tags=1', 'tags=b', 'deep=yes', '--structured'], '{"colour": "red", "tags": ["1", "b"], "deep": true}\n'],
    [['--resource', 'cfg://x'], '{"key":"x"}'],
    [['--prompt', 'review', 'code=x = 1'], 'user: Review x = 1, short.\n'],
    [['picture'], '[image, image/png: 8 bytes]\n'],
  ];
  for (const [words, output] of outputs) {
    it(`prints the result and nothing else: ${words.join(' ')}`, async () => {
      const told = await call(words);
      assert.deepEqual([told.code, told.stdout], [0, output], told.stderr);
    });
  }

  it('reads arguments from standard input with a dash, and gives the whole result raw', async () => {
    const result = JSON.parse((await call(['add', '--raw', '--json', '-'], { stdin: '{"a": 5}' })).stdout);
    assert.deepEqual(result.content, [{ type: 'text', text: '7' }]);
    assert.deepEqual(result.structuredContent, { result: 7 });
  });

  it('writes the bytes of a resource as they are', async () => {
    assert.deepEqual((await call(['--resource', 'bin://data'])).bytes, Buffer.from([255, 0, 254]));
  });

  it('writes progress, logs and prints to standard error', async () => {
    const told = await call(['report']);
    assert.equal(told.stdout, 'told\n');
    assert.equal(told.stderr, 'loading\nprogress: 1/2 half\nwarning: oven: {"heat": 9}\n');
    assert.equal((await call(['add', 'a=1'])).stderr, 'loading\nadding\n');
  });

  const mistakes = [
    [['fail'], 1, 'it broke'],
    [['ad'], 2, "there is no tool 'ad'\n  did you mean add? see what there is: mcplite call server.mjs"],
    [['a=1'], 2, 'the name of the tool comes before its arguments'],
    [['add', 'a=x'], 2, 'a must be an integer'],
    [['add', 'a=1', '--raw', '--structured'], 2, 'not allowed with'],
    [['--prompt', 'reviw'], 2, 'did you mean review?'],
    [['--resource', 'cfg://x', 'a=1'], 2, 'takes no arguments'],
    [['add'], 1, '"a"'],
    [['--resource', 'none://'], 1, 'Resource not found'],
    [['picture', '--structured'], 1, 'no structured content'],
  ];
  for (const [words, code, text] of mistakes) {
    it(`tells what is wrong in words and by the exit code: ${words.join(' ')}`, async () => {
      const told = await call(words);
      assert.equal(told.code, code);
      assert.equal(told.stdout, '');
      assert.ok(told.stderr.includes(text), told.stderr);
      assert.ok(!told.stderr.includes('    at '), told.stderr);
    });
  }

  it('lists what can be called', async () => {
    const lines = (await call([])).stdout.split('\n');
    for (const line of [
      'mcplite call server.mjs add a=integer [b=integer]',
      '    Adds two numbers.',
      'mcplite call server.mjs --resource text://hello',
      "mcplite call server.mjs --resource 'cfg://{key}'",
      'mcplite call server.mjs --prompt review code=… [style=…]',
    ]) assert.ok(lines.includes(line), line);
  });

  for (const era of ['modern', 'legacy']) {
    it(`declines a question with a note where nobody sits (${era})`, async () => {
      const told = await call(['ask', '--era', era]);
      assert.equal(told.stdout, 'decline: undefined\n');
      assert.match(told.stderr, /mcplite: declined, since there is nobody to ask: How many\?/);
    });
  }

  it('ends by ctrl-c while a tool works', async () => {
    const talk = new Talk(['call', 'server.mjs', 'wait'], { cwd });
    await talk.see('waiting');
    talk.process.kill('SIGINT');
    assert.equal(await talk.whenOver, 'SIGINT');
  });
});

/** A command with a person in front of it, where there is a program that makes terminals. */
class Terminal {
  shown = '';
  #waiting = () => {};

  constructor(args, env = {}) {
    const command = [process.execPath, SCRIPT, ...args].map((word) => `'${word}'`).join(' ');
    const { NO_COLOR, ...kept } = process.env;
    this.process = spawn('script', ['-qec', command, '/dev/null'], { cwd, env: { ...kept, TERM: 'xterm', ...env } });
    this.process.stdout.setEncoding('utf8').on('data', (text) => {
      this.shown += text;
      this.#waiting();
    });
    this.whenOver = new Promise((resolve) => {
      this.process.on('close', resolve);
    });
    after(() => this.process.kill('SIGKILL'));
  }

  see(text) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${text} is not in ${this.shown}`)), PATIENCE);
      this.#waiting = () => {
        if (!this.shown.includes(text)) return;
        clearTimeout(timer);
        resolve();
      };
      this.#waiting();
    });
  }

  type(text) {
    this.process.stdin.write(text);
  }
}

const hasTerminals = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

describe('a terminal', { ...OPTIONS, skip: !hasTerminals }, () => {
  it('is where a question is asked until it is answered', async () => {
    const terminal = new Terminal(['call', 'server.mjs', 'ask']);
    await terminal.see('n: ');
    terminal.type('many\n');
    await terminal.see('it must be an integer');
    terminal.type('5\n');
    assert.equal(await terminal.whenOver, 0);
    assert.match(terminal.shown, /accept: \{"n":5\}/);
  });

  it('is where ctrl-d declines a question', async () => {
    const terminal = new Terminal(['call', 'server.mjs', 'ask', '--era', 'legacy']);
    await terminal.see('n: ');
    terminal.type('\x04');
    assert.equal(await terminal.whenOver, 0);
    assert.match(terminal.shown, /decline: undefined/);
  });

  it('shows colours if its owner wants them, and no bytes', async () => {
    const [coloured, plain] = [new Terminal(['inspect', 'server.mjs']), new Terminal(['inspect', 'server.mjs'], { NO_COLOR: '1' })];
    assert.deepEqual(await Promise.all([coloured.whenOver, plain.whenOver]), [0, 0]);
    assert.ok(coloured.shown.includes('\x1b['));
    assert.ok(!plain.shown.includes('\x1b['));
    const bytes = new Terminal(['call', 'server.mjs', '--resource', 'bin://data']);
    assert.equal(await bytes.whenOver, 0);
    assert.match(bytes.shown, /3 bytes: send the output to a file/);
  });
});
