import { textArray, uuidArray } from '@millrace/database';
import type { Queryable } from '@millrace/database';
import { FALLBACK_DECISION } from '@millrace/flow';
import type { HumanDecision, HumanRequest } from '@millrace/flow';
import { storableText } from '@millrace/python-text';
import { insertCallbacksSql } from '../../callbacks/insert-callbacks';
import type { StoredRequest } from '../../human-requests/stored-request';
import type { RequestSeal } from '../../encryption/request-seal';
import type { FailedRun } from '../attempts/failed-run-log';
import { NOT_ANSWERED } from '../lifecycle';
import { forgetSuspensionsSql } from '../forget-suspensions';
import { flowSetting } from '../../flows/flow-setting';
import { readFailure } from '../run-rows';
import { timeSql } from '../search/run-search';

interface RequestRow extends Omit<StoredRequest, keyof HumanRequest> {
  readonly request: string;
}

const COLUMNS = `human_requests.run_id AS "runId", runs.user_id AS "userId", human_requests.flow_id AS "flowId", runs.session_id AS "sessionId",
  runs.accepted_at AS "acceptedAt", human_requests.request, paused_at AS "pausedAt", due_at AS "dueAt", decided_at AS "decidedAt", decided_by AS "decidedBy",
  named.answered_by AS "answeredBy"`;
const ANSWERED_BY = `nullif(${flowSetting('answeredBy')}, 'null'::jsonb)`;
/** Whether the flow names the user `viewer`. */
const IS_NAMED = `(named.answered_by ? viewer.id::text OR viewer.is_admin AND named.answered_by ? 'superusers')`;
const MAY_ANSWER = `CASE WHEN named.answered_by IS NULL THEN runs.user_id = viewer.id ELSE ${IS_NAMED} END`;
const NAMED = `LEFT JOIN LATERAL (SELECT ${ANSWERED_BY} AS answered_by FROM flows WHERE flows.id = human_requests.flow_id) AS named ON true`;

/** Whether the flow can name the user `reader`: the requests of flows that do not are not read. */
const CAN_NAME = `position('"answeredBy"' IN flows.settings::text) > 0
  AND (position(reader.id::text IN flows.settings::text) > 0 OR reader.is_admin AND position('"superusers"' IN flows.settings::text) > 0)`;

const OF_RUN = {
  name: 'human-requests-of-run',
  text: `SELECT ${COLUMNS}, coalesce(${MAY_ANSWER}, false) AS "mayAnswer"
    FROM human_requests JOIN runs ON runs.id = run_id ${NAMED} LEFT JOIN users AS viewer ON viewer.id = $2
    WHERE run_id = $1 AND ($2::uuid IS NULL OR runs.user_id = $2 OR ${IS_NAMED}) ORDER BY paused_at, human_requests.request_id`,
};

const DIGEST = 'md5(human_requests.request_id)';

// A text is read from its table only for a request of the page: their lengths are known without.
const OPEN = {
  name: 'human-requests-open',
  text: `WITH matching AS (
      SELECT ${COLUMNS}, coalesce(${MAY_ANSWER}, false) AS "mayAnswer", ${DIGEST} AS digest,
        (extract(epoch FROM paused_at) * 1000000)::bigint AS microseconds
      FROM human_requests JOIN runs ON runs.id = run_id ${NAMED} JOIN users AS viewer ON viewer.id = $1
      WHERE human_requests.flow_id = ANY(ARRAY(
          SELECT id FROM flows WHERE user_id = $1 AND ($2::uuid IS NULL OR id = $2)
          UNION ALL SELECT flows.id FROM flows JOIN users AS reader ON reader.id = $1 WHERE ${CAN_NAME} AND user_id <> $1 AND ($2::uuid IS NULL OR flows.id = $2)))
        AND decided_at IS NULL AND ($8::uuid IS NULL AND runs.status = 'suspended' OR run_id = $8) AND (runs.user_id = $1 OR ${IS_NAMED})
        AND ($5::bigint IS NULL OR (paused_at, run_id, ${DIGEST}) > (${timeSql('$5::bigint')}, $6::uuid, $7::text))
      ORDER BY paused_at, run_id, digest LIMIT $3 + 1
    ), placed AS (
      SELECT *, row_number() OVER places AS place, count(*) OVER () AS found,
        sum(octet_length(request)) OVER (places ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
      FROM matching WINDOW places AS (ORDER BY microseconds, "runId", digest)
    )
    SELECT "runId", "userId", "flowId", "sessionId", "acceptedAt", request, "pausedAt", "dueAt", "decidedAt", "decidedBy", "answeredBy",
      "mayAnswer", found,
      jsonb_build_object('microseconds', microseconds, 'runId', "runId", 'digest', digest) AS position
    FROM placed WHERE place <= $3 AND coalesce(before, 0) < $4 ORDER BY place`,
};

