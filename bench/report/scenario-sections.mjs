import { short } from './peers-section.mjs';

/** @import { MeasuredScenario } from '../scenario.ts' */

/**
 * Returns which goals of a scenario are missed, each with its value and its bound.
 * @param {Pick<MeasuredScenario, 'goals'>} scenario
 */
export function missedGoals({ goals }) {
  const missed = goals.filter(({ holds }) => !holds);
  return missed.map(({ what, value, bound }) => `${what}: ${short(value)} (${bound})`).join('; ');
}

/**
 * Returns the lines of the table of all compared variants with a throughput or a latency.
 * @param {readonly MeasuredScenario[]} scenarios
 */
export function sidesSection(scenarios) {
  const rows = scenarios.flatMap(({ id, sides }) =>
    Object.entries(sides)
      .filter(([, side]) => (side.perSecond ?? 0) > 0 || (side.p50 ?? 0) > 0)
      .map(([title, { perSecond, p50, p99 }]) => [id, title, ...[perSecond, p50, p99].map(shown)]),
  );
  if (rows.length === 0) return [];
  const head = ['scenario', 'side', 'per second', 'p50 ms', 'p99 ms'];
  const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return ['## Sides', '', ...table, ''];
}

/** @param {number | undefined} value */
function shown(value) {
  return value === undefined ? '' : short(value);
}
