import { textArray, uuidArray } from '@millrace/database';
import type { Database, Queryable } from '@millrace/database';
import { storableTextOrNull } from '@millrace/python-text';
import { parsedObject } from '../parsed-object';
import type {
  AttemptOutcome,
  CallbackAttempt,
  CallbackDelivery,
  CallbackState,
  DueCallback,
  ReportedRun,
  WaitingReport,
} from './callback-delivery';
import type { HumanRequest } from '@millrace/flow';
import type { RequestSeal } from '../encryption/request-seal';
import type { ObjectStore } from '../objects/object-store';
import { referenceOf, RunBodies } from '../objects/run-bodies';
import type { StoredRequest } from '../human-requests/stored-request';
import type { DecisionLinks } from '../human-requests/decision-links';
import { wholeText } from '../text-templates/whole-text';
import { CALLBACK_LIFETIME } from './insert-callbacks';

/** When another process takes over an attempt whose process ended. Longer than the longest attempt. */
const TAKEOVER = `interval '120 seconds'`;
/** A larger result is not part of a report. */
const MAXIMUM_RESULT_BYTES = 1_048_576;

const IS_PENDING = 'deliveries.due_at IS NOT NULL';
const STATE = `CASE WHEN ${IS_PENDING} THEN 'pending' WHEN deliveries.delivered_at IS NOT NULL THEN 'delivered'
  ELSE 'dead' END`;

// Visits each target with pending deliveries once, by the index, so that many deliveries of one target cost no more than
// a few and do not keep others waiting. Begins behind $5, so that users take turns.
const TAKE = {
  name: 'callbacks-take',
  text: `WITH RECURSIVE behind AS (
      (SELECT target FROM callback_deliveries WHERE due_at IS NOT NULL AND target > $5 ORDER BY target LIMIT 1)
      UNION ALL
      SELECT (SELECT further.target FROM callback_deliveries AS further
        WHERE further.due_at IS NOT NULL AND further.target > behind.target ORDER BY further.target LIMIT 1)
      FROM behind WHERE behind.target IS NOT NULL
    ), before AS (
      (SELECT target FROM callback_deliveries WHERE due_at IS NOT NULL AND target <= $5 ORDER BY target LIMIT 1)
      UNION ALL
      SELECT (SELECT further.target FROM callback_deliveries AS further
        WHERE further.due_at IS NOT NULL AND further.target > before.target AND further.target <= $5 ORDER BY further.target LIMIT 1)
      FROM before WHERE before.target IS NOT NULL
    ), targets AS (
      SELECT target FROM behind UNION ALL SELECT target FROM before
    ), allowed AS (
      SELECT targets.target, coalesce(busy.places, $1::int) AS places FROM targets
      LEFT JOIN unnest($3::text[], $4::int[]) AS busy (target, places) ON busy.target = targets.target
      WHERE targets.target IS NOT NULL AND coalesce(busy.places, 1) > 0
    ), chosen AS (
      SELECT due.id FROM allowed CROSS JOIN LATERAL (
        SELECT id FROM callback_deliveries WHERE target = allowed.target AND due_at <= now()
        ORDER BY due_at LIMIT allowed.places FOR UPDATE SKIP LOCKED
      ) AS due LIMIT $2
    ), taken AS (
      UPDATE callback_deliveries SET attempts = attempts + 1, due_at = now() + ${TAKEOVER}
      WHERE id IN (SELECT id FROM chosen) RETURNING *
    )
    SELECT taken.id, taken.user_id AS "userId", taken.kind, taken.url, taken.amqp, taken.target, taken.secrets,
      taken.attempts AS attempt, taken.attempts - taken.attempts_before_replay AS tries,
      coalesce(runs.id, (taken.budget ->> 'run_id')::uuid) AS "runId", taken.flow_id AS "flowId", taken.budget, taken.alert, runs.flow_version AS "flowVersion", runs.session_id AS "sessionId", runs.status,
      runs.attempt AS "runAttempt", runs.replay_of AS "replayOf", runs.accepted_at AS "acceptedAt",
      runs.finished_at AS "finishedAt", runs.failure AS "failureText", ${wholeText('usage')} AS "usageText",
      CASE WHEN octet_length(whole.result) <= ${MAXIMUM_RESULT_BYTES} THEN whole.result END AS "resultText",
      coalesce(octet_length(whole.result), 0) > ${MAXIMUM_RESULT_BYTES} AS "isResultTooLarge",
      asked.request, asked.paused_at AS "pausedAt", asked.due_at AS "requestDueAt"
    FROM taken LEFT JOIN runs ON runs.id = taken.run_id
      LEFT JOIN human_requests AS asked ON asked.run_id = taken.run_id
        AND md5(asked.request_id) = md5(taken.human_request) AND asked.decided_at IS NULL
      CROSS JOIN LATERAL (SELECT CASE WHEN taken.has_result THEN ${wholeText('result')} END AS result) AS whole ORDER BY taken.created_at`,
};

