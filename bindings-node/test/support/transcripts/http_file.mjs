// The text of an HTTP transcript; `tests/http/transcripts/README.md` has the format.

/** Options, and steps: requests or actions of the host, each with the blocks of what comes of it. */
export function read(text) {
  const file = { options: [], steps: [] };
  let request = null;
  text.split('\n').forEach((line, index) => {
    const number = index + 1;
    const [mark] = line.split(' ', 1);
    const rest = line.slice(mark.length + 1);
    if (mark === '>' && request === null) {
      request = { number, line: rest, headers: [], body: null, isBody: false, told: null, blocks: [] };
      file.steps.push(request);
      return;
    }
    if (request !== null && (mark === '>' || mark === '>>')) {
      takeLine(request, mark, rest);
      return;
    }
    request = null;
    if (line === '' || mark === '#') return;
    const step = file.steps.at(-1);
    if (mark === '@') file.options.push(rest);
    else if (mark === '!') file.steps.push({ number, action: rest, told: null, blocks: [] });
    else if (mark === '=') step.told = rest;
    else if (mark === '<<') step.blocks.push(blockOf(number, rest));
    else if (mark === '<') step.blocks.at(-1).lines.push(rest);
    else throw new Error(`${number}: cannot be read`);
  });
  return file;
}

function takeLine(request, mark, rest) {
  if (request.isBody) request.body = mark === '>>' ? Buffer.from(JSON.parse(rest), 'latin1') : rest;
  else if (rest === '') request.isBody = true;
  else request.headers.push(rest);
}

/** What came of one exchange in one step: its head, if it is new, and lines of its body. */
function blockOf(number, title) {
  const words = title.split(' ');
  const isOpen = words.at(-1) === 'open';
  if (isOpen) words.pop();
  const status = /^\d+$/.test(words.at(-1) ?? '') ? Number(words.pop()) : null;
  return { number, name: words[0] ?? '', status, isOpen, lines: [] };
}

/** Names in lower case and values of the head of a block, in the order of the names. */
export function headersOf({ status, lines }) {
  if (status === null) return [];
  const end = lines.includes('') ? lines.indexOf('') : lines.length;
  return lines.slice(0, end).map((line) => {
    const colon = line.indexOf(': ');
    return `${line.slice(0, colon).toLowerCase()}: ${line.slice(colon + 2)}`;
  }).sort();
}

/** The lines of the body of a block. */
export function bodyOf({ status, lines }) {
  if (status === null) return lines;
  return lines.includes('') ? lines.slice(lines.indexOf('') + 1) : [];
}

/** The lines of a request with the headers that it has unless it says otherwise. */
export function headLines(method, target, given, body) {
  const usual = [['Host', 'localhost:8080']];
  if (method === 'POST') usual.push(['Content-Type', 'application/json'], ['Accept', 'application/json, text/event-stream']);
  if (method === 'GET') usual.push(['Accept', 'text/event-stream']);
  if (body !== null) usual.push(['Content-Length', String(body.length)]);
  const taken = given.map((header) => header.replace(/^-/, '').split(':')[0].toLowerCase());
  const own = usual.filter(([name]) => !taken.includes(name.toLowerCase())).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${target} HTTP/1.1`, ...own, ...given.filter((header) => !header.startsWith('-'))];
}
