/** @import { Medians } from '../scenario.ts' */

/** @typedef {{ readonly sides: Readonly<Record<string, Medians>> }} Sides */

/**
 * The parts whose CPU time is measured, in the order in which a request reaches them.
 * @type {Readonly<Record<string, string>>}
 */
const parts = {
  gateway: 'gateway',
  ingest: 'ingest',
  executor: 'executors',
  broker: 'RabbitMQ',
  keyValue: 'Redis',
  database: 'PostgreSQL',
};

/** The sustained utilization of a core, which leaves capacity for bursts. */
const UTILIZATION = 0.7;
const RATE = 1_000;

/**
 * Returns the lines of the section with the cost of a run for each part, from the scenarios by id; none when they were not
 * measured.
 * @param {Readonly<Record<string, Sides | undefined>>} scenarios
 */
export function costSection({ B16, B19 }) {
  if (B16 === undefined || B19 === undefined) return [];
  const interactive = unitCosts(B16.sides.one);
  const [accepted] = Object.values(B19.sides);
  const webhook = unitCosts(accepted, drained(accepted));
  const rows = Object.entries(parts).map(([part, title]) => [
    title,
    ...[interactive, webhook].flatMap(({ microseconds }) => [
      short(microseconds[part]),
      short((microseconds[part] * RATE) / 1_000_000 / UTILIZATION),
    ]),
  ]);
  const bytes = [interactive, webhook].flatMap(({ storedBytes }) => [`${Math.round(storedBytes)} bytes`, '']);
  const log = [interactive, webhook].flatMap(({ logBytes }) => [`${Math.round(logBytes)} bytes`, '']);
  const heading = `cores for ${RATE.toLocaleString('en')} a second`;
  return [
    '## Cost of a run',
    '',
    'CPU time in µs, and the cores that this takes at 70 % of each: an interactive run of two vertices (`B16`, one gateway',
    'process), and a webhook with its run (`B19`, no run waiting). Rates that were not measured are multiples.',
    '',
    `| | interactive, µs | ${heading} | webhook, µs | ${heading} |`,
    '| --- | --- | --- | --- | --- |',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
    `| PostgreSQL stores | ${bytes.join(' | ')} |`,
    `| PostgreSQL logs | ${log.join(' | ')} |`,
    '',
  ];
}

/**
 * Returns the costs of one unit of work, which can consist of several steps.
 * @param {...Medians} steps
 */
function unitCosts(...steps) {
  /** @param {string} name */
  const sum = (name) => steps.reduce((total, step) => total + (step[name] ?? 0), 0);
  return {
    /** @type {Readonly<Record<string, number>>} */
    microseconds: Object.fromEntries(Object.keys(parts).map((part) => [part, sum(`${part}Microseconds`)])),
    storedBytes: sum('storedBytes'),
    logBytes: sum('logBytes'),
  };
}

/**
 * Returns the figures of executing the runs that were accepted.
 * @param {Medians} side
 * @returns {Medians}
 */
function drained(side) {
  return Object.fromEntries(
    Object.entries(side)
      .filter(([name]) => name.startsWith('drained'))
      .map(([name, value]) => [name[7].toLowerCase() + name.slice(8), value]),
  );
}

/** @param {number} value */
function short(value) {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(2));
}
