import type { Database } from '@millrace/database';
import type { TriggerKind } from '../../run-record/trigger-kind';

/** What people call the parts of a run. */
export interface RunNames {
  readonly username: string;
  readonly flowName: string;
  /** The trigger whose event started the run, or the run that it replays; null for other runs. */
  readonly trigger: { readonly id: string; readonly name: string; readonly kind: TriggerKind } | null;
}

interface NamesRow extends Omit<RunNames, 'trigger'> {
  readonly id: string;
  readonly triggerId: string | null;
  readonly triggerName: string;
  readonly triggerKind: TriggerKind;
}

/** Reads the names of runs of any user by the ids of the runs, for pages of a list and for changes. */
export async function readRunNames(
  database: Pick<Database, 'query'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RunNames>> {
  if (ids.length === 0) return new Map();
  const { rows } = await database.query<NamesRow>({
    name: 'runs-names',
    text: `SELECT runs.id, users.username, flows.name AS "flowName", started_by.id AS "triggerId",
        started_by.name AS "triggerName", started_by.kind AS "triggerKind"
      FROM runs JOIN users ON users.id = runs.user_id JOIN flows ON flows.id = runs.flow_id
      LEFT JOIN LATERAL (
        SELECT triggers.id, triggers.name, triggers.kind
        FROM trigger_events JOIN triggers ON triggers.id = trigger_events.trigger_id
        WHERE trigger_events.run_id = ANY(ARRAY[runs.id, runs.replay_of]) LIMIT 1
      ) AS started_by ON true
      WHERE runs.id = ANY($1::uuid[])`,
    values: [ids],
  });
  return new Map(
    rows.map(({ id, username, flowName, triggerId, triggerName: name, triggerKind: kind }) => [
      id,
      { username, flowName, trigger: triggerId === null ? null : { id: triggerId, name, kind } },
    ]),
  );
}
