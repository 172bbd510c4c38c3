import type { Queryable } from '@millrace/database';

/** A version of a flow. */
export interface FlowVersion {
  readonly version: number;
  readonly createdAt: Date;
  /** The version that was activated again as this one; null for a new document. */
  readonly restoredFrom: number | null;
  /** New runs use this version. */
  readonly isActive: boolean;
}

export interface FlowVersionDocument extends FlowVersion {
  readonly document: unknown;
}

export interface FlowVersionPage {
  readonly limit: number;
  /** Only versions before this one. */
  readonly before?: number | undefined;
}

const COLUMNS = `flow_versions.version, flow_versions.created_at AS "createdAt",
  flow_versions.restored_from AS "restoredFrom", flow_versions.version = flows.version AS "isActive"`;

/** See FlowStore.versions. */
export async function listVersions(
  connection: Queryable,
  userId: string,
  flowId: string,
  { limit, before }: FlowVersionPage,
): Promise<FlowVersion[]> {
  const { rows } = await connection.query<FlowVersion>({
    text: `SELECT ${COLUMNS} FROM flows JOIN flow_versions ON flow_versions.flow_id = flows.id
      WHERE flows.id = $1 AND flows.user_id = $2 AND ($3::int IS NULL OR flow_versions.version < $3)
      ORDER BY flow_versions.version DESC LIMIT $4`,
    values: [flowId, userId, before ?? null, limit],
  });
  return rows;
}

/** See FlowStore.version. */
export async function findVersion(
  connection: Queryable,
  userId: string,
  flowId: string,
  version: number,
): Promise<FlowVersionDocument | null> {
  const { rows } = await connection.query<FlowVersionDocument>({
    text: `SELECT ${COLUMNS}, flow_versions.document FROM flows
      JOIN flow_versions ON flow_versions.flow_id = flows.id
      WHERE flows.id = $1 AND flows.user_id = $2 AND flow_versions.version = $3`,
    values: [flowId, userId, version],
  });
  return rows[0] ?? null;
}