/** A page has at least one request, and further ones until their stored texts are longer than this. */
const MAXIMUM_BYTES = 8 * 1024 * 1024;

/** Where a page of requests ends. */
export interface RequestPosition {
  readonly microseconds: number;
  readonly runId: string;
  /** MD5 of the id of the request. */
  readonly digest: string;
}

export interface OpenRequestsQuery {
  /** Null: of all flows. */
  readonly flowId: string | null;
  /** Only of this run, also while it goes on with an answer to another of its requests. */
  readonly runId?: string | null;
  readonly limit: number;
  readonly after?: RequestPosition | undefined;
}

export interface OpenRequests {
  readonly requests: readonly StoredRequest[];
  /** Null on the last page. */
  readonly next: RequestPosition | null;
}

interface OpenRow extends RequestRow {
  readonly position: RequestPosition;
  /** Requests from the beginning of the page on; at most one more than the page can have. */
  readonly found: number;
}

type Reader = { readonly database: Queryable; readonly seal: RequestSeal };

/** See RunStore.humanRequests. */
export async function readHumanRequests(
  { database, seal }: Reader,
  userId: string | null,
  runId: string,
): Promise<StoredRequest[]> {
  const { rows } = await database.query<RequestRow>({ ...OF_RUN, values: [runId, userId] });
  return withUsernames(database, opened(rows, seal));
}

/** See RunStore.openHumanRequests. */
export async function readOpenRequests(
  { database, seal }: Reader,
  userId: string,
  { flowId, runId = null, limit, after }: OpenRequestsQuery,
): Promise<OpenRequests> {
  const position = [after?.microseconds ?? null, after?.runId ?? null, after?.digest ?? null];
  const values = [userId, flowId, limit, MAXIMUM_BYTES, ...position, runId];
  const { rows } = await database.query<OpenRow>({ ...OPEN, values });
  const last = rows.at(-1);
  const isLast = last === undefined || last.found <= rows.length;
  const requests = await withUsernames(database, opened(rows, seal));
  return { requests, next: isLast ? null : last.position };
}

