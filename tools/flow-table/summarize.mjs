/** @import { Row } from './table.mjs' */

/** @typedef {readonly [what: string, times: number]} Count */

/**
 * Returns a summary of the table: how many flows end in which state, and why flows do not run to the end.
 * @param {readonly Row[]} rows
 * @param {ReadonlyMap<string, number>} unanswered
 */
export function summarize(rows, unanswered) {
  const own = rows.filter(
    ({ state, reasons = [] }) => state === 'refused' && reasons.includes("author's code"),
  );
  const accepted = rows.filter(({ isAccepted }) => isAccepted);
  const withStandIns = rows.filter(({ standIns = [] }) => standIns.length > 0);
  const others = rows.filter((row) => !own.includes(row) && !row.isAccepted);
  const ran = others.filter(({ state }) => state === 'ran');
  const reasons = count(others.flatMap(({ reasons = [] }) => reasons));
  const failures = count(
    others.filter(({ state }) => state === 'failed').map(({ reason }) => shortened(reason)),
  );
  return [
    ...(accepted.length === 0
      ? []
      : [
          '',
          `${accepted.filter(({ state }) => state === 'ran').length} of ${accepted.length} flows run with the stock components in place of edited code`,
        ]),
    ...(withStandIns.length === 0
      ? []
      : [
          '',
          `${withStandIns.filter(({ state }) => state === 'ran').length} of ${withStandIns.length} flows with stand-ins run to the end`,
        ]),
    '',
    `${rows.length} flows; ${own.length} contain code of their authors; of the other ${others.length}:`,
    `  ${ran.length} run to the end (${percent(ran.length, others.length)})`,
    `  ${ran.filter(({ dependsOnInput }) => dependsOnInput === false).length} of them end alike for different inputs`,
    `  ${ran.filter(({ isRepeatable }) => isRepeatable === false).length} of them end differently for the same input`,
    `  ${ran.filter(({ missed = [] }) => missed.length > 0).length} of them did not execute a vertex`,
    `  their models called ${sum(ran, 'called')} tools, ${sum(ran, 'failed')} of which failed`,
    ...section('Refused', reasons),
    ...section('Failed', failures),
    ...section('Hosts without a fake, answered by the catch-all site', [...unanswered].sort(byCount)),
  ].join('\n');
}

/**
 * @param {readonly Row[]} rows
 * @param {'called' | 'failed'} member
 */
function sum(rows, member) {
  return rows.reduce((total, { tools }) => total + (tools?.[member].length ?? 0), 0);
}

/**
 * @param {string} title
 * @param {readonly Count[]} counts
 */
function section(title, counts) {
  if (counts.length === 0) return [];
  return ['', `${title}:`, ...counts.map(([what, times]) => `  ${String(times).padStart(4)}  ${what}`)];
}

/** @param {readonly string[]} values */
function count(values) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(byCount);
}

/**
 * @param {Count} one
 * @param {Count} other
 */
function byCount([, one], [, other]) {
  return other - one;
}

/** @param {string} [reason] */
function shortened(reason = '') {
  return reason
    .replaceAll(/[0-9a-f-]{36}/g, '…')
    .replaceAll('\n', ' ')
    .slice(0, 200);
}

/**
 * @param {number} part
 * @param {number} whole
 */
function percent(part, whole) {
  return whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`;
}
