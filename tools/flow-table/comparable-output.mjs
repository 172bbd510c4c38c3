/** @import { RunAnswer } from './client.mjs' */
/** @import { PlannedVertex } from './table.mjs' */

/**
 * Values that differ from run to run for any input: ids, points in time, durations.
 * @type {readonly (readonly [RegExp, string])[]}
 */
const volatile = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(-\d)?/gi, '<id>'],
  [/\d{4}-\d\d-\d\d[ T_]\d\d[:-]\d\d[:-]\d\d(\.\d+)?( ?UTC|Z|[+-]\d\d:?\d\d)?/g, '<time>'],
];

const volatileMembers = new Set([
  'timestamp',
  'duration',
  'timedelta',
  'session_id',
  'id',
  'run_id',
  'flow_id',
  'build_duration',
  'usage',
  'properties',
  'token_usage',
]);

/**
 * Returns the outputs of a run as a text that is equal for runs with equal results.
 * @param {RunAnswer} answer
 * @param {readonly PlannedVertex[]} vertices
 */
export function comparableOutput({ outputs = [] }, vertices) {
  const isOutput = new Set(vertices.filter((vertex) => vertex.isOutput).map(({ id }) => id));
  const all = outputs.flatMap((round) => round.outputs);
  const chosen = all.filter(({ component_id }) => isOutput.has(component_id));
  const results = (chosen.length > 0 ? chosen : all).map(
    ({ component_id, results: values, outputs: given }) => [component_id, values, given],
  );
  const text = JSON.stringify(results, (member, value) => (volatileMembers.has(member) ? undefined : value));
  return volatile.reduce((shown, [pattern, replacement]) => shown.replaceAll(pattern, replacement), text);
}
