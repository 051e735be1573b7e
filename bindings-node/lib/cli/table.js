'use strict';

// Lines in columns.

const { styledResult, width } = require('./standard.js');
const { size, wrap } = require('./text.js');

/** Aligned lines: empty columns are left out, long cells wrapped, the first column is bold. */
function table(rows) {
  const used = [...(rows[0] ?? []).keys()].filter((column) => rows.some((row) => row[column]));
  const widths = fit(used.map((column) => Math.max(...rows.map((row) => size(row[column])))), width() - 2);
  return rows.flatMap((row) => {
    const cells = used.map((column, place) => wrap(row[column], widths[place]));
    const height = Math.max(1, ...cells.map((cell) => cell.length));
    return Array.from({ length: height }, (_, line) => {
      const parts = cells.map((cell, place) => {
        const text = cell[line] ?? '';
        const padded = text + ' '.repeat(widths[place] - size(text));
        return place === 0 ? styledResult(padded, 'bold') : padded;
      });
      return `  ${parts.join('  ')}`.trimEnd();
    });
  });
}

/** Takes from the widest column until a line is no longer than the room there is. */
function fit(widths, room) {
  const fitting = [...widths];
  const sum = () => fitting.reduce((total, one) => total + one, 2 * (fitting.length - 1));
  while (sum() > room && Math.max(...fitting) > 10) fitting[fitting.indexOf(Math.max(...fitting))] -= 1;
  return fitting;
}

module.exports = { table };
