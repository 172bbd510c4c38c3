import { wholeText } from '../text-templates/whole-text';
import type { Queryable } from '@millrace/database';
import { storableTextOrNull } from '@millrace/python-text';
import type { RunStatus } from '../run-record/run-record';
import type { RunTrace, StoredTrace } from './run-trace';
import type { RunUsage } from '../run-record/run-usage';

/** Traces beyond these are not counted, so that a count has a bounded cost. */
const MAXIMUM_COUNTED_TRACES = 10_000;

/** Selects traces of a user. */
export interface TraceFilter {
  readonly flowId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly statuses?: readonly RunStatus[] | undefined;
  /** A part of the flow's name, the run's id or the session's id, in any case. */
  readonly text?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

const COLUMNS = `run_traces.run_id AS "runId", run_traces.flow_id AS "flowId", flows.name AS "flowName",
  runs.session_id AS "sessionId", runs.status, runs.accepted_at AS "acceptedAt", runs.finished_at AS "finishedAt",
  ${wholeText('usage')} AS usage, run_traces.body`;

const FIND = {
  name: 'traces-find',
  text: `SELECT ${COLUMNS} FROM run_traces JOIN runs ON runs.id = run_traces.run_id
    JOIN flows ON flows.id = run_traces.flow_id
    WHERE run_traces.run_id = $1 AND run_traces.user_id = $2`,
};

// The newest of each flow, then the newest of all: the index has the traces of a flow in the order of time.
const MATCHING = `FROM run_traces JOIN runs ON runs.id = run_traces.run_id
  WHERE run_traces.flow_id = flows.id AND run_traces.user_id = $1
    AND ($3::text IS NULL OR runs.session_id = $3)
    AND ($4::text[] IS NULL OR runs.status = ANY($4))
    AND ($5::text IS NULL OR strpos(lower(flows.name), $5) > 0 OR strpos(run_traces.run_id::text, $5) > 0
      OR strpos(lower(runs.session_id), $5) > 0)
    AND ($6::timestamptz IS NULL OR runs.accepted_at >= $6) AND ($7::timestamptz IS NULL OR runs.accepted_at <= $7)`;

const OF_FLOWS = `WHERE flows.user_id = $1 AND ($2::uuid IS NULL OR flows.id = $2)`;

const LIST = {
  name: 'traces-list',
  text: `SELECT found.* FROM flows CROSS JOIN LATERAL (
      SELECT ${COLUMNS} ${MATCHING} ORDER BY run_traces.run_id DESC LIMIT $8::int + $9::int
    ) AS found ${OF_FLOWS} ORDER BY found."runId" DESC LIMIT $8 OFFSET $9`,
};

const COUNT = {
  name: 'traces-count',
  text: `SELECT count(*)::int AS count FROM (
      SELECT 1 FROM flows CROSS JOIN LATERAL (SELECT 1 ${MATCHING} LIMIT $8) AS found ${OF_FLOWS} LIMIT $8
    ) AS counted`,
};

const DELETE_BATCH = {
  name: 'traces-delete',
  text: `DELETE FROM run_traces WHERE run_id = ANY(ARRAY(
      SELECT run_id FROM run_traces WHERE flow_id = $2 AND user_id = $1 LIMIT $3))`,
};

type TraceRow = Omit<StoredTrace, 'trace' | 'usage'> & {
  readonly body: string;
  readonly usage: string | null;
};

/** Reads and deletes the traces of runs. They are written with the ends of runs (RunStore). */
export class TraceStore {
  readonly #database: Queryable;

  constructor({ database }: { readonly database: Queryable }) {
    this.#database = database;
  }

  /** Returns a store whose statements are part of a transaction. */
  within(connection: Queryable): TraceStore {
    return new TraceStore({ database: connection });
  }

  /** Null when the user has no such run, or when it has no trace. */
  async find(userId: string, runId: string): Promise<StoredTrace | null> {
    const { rows } = await this.#database.query<TraceRow>({ ...FIND, values: [runId, userId] });
    return rows[0] === undefined ? null : toStoredTrace(rows[0]);
  }

  /** Lists the user's traces, the newest first. */
  async list(
    userId: string,
    filter: TraceFilter,
    { limit, offset = 0 }: { readonly limit: number; readonly offset?: number },
  ): Promise<StoredTrace[]> {
    const values = [...filterValues(userId, filter), limit, offset];
    const { rows } = await this.#database.query<TraceRow>({ ...LIST, values });
    return rows.map(toStoredTrace);
  }

  /** Counts the user's traces, up to 10,000. */
  async count(userId: string, filter: TraceFilter): Promise<number> {
    const values = [...filterValues(userId, filter), MAXIMUM_COUNTED_TRACES];
    const { rows } = await this.#database.query<{ count: number }>({ ...COUNT, values });
    return rows[0]?.count ?? 0;
  }

  /** Deletes the trace of a run; false when the user has none. */
  async delete(userId: string, runId: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'traces-delete-one',
      text: 'DELETE FROM run_traces WHERE run_id = $1 AND user_id = $2',
      values: [runId, userId],
    });
    return rowCount > 0;
  }

  /** Deletes traces of a flow, up to a limit; resolves to their number. */
  async deleteOfFlow(userId: string, flowId: string, limit: number): Promise<number> {
    const { rowCount } = await this.#database.query({ ...DELETE_BATCH, values: [userId, flowId, limit] });
    return rowCount;
  }
}

function filterValues(userId: string, filter: TraceFilter): unknown[] {
  const { flowId, sessionId, statuses, text, from, to } = filter;
  return [
    userId,
    flowId ?? null,
    storableTextOrNull(sessionId),
    statuses ?? null,
    storableTextOrNull(text?.toLowerCase()),
    from ?? null,
    to ?? null,
  ];
}

function toStoredTrace({ body, usage, ...row }: TraceRow): StoredTrace {
  return {
    ...row,
    usage: usage === null ? null : (JSON.parse(usage) as RunUsage),
    trace: JSON.parse(body) as RunTrace,
  };
}
