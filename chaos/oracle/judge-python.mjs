import { PYTHON_EFFECTS } from '../python/flows.mjs';

/** @import { Invariant, Seen } from './judge.mjs' */
/** @import { StoredRun } from './stored-runs.mjs' */

/** What the failure of a run says whose process ended. */
const PROCESS_ENDED = 'The Python process ended';

/**
 * Checks what holds with Python only.
 * @param {Pick<Seen, 'python' | 'sink' | 'stored'>} seen
 * @returns {Invariant[]}
 */
export function judgePython({ python, sink, stored }) {
  if (python === undefined) return [];
  /** @type {string[]} */
  const found = [];
  /** @type {Map<string, number>} */
  const vertices = new Map();
  for (const { runId } of sink.effects.values()) vertices.set(runId, (vertices.get(runId) ?? 0) + 1);
  for (const { id, flowId, status } of stored.runs.values()) {
    const count = vertices.get(id) ?? 0;
    if (python.flowIds.has(flowId) && status === 'succeeded' && count !== PYTHON_EFFECTS)
      found.push(`${id} succeeded with effects of ${count} vertices`);
  }
  return [
    { id: 'P1', promise: 'a successful run had the effect of each vertex in Python', found },
    { id: 'P2', promise: 'no Python process outlives its executor', found: python.outliving },
  ];
}

/**
 * Returns whether a run ended as promised for one whose process was killed: in its first attempt when its caller waited,
 * else in a later one, because the first such end counts as one outside of the flow.
 * @param {StoredRun} run
 * @param {Seen['python']} python
 */
export function endedWithProcess({ flowId, durable, attempt, failure }, python) {
  return (
    python?.flowIds.has(flowId) === true &&
    failure?.includes(PROCESS_ENDED) === true &&
    (!durable || attempt > 1)
  );
}

/**
 * Returns whether a caller was answered that the Python process of the run ended.
 * @param {{ readonly kind: string, readonly status: number, readonly errorBody?: string }} answer
 */
export function saysProcessEnded({ kind, status, errorBody }) {
  return kind === 'python' && status === 500 && errorBody?.includes(PROCESS_ENDED) === true;
}