/** A request that cannot be read must not fail those beside it. */
function opened(rows: readonly RequestRow[], seal: RequestSeal): StoredRequest[] {
  return rows.flatMap(({ request, ...row }) => {
    const text = seal.tryReadText(request);
    if (text === null) return [];
    const answeredBy = Array.isArray(row.answeredBy) ? row.answeredBy : null;
    return [{ ...(JSON.parse(text) as HumanRequest), ...row, answeredBy }];
  });
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const USERNAMES = {
  name: 'human-requests-usernames',
  text: 'SELECT id, username FROM users WHERE id = ANY($1::uuid[])',
};

/** Resolves to the requests with the names of users in place of their ids, which remain of deleted ones. */
async function withUsernames(database: Queryable, requests: StoredRequest[]): Promise<StoredRequest[]> {
  const ids = new Set(requests.flatMap(({ answeredBy }) => (answeredBy ?? []).filter((id) => UUID.test(id))));
  if (ids.size === 0) return requests;
  const { rows } = await database.query<{ readonly id: string; readonly username: string }>({
    ...USERNAMES,
    values: [uuidArray([...ids])],
  });
  const names = new Map(rows.map(({ id, username }) => [id, username]));
  return requests.map((request) =>
    request.answeredBy
      ? { ...request, answeredBy: request.answeredBy.map((id) => names.get(id) ?? id) }
      : request,
  );
}

// A run that goes on has no waiting caller and joins the backlog, where the limits and the pause of its flow hold. Its sweeps keep
// it from counting as one that waits for its next attempt.
const TO_BACKLOG = `lane = 'background', sweeps = 1`;

// The row of the run decides between two answers that arrive at once. A request that is given twice counts twice, so that none is
// decided.
const DECIDE = {
  name: 'human-requests-decide',
  text: `WITH given AS (SELECT * FROM unnest($3::text[], $4::text[]) AS given (request_id, decision)), resumed AS (
      UPDATE runs SET status = 'accepted', ${TO_BACKLOG}, next_sweep_at = 'infinity'
      WHERE id = $1 AND user_id = $2 AND status = 'suspended' AND cardinality($3::text[]) = (
        SELECT count(*) FROM human_requests
        WHERE run_id = $1 AND decided_at IS NULL AND md5(request_id) IN (SELECT md5(request_id) FROM given))
      RETURNING id
    )
    UPDATE human_requests SET decided_at = now(), decision = given.decision, decided_by = $5
    FROM resumed, given WHERE run_id = resumed.id AND md5(human_requests.request_id) = md5(given.request_id)`,
};

/** The answers of a person to requests of one run. */
export interface GivenDecisions {
  readonly userId: string;
  readonly runId: string;
  /** By the id of the request; at least one. */
  readonly decisions: ReadonlyMap<string, HumanDecision>;
  /** The API key of the person; null for one without. */
  readonly decidedBy: string | null;
}

/** See RequestedRunChanges. */
export async function decideRequests(
  { database, seal }: Reader,
  { userId, runId, decisions, decidedBy }: GivenDecisions,
): Promise<boolean> {
  const values = [
    runId,
    userId,
    textArray([...decisions.keys()].map((id) => storableText(id))),
    textArray([...decisions.values()].map((decision) => seal.writeText(JSON.stringify(decision)))),
    decidedBy,
  ];
  return (await database.query({ ...DECIDE, values })).rowCount > 0;
}

const DUE = `SELECT DISTINCT ON (run_id) run_id, human_requests.request_id, fallback
  FROM human_requests JOIN runs ON runs.id = run_id AND runs.status = 'suspended'
  WHERE decided_at IS NULL AND due_at <= now() ORDER BY run_id, due_at LIMIT $1`;

// A run that another session locks is left to the next round.
const EXPIRE = {
  name: 'human-requests-expire',
  text: `WITH due AS MATERIALIZED (${DUE}), locked AS (
      SELECT runs.id, due.request_id, due.fallback FROM due JOIN runs ON runs.id = due.run_id
      WHERE runs.status = 'suspended' FOR UPDATE OF runs SKIP LOCKED
    ), over AS (
      UPDATE runs SET
        status = CASE WHEN locked.fallback IS NULL THEN 'timed_out' ELSE 'accepted' END,
        failure = CASE WHEN locked.fallback IS NULL THEN '${NOT_ANSWERED}' END,
        finished_at = CASE WHEN locked.fallback IS NULL THEN now() END,
        ${TO_BACKLOG}, next_sweep_at = CASE WHEN locked.fallback IS NOT NULL THEN 'infinity'::timestamptz END
      FROM locked WHERE runs.id = locked.id AND runs.status = 'suspended'
      RETURNING runs.id, runs.status, runs.flow_id, runs.user_id, runs.callback, runs.attempt, runs.request_id AS http_request,
        runs.failure, locked.request_id
    ), decided AS (
      UPDATE human_requests SET decided_at = now(), decision = $2 FROM over
      WHERE human_requests.run_id = over.id AND human_requests.request_id = over.request_id AND over.status = 'accepted'
    ), ended AS (SELECT id, status FROM over WHERE status = 'timed_out'), ${forgetSuspensionsSql('ended')}, reported AS (${insertCallbacksSql('over')})
    SELECT id AS "runId", flow_id AS "flowId", user_id AS "userId", status, failure, attempt, http_request AS "requestId"
    FROM over WHERE status = 'timed_out'`,
};

type ExpiredRow = Omit<FailedRun, 'failure'> & { readonly failure: string | null };

/** See RunStore.expireHumanRequests. */
export async function expireRequests({ database, seal }: Reader, limit: number): Promise<FailedRun[]> {
  const decision: HumanDecision = { action_id: FALLBACK_DECISION, values: {} };
  const values = [limit, seal.writeText(JSON.stringify(decision))];
  const { rows } = await database.query<ExpiredRow>({ ...EXPIRE, values });
  return rows.map(({ failure, ...run }) => ({ ...run, failure: readFailure(failure) }));
}
