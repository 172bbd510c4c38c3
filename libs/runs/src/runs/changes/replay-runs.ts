import { parseUuid } from '../../flows/parse-uuid';
import { wholeText } from '../../text-templates/whole-text';
import type { Queryable, Transactional } from '@millrace/database';
import { uuidv7 } from '@millrace/service';
import type { RunStatus } from '../../run-record/run-record';

/** Statuses in which a run can be replayed. */
export const REPLAYABLE_STATUSES: readonly RunStatus[] = ['dead', 'failed', 'timed_out'];

/** The dedupe key of a run's replay: a run has one. */
function replayKey(run: string): string {
  return `${run}.flow_id || ':replay:' || ${run}.id`;
}

/** The dedupe key of the replay of a row of `runs`. */
export const REPLAY_KEY_OF_RUN = replayKey('runs');

/** The version of the flow that a replay runs: that of the old run, or the current one. */
export type ReplayedVersion = 'same' | 'current';

// A version that is in use now is not deleted: the replay, which refers to it, is not visible to others yet.
const USE_VERSIONS = {
  name: 'flow-versions-use',
  text: `UPDATE flow_versions SET used_at = now() FROM (
      SELECT DISTINCT flow_id, flow_version FROM runs
      WHERE id = ANY($2::uuid[]) AND user_id = $1 ORDER BY flow_id, flow_version
    ) AS wanted
    WHERE flow_versions.flow_id = wanted.flow_id AND flow_versions.version = wanted.flow_version`,
};

// A replay with another request is a further run, however the run ended and however often it is replayed.
const DEDUPE_KEY = `CASE WHEN $9::text IS NULL THEN ${replayKey('old')} END`;

// What another request spends is spent by who asks for it. The other runs go on with the key that they had, while it exists.
const KEY_ID = `CASE WHEN $9::text IS NOT NULL THEN coalesce($11::uuid, old.key_id)
  ELSE coalesce((SELECT id FROM api_keys WHERE api_keys.id = old.key_id), $11, old.key_id) END`;

// The current version by default: a replay often follows a fix of the flow. The settings are always the current ones.
// Whether another version needs Python is unknown, so that its replay goes to the pool of the old run.
const REPLAY = {
  name: 'runs-replay',
  text: `INSERT INTO runs (id, flow_id, flow_version, user_id, lane, pool, origin, request, session_id, dedupe_key,
      limit_milliseconds, maximum_attempts, retry, replay_of, request_id, traceparent, callback, key_id, status, durable, accepted_at,
      next_sweep_at)
    SELECT given.new_id, old.flow_id, flow_versions.version, old.user_id, 'background',
      coalesce(readable_json(flows.settings::text) ->> 'pool', CASE WHEN $7 AND old.flow_version <> flows.version THEN old.pool END,
        CASE WHEN flows.needs_python THEN $6::text END, 'default'),
      old.origin, coalesce($9, ${wholeText('request', 'old')}), coalesce($10::text, old.session_id), ${DEDUPE_KEY}, old.limit_milliseconds,
      old.maximum_attempts - old.retries, (readable_json(flows.settings::text) -> 'retry')::text, old.id, $5, $8, old.callback, ${KEY_ID}, 'accepted', true, now(),
      'infinity'
    FROM unnest($2::uuid[], $3::uuid[]) AS given (old_id, new_id)
    JOIN runs AS old ON old.id = given.old_id JOIN flows ON flows.id = old.flow_id
    JOIN flow_versions ON flow_versions.flow_id = flows.id
      AND flow_versions.version = CASE WHEN $7::boolean THEN old.flow_version ELSE flows.version END
    WHERE old.user_id = $1 AND (old.status = ANY($4::text[]) OR $9 IS NOT NULL) AND old.request IS NOT NULL
    ORDER BY old.id ON CONFLICT DO NOTHING RETURNING replay_of AS "oldId"`,
};

const REPLAYS = {
  name: 'runs-replays',
  text: `SELECT old.id AS "oldId", replay.id FROM runs AS old
    JOIN runs AS replay ON replay.flow_id = old.flow_id AND replay.dedupe_key = ${replayKey('old')}
    WHERE old.id = ANY($2::uuid[]) AND old.user_id = $1`,
};

/** Another request for a replay, as the column has it. */
export interface ReplayedRequest {
  readonly text: string;
  readonly sessionId: string;
}

export interface ReplayOptions {
  readonly requestId: string | null;
  readonly pythonPool: string | null;
  readonly traceparent: string | null;
  readonly version: ReplayedVersion;
  /** API key that asks for the replay: that of a replay with another request, and of runs whose key does not exist any more. */
  readonly keyId?: string | null;
}

/** Options of a replay with another request. */
export interface ChangedReplayOptions extends ReplayOptions {
  readonly request: ReplayedRequest;
}

export interface Replays {
  /** The id of the replay by the id of the run. */
  readonly ids: Map<string, string>;
  /** The runs among them that had no replay before. */
  readonly created: ReadonlySet<string>;
}

/** See RunStore.replay. Takes two statements for any number of runs, and for the same version two more. */
export async function replayRuns(
  database: Transactional,
  userId: string,
  runIds: readonly string[],
  options: ReplayOptions,
): Promise<Replays> {
  const ids = [...new Set(runIds)];
  const inserted = await insertReplays(database, userId, { ids, newIds: ids.map(() => uuidv7()) }, options);
  const { rows } = await database.query<{ oldId: string; id: string }>({ ...REPLAYS, values: [userId, ids] });
  return {
    ids: new Map(rows.map(({ oldId, id }) => [oldId, id])),
    created: new Set(inserted),
  };
}

/** Starts a run with another request in the place of that of a run. Resolves to its id; null when there is no such run. */
export async function replayChanged(
  database: Transactional,
  userId: string,
  runId: string,
  options: ChangedReplayOptions,
): Promise<string | null> {
  const newId = uuidv7();
  const inserted = await insertReplays(database, userId, { ids: [runId], newIds: [newId] }, options);
  return inserted.length > 0 ? newId : null;
}

/** Resolves to the ids of the runs that are replayed. */
async function insertReplays(
  database: Transactional,
  userId: string,
  { ids, newIds }: { readonly ids: readonly string[]; readonly newIds: readonly string[] },
  {
    requestId,
    pythonPool,
    traceparent,
    version,
    keyId = null,
    request = null,
  }: ReplayOptions & { readonly request?: ReplayedRequest | null },
): Promise<readonly string[]> {
  const isSame = version === 'same';
  const changed = [request?.text ?? null, request?.sessionId ?? null];
  const insert = (connection: Queryable) =>
    connection.query<{ oldId: string }>({
      ...REPLAY,
      values: [
        userId,
        ids,
        newIds,
        REPLAYABLE_STATUSES,
        requestId,
        pythonPool,
        isSame,
        traceparent,
        ...changed,
        keyId ? parseUuid(keyId) : null,
      ],
    });
  const { rows } = isSame
    ? await database.transaction(async (connection) => {
        await connection.query({ ...USE_VERSIONS, values: [userId, ids] });
        return insert(connection);
      })
    : await insert(database);
  return rows.map(({ oldId }) => oldId);
}
