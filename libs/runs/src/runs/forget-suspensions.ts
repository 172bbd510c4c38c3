/**
 * Returns CTEs that delete what a suspended run would have needed to go on: its results, and the requests without an answer.
 * `ended` is a CTE of the columns id and status of runs; those that still run keep all.
 */
export function forgetSuspensionsSql(ended: string): string {
  const isOver = `run_id = ${ended}.id AND ${ended}.status <> 'running'`;
  return `forgotten AS (DELETE FROM run_checkpoints USING ${ended} WHERE ${isOver}),
    withdrawn AS (DELETE FROM human_requests USING ${ended} WHERE ${isOver} AND decided_at IS NULL)`;
}
