import { parts } from './cost-table.mjs';

/** @import { Medians } from '../scenario.ts' */

/**
 * @typedef {object} UnitCosts
 * @property {number} perSecond
 * @property {Readonly<Record<string, number>>} microseconds
 * @property {number} storedBytes
 * @property {number} logBytes
 */

/** The sustained utilization of a core, which leaves capacity for bursts. */
const UTILIZATION = 0.7;
const factors = [1, 10, 100, 1_000];
const SECONDS_OF_A_DAY = 86_400;

/**
 * Returns the cost of one unit of work for each part: { perSecond, microseconds: { gateway, … }, storedBytes, logBytes }.
 * Adds the costs of several sides, such as accepting a webhook and executing its run.
 * @param {number} perSecond
 * @param {...Medians} figures
 * @returns {UnitCosts}
 */
export function unitCosts(perSecond, ...figures) {
  /** @param {string} name */
  const sum = (name) => figures.reduce((total, side) => total + (side[name] ?? 0), 0);
  return {
    perSecond,
    microseconds: Object.fromEntries(Object.keys(parts).map((part) => [part, sum(`${part}Microseconds`)])),
    storedBytes: sum('storedBytes'),
    logBytes: sum('logBytes'),
  };
}

/**
 * Returns a table of the rate at which one core of each part saturates.
 * @param {UnitCosts} costs
 */
export function saturationTable({ microseconds }) {
  const rows = Object.entries(microseconds)
    .filter(([, cost]) => cost > 0)
    .sort(([, one], [, other]) => other - one)
    .map(([part, cost]) => [parts[part], short(cost), Math.round(1_000_000 / cost)]);
  return table(['part', 'µs of CPU', 'one core saturates at, per second'], rows);
}

/**
 * Returns a table of cores, disk and log for the measured rate and 10, 100 and 1,000 times that rate.
 * @param {UnitCosts} costs
 */
export function sizingTable({ perSecond, microseconds, storedBytes, logBytes }) {
  const rows = Object.entries(microseconds)
    .filter(([, cost]) => cost > 0)
    .map(([part, cost]) => [
      `${parts[part]}, cores`,
      ...factors.map((factor) => short((perSecond * factor * cost) / 1_000_000 / UTILIZATION)),
    ]);
  /**
   * @param {string} title
   * @param {number} amount
   */
  const scaled = (title, amount) => [title, ...factors.map((factor) => short(amount * factor))];
  rows.push(
    scaled('PostgreSQL stores, GB a day', (perSecond * storedBytes * SECONDS_OF_A_DAY) / 1e9),
    scaled('PostgreSQL logs, MB a second', (perSecond * logBytes) / 1e6),
  );
  const head = factors.map((factor) => `${Math.round(perSecond * factor).toLocaleString('en')} a second`);
  return table(['', ...head], rows);
}

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly (string | number)[])[]} rows
 */
function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

/** @param {number} value */
function short(value) {
  return value >= 100 ? Math.round(value).toLocaleString('en') : Number(value.toPrecision(2));
}
