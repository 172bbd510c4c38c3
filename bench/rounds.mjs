/** @import { Figures, Medians } from './scenario.ts' */

const counted = new Set(['errors', 'requests']);

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)];
}

/**
 * Combines the rounds of a side: the median of each figure, the sum of errors and requests.
 * @param {readonly Figures[]} rounds
 * @returns {Medians}
 */
export function medianRound(rounds) {
  const names = Object.keys(rounds[0]).filter((name) => typeof rounds[0][name] === 'number');
  return Object.fromEntries(
    names.map((name) => {
      const values = rounds.map((round) => Number(round[name]));
      return [name, counted.has(name) ? values.reduce((sum, value) => sum + value, 0) : median(values)];
    }),
  );
}

/**
 * Returns the quantile `share` of sorted values; 0 when there are none.
 * @param {readonly number[]} sorted
 * @param {number} share
 */
export function quantile(sorted, share) {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return Number(value.toPrecision(4));
}
