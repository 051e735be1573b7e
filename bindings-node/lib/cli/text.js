'use strict';

// Words and lines for people.

/** The text in quotes. */
function quoted(text) {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  return mark + JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll(mark, `\\${mark}`) + mark;
}

/** How many characters a text has. */
function size(text) {
  return [...text].length;
}

/** Lines of at most `room` characters, broken at spaces and hyphens, and elsewhere only if it must be. */
function wrap(text, room) {
  const lines = [];
  let line = '';
  const words = text.split(/\s+/).filter(Boolean);
  words.forEach((word, place) => {
    word.split(/(?<=\p{L}{2}-|\p{L}-\p{L}-)(?=\p{L}-?\p{L})/u).forEach((part, number) => {
      const gap = number === 0 && place > 0 && line ? ' ' : '';
      if (size(line + gap + part) <= room) {
        line += gap + part;
        return;
      }
      let rest = [...part];
      if (rest.length > room && size(line + gap) < room) line += gap + rest.splice(0, room - size(line + gap)).join('');
      if (line) lines.push(line);
      while (rest.length > room) lines.push(rest.splice(0, room).join(''));
      line = rest.join('');
    });
  });
  if (line) lines.push(line);
  return lines;
}

/** The one that was probably meant, or undefined. */
function nearest(word, known) {
  let best = 0.6;
  let found;
  for (const candidate of known) {
    const ratio = (2 * matching(candidate, word)) / (candidate.length + word.length || 1);
    if (ratio >= best && (ratio > best || found === undefined)) [best, found] = [ratio, candidate];
  }
  return found;
}

/** How many characters two texts share: their longest common piece, and those before and behind it. */
function matching(a, b) {
  let [length, inA, inB] = [0, 0, 0];
  for (let i = 0; i < a.length; i += 1) {
    for (let j = 0; j < b.length; j += 1) {
      let run = 0;
      while (i + run < a.length && a[i + run] === b[j + run]) run += 1;
      if (run > length) [length, inA, inB] = [run, i, j];
    }
  }
  if (length === 0) return 0;
  return length + matching(a.slice(0, inA), b.slice(0, inB)) + matching(a.slice(inA + length), b.slice(inB + length));
}

/** A name with its article. */
function article(name) {
  return `${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${name}`;
}

/** Why the system has refused something. */
function reason(error) {
  return /^[A-Z0-9]+: ([^,]+)/.exec(error.message)?.[1] ?? error.message;
}

module.exports = { article, nearest, quoted, reason, size, wrap };