// Of an attempt that another process has taken over, or that ended before the delivery was replayed, only the log is written.
const FINISH = {
  name: 'callbacks-finish',
  text: `WITH ended AS (
      UPDATE callback_deliveries SET
        due_at = CASE WHEN $3::bigint IS NULL OR now() + $3 * interval '1 millisecond' > expires_at THEN NULL
          ELSE now() + $3 * interval '1 millisecond' END,
        delivered_at = CASE WHEN $4::boolean THEN now() END
      WHERE id = $1 AND attempts = $2 AND attempts > attempts_before_replay AND due_at IS NOT NULL RETURNING due_at, delivered_at
    ), logged AS (
      INSERT INTO callback_attempts (delivery_id, number, at, milliseconds, status, error, answer)
      SELECT id, $2, now() - $5::int * interval '1 millisecond', $5, $6, $7, $8 FROM callback_deliveries
      WHERE id = $1 ON CONFLICT DO NOTHING
    )
    SELECT CASE WHEN due_at IS NOT NULL THEN 'pending' WHEN delivered_at IS NOT NULL THEN 'delivered'
      ELSE 'dead' END AS state FROM ended`,
};

const EXPIRE = {
  name: 'callbacks-expire',
  text: `UPDATE callback_deliveries SET due_at = NULL WHERE id = ANY(ARRAY(
      SELECT id FROM callback_deliveries WHERE due_at IS NOT NULL AND expires_at < now()
      ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
};

const COUNT = {
  name: 'callbacks-count',
  text: `SELECT count(*)::int AS pending,
      coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS "oldestSeconds"
    FROM callback_deliveries WHERE due_at IS NOT NULL`,
};

const COLUMNS = `deliveries.id, coalesce(deliveries.run_id, (deliveries.budget ->> 'run_id')::uuid) AS "runId", deliveries.flow_id AS "flowId", deliveries.kind,
  deliveries.url, deliveries.amqp, ${STATE} AS state, deliveries.attempts, deliveries.due_at AS "dueAt",
  deliveries.created_at AS "createdAt", deliveries.delivered_at AS "deliveredAt", last.status AS "lastStatus",
  last.error AS "lastError"
  FROM callback_deliveries AS deliveries LEFT JOIN LATERAL (
    SELECT status, error FROM callback_attempts WHERE delivery_id = deliveries.id ORDER BY number DESC LIMIT 1
  ) AS last ON true`;

const LIST = {
  name: 'callbacks-list',
  text: `SELECT ${COLUMNS} WHERE deliveries.user_id = $1
      AND ($2::uuid IS NULL OR deliveries.flow_id = $2) AND ($3::uuid IS NULL OR deliveries.run_id = $3)
      AND ($4::text IS NULL OR ${STATE} = $4)
    ORDER BY deliveries.created_at DESC, deliveries.id DESC LIMIT $5 OFFSET $6`,
};

const FIND = {
  name: 'callbacks-find',
  text: `SELECT ${COLUMNS} WHERE deliveries.user_id = $1 AND deliveries.id = $2`,
};

const ATTEMPTS = {
  name: 'callbacks-attempts',
  text: `SELECT number, at, milliseconds, status, error, answer FROM callback_attempts
    WHERE delivery_id = $1 ORDER BY number DESC LIMIT 100`,
};

const REPLAY = {
  name: 'callbacks-replay',
  text: `UPDATE callback_deliveries SET due_at = now(), expires_at = now() + ${CALLBACK_LIFETIME},
      delivered_at = NULL, attempts_before_replay = attempts
    WHERE user_id = $1 AND id = ANY($2::uuid[]) AND due_at IS NULL RETURNING id`,
};

const DELETE = {
  name: 'callbacks-delete',
  text: `DELETE FROM callback_deliveries WHERE user_id = $1 AND id = $2`,
};

type DueRow = Omit<DueCallback, 'secrets' | 'run' | 'waiting'> &
  Omit<ReportedRun, 'id' | 'attempt'> &
  WaitingRow & {
    readonly secrets: string;
    readonly runId: string | null;
    readonly runAttempt: number;
  };

/** Null unless the report is about a request that waits. */
interface WaitingRow {
  /** As sealed. */
  readonly request: string | null;
  readonly pausedAt: Date | null;
  readonly requestDueAt: Date | null;
}

export interface CallbackStoreOptions {
  readonly database: Database;
  readonly seal: Pick<RequestSeal, 'tryReadText'>;
  readonly decisionLinks: Pick<DecisionLinks, 'of'>;
  /** With the large results; null, the default, when none is configured. */
  readonly objects?: ObjectStore | null;
}

export interface CallbackFilter {
  readonly flowId?: string | undefined;
  readonly runId?: string | undefined;
  readonly state?: CallbackState | undefined;
}

export interface TakeOptions {
  /** Maximum number of deliveries. */
  readonly limit: number;
  /** Maximum number of deliveries of one target. */
  readonly perTarget: number;
  /** For some targets how many deliveries can be taken; 0 for none. */
  readonly places: ReadonlyMap<string, number>;
  /** The user whose deliveries come last; those of the next user by id come first. */
  readonly after?: string | undefined;
}

/** See the methods of CallbackStore. */
export interface CallbackChanges {
  /** Resolves to the ids of the deliveries that will be attempted again; pending and foreign ones are left out. */
  replay(userId: string, ids: readonly string[]): Promise<string[]>;
  /** False when the user has no such delivery. */
  delete(userId: string, id: string): Promise<boolean>;
}

/** Stores the reports of the ends and pauses of runs and the log of their attempts. Deliveries are added with the end of a run. */
export class CallbackStore {
  readonly #database: Database;
  readonly #options: CallbackStoreOptions;
  readonly #bodies: RunBodies;

  constructor(options: CallbackStoreOptions) {
    this.#options = options;
    this.#database = options.database;
    this.#bodies = new RunBodies({ database: options.database, objects: options.objects ?? null });
  }

  /** Returns the changes that users request, whose statements join a transaction. */
  within(connection: Queryable): CallbackChanges {
    return {
      async replay(userId, ids) {
        const { rows } = await connection.query<{ id: string }>({
          ...REPLAY,
          values: [userId, uuidArray([...new Set(ids)])],
        });
        return rows.map(({ id }) => id);
      },
      async delete(userId, id) {
        const { rowCount } = await connection.query({ ...DELETE, values: [userId, id] });
        return rowCount > 0;
      },
    };
  }

  /** Takes deliveries that are due, each for one process. One that is not finished becomes due again. */
  async take({ limit, perTarget, places, after }: TakeOptions): Promise<DueCallback[]> {
    const { rows } = await this.#database.query<DueRow>({
      ...TAKE,
      values: [
        perTarget,
        limit,
        textArray([...places.keys()]),
        [...places.values()],
        // Sorts behind each target of the user, which is their id, a space and a receiver.
        after === undefined ? '' : `${after}!`,
      ],
    });
    return rows.map((row) => toDueCallback(row, this.#waiting(row)));
  }

  /** Reads a result that is in the object store. Rejects with ObjectStoreUnavailableError. */
  async whole(due: DueCallback): Promise<DueCallback> {
    const { id, resultText: found } = due.run;
    const reference = referenceOf(found);
    if (reference === null || id === null) return due;
    const isLarge = (bytes: number) => bytes > MAXIMUM_RESULT_BYTES;
    const text = isLarge(reference.bytes) ? null : await this.#bodies.whole(id, 'result', found);
    const isResultTooLarge = isLarge(text === null ? reference.bytes : Buffer.byteLength(text));
    return { ...due, run: { ...due.run, resultText: isResultTooLarge ? null : text, isResultTooLarge } };
  }

  /** Stores the outcome of an attempt. Resolves to the state of the delivery; null when another process has it. */
  async finish(outcome: AttemptOutcome): Promise<CallbackState | null> {
    const { id, attempt, retryIn, milliseconds, status, error, answer } = outcome;
    const delay = typeof retryIn === 'number' ? Math.round(retryIn) : null;
    const texts = [storableTextOrNull(error), storableTextOrNull(answer)];
    const values = [id, attempt, delay, retryIn === null, Math.round(milliseconds), status, ...texts];
    const { rows } = await this.#database.query<{ state: CallbackState }>({ ...FINISH, values });
    return rows[0]?.state ?? null;
  }

  /** Ends up to `limit` deliveries whose time is over without an attempt; resolves to their number. */
  async expire(limit: number): Promise<number> {
    return (await this.#database.query({ ...EXPIRE, values: [limit] })).rowCount;
  }

  /** Counts the pending deliveries of all users; the oldest one's age is in seconds. */
  async count(): Promise<{ readonly pending: number; readonly oldestSeconds: number }> {
    const { rows } = await this.#database.query<{ pending: number; oldestSeconds: number }>(COUNT);
    return rows[0] ?? { pending: 0, oldestSeconds: 0 };
  }

  /** Lists deliveries, newest first. */
  async list(
    userId: string,
    { flowId, runId, state }: CallbackFilter,
    { limit, offset }: { readonly limit: number; readonly offset: number },
  ): Promise<CallbackDelivery[]> {
    const values = [userId, flowId, runId, state, limit, offset];
    return (await this.#database.query<CallbackDelivery>({ ...LIST, values })).rows;
  }

  async find(userId: string, id: string): Promise<CallbackDelivery | null> {
    const { rows } = await this.#database.query<CallbackDelivery>({ ...FIND, values: [userId, id] });
    return rows[0] ?? null;
  }

  #waiting(row: DueRow): WaitingReport | null {
    const { userId, runId, flowId, sessionId, acceptedAt, pausedAt, requestDueAt: dueAt } = row;
    const { seal, decisionLinks } = this.#options;
    const text = row.request === null ? null : seal.tryReadText(row.request);
    if (text === null || pausedAt === null || runId === null) return null;
    const decision = { decidedAt: null, decidedBy: null };
    const stored = { userId, runId, flowId, sessionId, acceptedAt, pausedAt, dueAt, ...decision };
    const request: StoredRequest = { ...(JSON.parse(text) as HumanRequest), ...stored };
    return { request, links: decisionLinks.of(request) };
  }

  /** Lists the last 100 attempts of a delivery, newest first. */
  async attempts(id: string): Promise<CallbackAttempt[]> {
    return (await this.#database.query<CallbackAttempt>({ ...ATTEMPTS, values: [id] })).rows;
  }
}

function toDueCallback(
  { runId, runAttempt, secrets, ...row }: Omit<DueRow, keyof WaitingRow>,
  waiting: WaitingReport | null,
): DueCallback {
  const { id, userId, kind, url, amqp, target, attempt, tries, budget, alert, ...run } = row;
  return {
    id,
    userId,
    kind,
    url,
    amqp,
    target,
    attempt,
    tries,
    secrets: namesOf(secrets),
    run: { ...run, id: runId, attempt: runAttempt },
    waiting,
    budget,
    alert,
  };
}

function namesOf(text: string): readonly string[] {
  const names: unknown = parsedObject(text);
  return Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string') : [];
}
