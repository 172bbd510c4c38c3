import type { Queryable } from '@millrace/database';
import { insertCallbacksSql } from '../../callbacks/insert-callbacks';
import { findRun } from '../search/find-runs';
import { forgetSuspensionsSql } from '../forget-suspensions';
import { CANCELLED } from '../lifecycle';
import type { RunRecord } from '../../run-record/run-record';
import type { RunStoreParts } from '../run-store-parts';

const REQUEST_CANCEL = {
  name: 'runs-request-cancel',
  text: `WITH ended AS (
    UPDATE runs SET cancel_requested = true,
      status = CASE WHEN status = 'running' THEN status ELSE 'cancelled' END,
      failure = CASE WHEN status = 'running' THEN failure ELSE '${CANCELLED}' END,
      finished_at = CASE WHEN status = 'running' THEN finished_at ELSE now() END,
      next_sweep_at = CASE WHEN status = 'running' THEN next_sweep_at END
    WHERE id = $1 AND user_id = $2 AND status IN ('accepted', 'queued', 'running', 'suspended')
    RETURNING id, status, flow_id, user_id, callback
    ), ${forgetSuspensionsSql('ended')}, reported AS (${insertCallbacksSql('ended')})
    SELECT id FROM ended`,
};

/** See RunStore.requestCancel. */
export async function requestCancel(
  parts: RunStoreParts,
  userId: string,
  runId: string,
): Promise<RunRecord | null> {
  await cancelRun(parts.database, userId, runId);
  return findRun(parts, userId, runId);
}

/** Requests the end of a run; false when the user has no such run or it has ended. */
export async function cancelRun(connection: Queryable, userId: string, runId: string): Promise<boolean> {
  const { rowCount } = await connection.query({ ...REQUEST_CANCEL, values: [runId, userId] });
  return rowCount > 0;
}
