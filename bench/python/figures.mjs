import { median } from '../rounds.mjs';

/** What each figure of a round is, in the order of the table; the ids are those of the JSON. */
const TITLES = {
  start: 'start of a process (ms)',
  first: 'first vertex of a process (ms)',
  second: 'second vertex of a process (ms)',
  pythonCpu: 'CPU per trivial vertex, Python (ms)',
  nodeCpu: 'CPU per trivial vertex, Node (ms)',
  roundTrip: 'round trip of a trivial vertex, p50 (ms)',
  perSecond: 'vertices/s, 1 process',
  perSecondOfTwo: 'vertices/s, 2 processes',
  long: '1 MB text there and back, p50 (ms)',
  idlePss: 'PSS of an idle process (MB)',
  usedPss: 'PSS of a used process (MB)',
  usedPrivate: 'private memory of a used process (MB)',
  zygoteRss: 'RSS of the zygote (MB)',
  zygotePss: 'PSS of the zygote (MB)',
  runsOf1: 'runs/s, 1 caller',
  runsOf16: 'runs/s, 16 callers',
};

/** @typedef {{ readonly median: number, readonly minimum: number, readonly maximum: number }} Spread */

/**
 * Returns the spread of each figure over the rounds of a side.
 * @param {readonly Readonly<Record<string, number>>[]} rounds
 * @returns {Record<string, Spread>}
 */
export function spreads(rounds) {
  return Object.fromEntries(
    Object.keys(rounds[0] ?? {}).map((name) => {
      const values = rounds.map((round) => round[name]);
      return [name, { median: median(values), minimum: Math.min(...values), maximum: Math.max(...values) }];
    }),
  );
}

/**
 * Returns a table in Markdown: a row for each figure, a column for each side, with median (minimum to maximum).
 * @param {Readonly<Record<string, Readonly<Record<string, Spread>>>>} sides
 */
export function tableOf(sides) {
  const names = Object.keys(sides);
  const rows = Object.entries(TITLES)
    .filter(([figure]) => names.some((name) => sides[name][figure] !== undefined))
    .map(([figure, title]) => [title, ...names.map((name) => textOf(sides[name][figure]))]);
  const lines = [['median (minimum to maximum)', ...names], names.concat('').map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** @param {Spread | undefined} spread */
function textOf(spread) {
  if (spread === undefined || Number.isNaN(spread.median)) return 'not measured';
  const [middle, low, high] = [spread.median, spread.minimum, spread.maximum].map((value) =>
    String(value >= 100 ? Math.round(value) : Number(value.toPrecision(3))),
  );
  return `${middle} (${low} to ${high})`;
}
