import type { Queryable } from '@millrace/database';
import { uuidv7 } from '@millrace/service';
import type { RunStatus } from './run-record';

/** Statuses in which a run can be replayed. */
const REPLAYABLE_STATUSES: readonly RunStatus[] = ['dead', 'failed', 'timed_out'];

const REPLAY_KEY = `old.flow_id || ':replay:' || old.id`;

// Uses the current version of the flow: a replay often follows a fix of the flow.
const REPLAY = {
  name: 'runs-replay',
  text: `INSERT INTO runs (id, flow_id, flow_version, user_id, lane, pool, origin, request, session_id, dedupe_key,
      limit_milliseconds, maximum_attempts, retry, replay_of, request_id, traceparent, status, durable, accepted_at, next_sweep_at)
    SELECT given.new_id, old.flow_id, flows.version, old.user_id, 'background',
      coalesce(flows.settings ->> 'pool', CASE WHEN flows.needs_python THEN $6::text END, 'default'), old.origin, old.request, old.session_id, ${REPLAY_KEY},
      old.limit_milliseconds, old.maximum_attempts - old.retries, flows.settings ->> 'retry', old.id, $5, $7, 'accepted',
      true, now(), 'infinity'
    FROM unnest($2::uuid[], $3::uuid[]) AS given (old_id, new_id)
    JOIN runs AS old ON old.id = given.old_id JOIN flows ON flows.id = old.flow_id
    WHERE old.user_id = $1 AND old.status = ANY($4::text[]) AND old.request IS NOT NULL
    ORDER BY old.id ON CONFLICT DO NOTHING RETURNING replay_of AS "oldId"`,
};

const REPLAYS = {
  name: 'runs-replays',
  text: `SELECT old.id AS "oldId", replay.id FROM runs AS old
    JOIN runs AS replay ON replay.flow_id = old.flow_id AND replay.dedupe_key = ${REPLAY_KEY}
    WHERE old.id = ANY($2::uuid[]) AND old.user_id = $1`,
};

export interface ReplayOptions {
  readonly requestId: string | null;
  readonly pythonPool: string | null;
  readonly traceparent: string | null;
}

export interface Replays {
  /** The id of the replay by the id of the run. */
  readonly ids: Map<string, string>;
  /** The runs among them that had no replay before. */
  readonly created: ReadonlySet<string>;
}

/** See RunStore.replay. Takes two statements for any number of runs. */
export async function replayRuns(
  database: Queryable,
  userId: string,
  runIds: readonly string[],
  { requestId, pythonPool, traceparent }: ReplayOptions,
): Promise<Replays> {
  const ids = [...new Set(runIds)];
  const newIds = ids.map(() => uuidv7());
  const inserted = await database.query<{ oldId: string }>({
    ...REPLAY,
    values: [userId, ids, newIds, REPLAYABLE_STATUSES, requestId, pythonPool, traceparent],
  });
  const { rows } = await database.query<{ oldId: string; id: string }>({ ...REPLAYS, values: [userId, ids] });
  return {
    ids: new Map(rows.map(({ oldId, id }) => [oldId, id])),
    created: new Set(inserted.rows.map(({ oldId }) => oldId)),
  };
}
