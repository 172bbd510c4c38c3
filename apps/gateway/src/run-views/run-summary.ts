import type { RunNames, RunRecord } from '@millrace/runs';
import { pythonIsoFormat } from '../http/validation/date-time';
import { usageView } from './usage-view';

/** Returns a run in the shape of lists; without names when they are not known. */
export function runSummary(run: RunRecord, names?: RunNames): Record<string, unknown> {
  return {
    id: run.id,
    user_id: run.userId,
    flow_id: run.flowId,
    flow_version: run.flowVersion,
    session_id: run.sessionId,
    status: run.status,
    attempt: run.attempt,
    origin: run.origin,
    lane: run.lane,
    pool: run.pool,
    accepted_at: pythonIsoFormat(run.acceptedAt),
    queued_at: run.queuedAt && pythonIsoFormat(run.queuedAt),
    started_at: run.startedAt && pythonIsoFormat(run.startedAt),
    finished_at: run.finishedAt && pythonIsoFormat(run.finishedAt),
    retries: run.retries,
    replay_of: run.replayOf,
    usage: usageView(run.usage),
    error: run.failure,
    ...(names && { username: names.username, flow_name: names.flowName, trigger: names.trigger }),
  };
}
