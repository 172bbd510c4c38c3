import type { Queryable } from '@millrace/database';
import type { FlowSettings } from '@millrace/flow';
import { storableJson } from '../storable-json';
import type { FlowChanges } from './flow-record';
import { FlowVersionConflictError } from './flow-version-conflict-error';
import { projectOfFlow } from './project-of-flow';

interface CurrentState {
  readonly flowId: string;
  readonly version: number;
  readonly versionToken: string;
  readonly updatedAt: Date;
  readonly settings: FlowSettings;
}

const JSON_COLUMNS: ReadonlySet<string> = new Set(['settings', 'attributes']);

/**
 * Applies the changes; false when the user has no such flow. Throws FlowVersionConflictError. Must be called in a
 * transaction.
 */
export async function updateFlow(
  connection: Queryable,
  userId: string,
  id: string,
  changes: FlowChanges,
): Promise<boolean> {
  const { rows } = await connection.query<CurrentState>({
    text: `SELECT id AS "flowId", version, version_token AS "versionToken", updated_at AS "updatedAt", settings
      FROM flows WHERE id = $1 AND user_id = $2 FOR NO KEY UPDATE`,
    values: [id, userId],
  });
  const [current] = rows;
  if (current === undefined) return false;
  const { expectedVersionToken: expected = current.versionToken } = changes;
  if (expected !== current.versionToken) throw new FlowVersionConflictError(current);
  const version =
    changes.document === undefined
      ? current.version
      : await addVersion(connection, id, current.version, changes);
  const columns = changedColumns(await inProject(connection, userId, changes), current.settings);
  const assignments = columns.map(([column], index) => `${column} = $${index + 3}`);
  const differences = columns.map(([column], index) => differs(column, `$${index + 3}`));
  // Values that a flow has already leave it as it is, as in Langflow: its token and its time stay.
  const isChanged = ['version <> $2', ...differences].join(' OR ');
  const updated = [
    'version = $2',
    `updated_at = CASE WHEN ${isChanged} THEN now() ELSE updated_at END`,
    `version_token = CASE WHEN ${isChanged} THEN gen_random_uuid() ELSE version_token END`,
  ];
  await connection.query({
    text: `UPDATE flows SET ${updated.concat(assignments).join(', ')} WHERE id = $1`,
    values: [id, version, ...columns.map(([, value]) => value)],
  });
  return true;
}

/** Replaces a project that the user does not have by the default one. */
async function inProject(connection: Queryable, userId: string, changes: FlowChanges): Promise<FlowChanges> {
  const { folderId: named } = changes;
  return named === undefined
    ? changes
    : { ...changes, folderId: await projectOfFlow(connection, userId, named) };
}

function differs(column: string, value: string): string {
  return JSON_COLUMNS.has(column)
    ? `${column}::jsonb IS DISTINCT FROM ${value}::json::jsonb`
    : `${column} IS DISTINCT FROM ${value}`;
}

/** Resolves to the version with this document: the current version when the text is the same. */
async function addVersion(
  connection: Queryable,
  flowId: string,
  version: number,
  { document, restoredFrom }: FlowChanges,
): Promise<number> {
  const { rowCount } = await connection.query({
    text: `INSERT INTO flow_versions (flow_id, version, document, restored_from)
      SELECT flow_id, version + 1, $3::text::json, $4::int FROM flow_versions
      WHERE flow_id = $1 AND version = $2 AND document::text <> $3`,
    values: [flowId, version, JSON.stringify(document), restoredFrom ?? null],
  });
  return version + rowCount;
}

function changedColumns(
  changes: FlowChanges,
  stored: FlowSettings,
): (readonly [column: string, value: unknown])[] {
  const settings = typeof changes.settings === 'function' ? changes.settings(stored) : changes.settings;
  const values: (readonly [string, unknown])[] = [
    ['name', changes.name],
    ['description', changes.description],
    ['endpoint_name', changes.endpointName],
    ['settings', settings && storableJson(settings)],
    ['attributes', changes.attributes && storableJson(changes.attributes)],
    ['is_component', changes.isComponent],
    ['webhook', changes.webhook],
    ['folder_id', changes.folderId],
    ['needs_python', changes.document === undefined ? changes.needsPython : (changes.needsPython ?? null)],
  ];
  return values.filter(([, value]) => value !== undefined);
}
