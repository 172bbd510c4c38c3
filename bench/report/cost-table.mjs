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

/**
 * Returns the lines of a table with the costs of each side; none when costs were not measured. `prefix` selects prefixed
 * figures, such as those with `drained`.
 * @param {Readonly<Record<string, Medians>>} sides
 * @param {{ readonly prefix?: string }} [options]
 */
export function costTable(sides, { prefix = '' } = {}) {
  /** @param {string} name */
  const named = (name) => (prefix === '' ? name : `${prefix}${name[0].toUpperCase()}${name.slice(1)}`);
  const measured = Object.entries(sides).filter(([, side]) => side[named('idleShare')] !== undefined);
  if (measured.length === 0) return [];
  const columns = Object.keys(parts).filter((part) =>
    measured.some(([, side]) => side[named(`${part}Microseconds`)] !== undefined),
  );
  const titles = columns.map((part) => `${parts[part]}, µs`);
  const head = ['', 'per second', 'p50 ms', 'p99 ms', ...titles, 'stored, bytes', 'log, bytes', 'CPU left'];
  const rows = measured.map(([name, side]) => {
    /** @param {string} key */
    const figure = (key) => short(side[named(key)]);
    return [
      name,
      figure('perSecond'),
      figure('p50'),
      figure('p99'),
      ...columns.map((part) => figure(`${part}Microseconds`)),
      figure('storedBytes'),
      figure('logBytes'),
      `${Math.round(side[named('idleShare')] * 100)} %`,
    ];
  });
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

/** @param {number | undefined} value */
function short(value) {
  if (value === undefined) return '';
  return value >= 1_000 ? Math.round(value) : Number(value.toPrecision(3));
}
