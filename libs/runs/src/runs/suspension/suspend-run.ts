import { integerArray, textArray } from '@millrace/database';
import type { HumanDecision, HumanRequest } from '@millrace/flow';
import { storableText } from '@millrace/python-text';
import { insertWaitingCallbacksSql } from '../../callbacks/insert-callbacks';
import { insertMessagesOf, messageParameters } from '../../messages/message-columns';
import type { MessageRow } from '../../messages/message-row';
import { retryOnDeadlock } from '../../retry-on-deadlock';
import { insertTracesOf, traceParameters } from '../../traces/insert-traces';
import type { RunAttempt, RunObservations } from '../attempts/run-completion';
import { endAttemptsSql, workerBefore } from '../attempts/run-attempts';
import type { FlowVersionKey } from '../pruning/prune-flow-versions';
import type { RunStoreParts } from '../run-store-parts';
import { forgetSuspensionsSql } from '../forget-suspensions';

/** An attempt at whose end the run waits for a person. */
export interface SuspendedAttempt extends RunAttempt, RunObservations {
  /** What the next attempt needs, as text. */
  readonly results: string;
  /** Versions of other flows with which the next attempt goes on; none unless given. */
  readonly innerVersions?: readonly FlowVersionKey[] | undefined;
  readonly requests: readonly HumanRequest[];
  readonly messages: readonly MessageRow[];
}

/** What the next attempt of a run that was suspended begins with. */
export interface RunResumption {
  /** As in the SuspendedAttempt; null for a run that was not suspended. */
  readonly results: string | null;
  /** By the id of the request. */
  readonly decisions: ReadonlyMap<string, HumanDecision>;
}

/** No run waits longer for a person: what it keeps would stay indefinitely. */
const MAXIMUM_WAIT = `interval '90 days'`;

// Neither the sweeper nor a backlog has a suspended run. The attempt does not count.
const SUSPEND = {
  name: 'runs-suspend',
  text: `WITH suspended AS (
      UPDATE runs SET status = 'suspended', usage = coalesce($3, usage), failure = NULL, worker = NULL, lease_until = NULL,
        next_sweep_at = NULL, free_attempts = free_attempts + 1
      WHERE id = $1 AND attempt = $2 AND status = 'running' AND NOT cancel_requested
      RETURNING id, flow_id, user_id, callback, attempt, started_at, NULL::text AS failure, 'suspended' AS outcome,
        ${workerBefore} AS worker
    ), kept AS (${endAttemptsSql('suspended')}),
    stored AS (INSERT INTO run_checkpoints (run_id, results, inner_versions) SELECT id, $4, nullif($9::text[], '{}') FROM suspended
      ON CONFLICT (run_id) DO UPDATE SET results = excluded.results, inner_versions = excluded.inner_versions),
    asked AS (INSERT INTO human_requests (run_id, request_id, flow_id, request, fallback, due_at)
      SELECT id, request_id, flow_id, request, fallback,
        now() + least(CASE WHEN seconds > 0 THEN seconds * interval '1 second' END, ${MAXIMUM_WAIT})
      FROM suspended, unnest($5::text[], $6::text[], $7::text[], $8::int[]) AS given (request_id, request, fallback, seconds)
      ON CONFLICT (run_id, md5(request_id)) DO NOTHING RETURNING request_id),
    reported AS (${insertWaitingCallbacksSql('(SELECT * FROM suspended CROSS JOIN asked) AS waiting')}),
    archived AS (${insertMessagesOf('suspended', 10)}), traced AS (${insertTracesOf('suspended', 20)})
    SELECT id FROM suspended`,
};

/** Longer times than about 68 years are cut. */
const MAXIMUM_SECONDS = 2_147_483_647;

/** See RunStore.suspend. */
export async function suspendRun(
  { database, seal, templates }: RunStoreParts,
  {
    runId,
    attempt,
    usage = null,
    trace = null,
    results,
    innerVersions = [],
    requests,
    messages,
  }: SuspendedAttempt,
): Promise<boolean> {
  const values = [
    runId,
    attempt,
    usage,
    seal.writeText(results),
    textArray(requests.map(({ request_id: id }) => storableText(id))),
    textArray(requests.map((request) => seal.writeText(JSON.stringify(request)))),
    textArray(requests.map(({ fallback_action: fallback }) => fallback)),
    integerArray(requests.map(({ timeout_seconds: seconds }) => Math.min(seconds, MAXIMUM_SECONDS))),
    textArray(innerVersions.map(({ flowId, version }) => `${flowId} ${version}`)),
    ...messageParameters([{ id: runId, messages }], templates),
    ...traceParameters([{ id: runId, trace }]),
  ];
  const { rows } = await retryOnDeadlock(() => database.query({ ...SUSPEND, values }));
  return rows.length > 0;
}

// The results can be large: one row has them, not that of each request.
const RESUMPTION = {
  name: 'runs-resumption',
  text: `SELECT request_id AS "requestId", decision,
      CASE WHEN row_number() OVER () = 1 THEN (SELECT results FROM run_checkpoints WHERE run_checkpoints.run_id = $1) END AS results
    FROM human_requests WHERE run_id = $1`,
};

/** See RunStore.resumption. */
export async function readResumption(
  { database, seal }: Pick<RunStoreParts, 'database' | 'seal'>,
  runId: string,
): Promise<RunResumption> {
  const { rows } = await database.query<{
    readonly requestId: string;
    readonly decision: string | null;
    readonly results: string | null;
  }>({ ...RESUMPTION, values: [runId] });
  const results = rows.find((row) => row.results !== null)?.results ?? null;
  const decided = rows.flatMap(({ requestId, decision }) =>
    decision === null ? [] : [[requestId, JSON.parse(seal.readText(decision)) as HumanDecision] as const],
  );
  return { results: results === null ? null : seal.readText(results), decisions: new Map(decided) };
}

const FORGET = {
  name: 'runs-forget-suspensions',
  text: `WITH ended AS (SELECT id, status FROM runs WHERE id = $1), ${forgetSuspensionsSql('ended')} SELECT`,
};

/** See RunStore.forgetSuspensions. */
export async function forgetSuspensions(
  { database }: Pick<RunStoreParts, 'database'>,
  runId: string,
): Promise<void> {
  await database.query({ ...FORGET, values: [runId] });
}
