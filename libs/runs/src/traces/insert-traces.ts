import { textArray, uuidArray } from '@millrace/database';

/**
 * Returns the SQL that stores the traces of `traceParameters` (from parameter number `first` on), if their run is among
 * those that `ended` (a CTE of id, flow_id, user_id) returned. The trace of a later attempt replaces an earlier one.
 */
export function insertTracesOf(ended: string, first: number): string {
  return `INSERT INTO run_traces (run_id, flow_id, user_id, body)
    SELECT ended.id, ended.flow_id, ended.user_id, given.body
    FROM unnest($${first}::uuid[], $${first + 1}::text[]) AS given (run_id, body)
    JOIN ${ended} AS ended ON ended.id = given.run_id
    ON CONFLICT (run_id) DO UPDATE SET body = excluded.body`;
}

/** Returns the parameters of `insertTracesOf`; empty arrays when no run has a trace. */
export function traceParameters(
  runs: readonly { readonly id: string; readonly trace?: string | null }[],
): unknown[] {
  const ids: string[] = [];
  const bodies: string[] = [];
  for (const { id, trace } of runs) {
    if (trace === null || trace === undefined) continue;
    ids.push(id);
    bodies.push(trace);
  }
  return [uuidArray(ids), textArray(bodies)];
}
