/** @import { MeasuredScenario, ScenarioResult } from './scenario.ts' */

/**
 * Prints the goals of a scenario and its result line.
 * @param {ScenarioResult} result
 */
export function printResult(result) {
  if (result.failure !== undefined) return console.log(`${result.id} failed: ${result.failure}`);
  for (const { what, value, bound, holds } of result.goals)
    console.log(`  ${holds ? 'held  ' : 'MISSED'} ${what}: ${round(value)} (${bound})`);
  console.log(closingLine(result));
}

/** @param {MeasuredScenario} result */
function closingLine({ id, ratio, of, perSecond, p50, p99, errors }) {
  return `${id} ratio ${ratio.toFixed(2)} of ${of}, ${Math.round(perSecond)}/s, p50 ${round(p50)} ms, p99 ${round(p99)} ms, errors ${errors}`;
}

/** @param {number} value */
function round(value) {
  return Number(value.toPrecision(3));
}
