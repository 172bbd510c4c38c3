import { HttpError } from '@millrace/http';
import type { RunNames, RunRecord, RunStatus } from '@millrace/runs';
import { pythonIsoFormat } from '../../http/validation/date-time';
import { pathParameter } from '../../http/routing/route';
import type { Call } from '../../http/routing/route';
import { parseUuidStrictly } from '../../http/validation/uuid-text';
import { invalidRequest } from '../../http/validation/validator';
import { usageView } from '../traces/usage-view';

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

/** Reads the parameter `status`, which must be one of these; undefined when it is absent. */
export function statusParameter(
  query: URLSearchParams,
  statuses: readonly RunStatus[],
): RunStatus | undefined {
  const text = query.get('status');
  if (text === null) return undefined;
  const status = statuses.find((known) => known === text);
  if (status) return status;
  const expected = statuses.map((known) => `'${known}'`).join(', ');
  const msg = `Input should be one of ${expected}`;
  throw invalidRequest([
    { type: 'literal_error', loc: ['query', 'status'], msg, input: text, ctx: { expected } },
  ]);
}

/** Returns the id of the run that a path names. */
export function runIdOf(request: Call['request']): string {
  return parseUuidStrictly(pathParameter(request, 'run_id'), ['path', 'run_id']);
}

export function unknownRun(): HttpError {
  return new HttpError('not_found', 'Run not found');
}
