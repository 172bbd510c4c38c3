/** @import { Medians } from '../scenario.ts' */

/**
 * The parts whose CPU time is measured, in the order in which a request reaches them.
 * @type {Readonly<Record<string, string>>}
 */
export const parts = {
  gateway: 'gateway',
  ingest: 'ingest',
  executor: 'executors',
  broker: 'RabbitMQ',
  keyValue: 'Redis',
  database: 'PostgreSQL',
};

/** @type {readonly (readonly [name: string, title: string])[]} */
const columns = [
  ['perSecond', 'per second'],
  ['tokensPerSecond', 'tokens/s'],
  ['completedPerSecond', 'completed/s'],
  ['drainedPerSecond', 'drained/s'],
  ['p50', 'p50 ms'],
  ['p99', 'p99 ms'],
  ...Object.entries(parts).map(
    ([part, title]) => /** @type {const} */ ([`${part}Microseconds`, `${title}, µs`]),
  ),
  ['storedBytes', 'stored, bytes'],
  ['logBytes', 'log, bytes'],
];

/**
 * Returns the lines of a table of the sides of a scenario, with the figures that were measured; none without sides.
 * @param {Readonly<Record<string, Medians>>} sides
 */
export function sidesTable(sides) {
  const all = Object.entries(sides);
  const measured = columns.filter(([name]) => all.some(([, side]) => (side[name] ?? 0) > 0));
  if (all.length === 0 || measured.length === 0) return [];
  const hasIdleShare = all.some(([, { idleShare }]) => idleShare !== undefined);
  const head = ['', ...measured.map(([, title]) => title), ...(hasIdleShare ? ['CPU left'] : [])];
  const rows = all.map(([title, side]) => [
    title,
    ...measured.map(([name]) => short(side[name])),
    ...(hasIdleShare ? [percent(side.idleShare)] : []),
  ]);
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

/** @param {number | undefined} value */
function short(value) {
  if (value === undefined) return '';
  return value >= 1_000 ? Math.round(value) : Number(value.toPrecision(3));
}

/** @param {number | undefined} share */
function percent(share) {
  return share === undefined ? '' : `${Math.round(share * 100)} %`;
}
