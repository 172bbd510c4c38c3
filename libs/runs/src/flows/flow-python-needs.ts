import type { Queryable } from '@millrace/database';
import type { UnclassifiedFlow } from './flow-record';

/** See FlowStore.unclassified. */
export async function unclassifiedFlows(connection: Queryable, limit: number): Promise<UnclassifiedFlow[]> {
  const { rows } = await connection.query<UnclassifiedFlow>({
    text: `SELECT flows.id, flows.version, flow_versions.document
      FROM flows JOIN flow_versions ON flow_versions.flow_id = flows.id AND flow_versions.version = flows.version
      WHERE flows.needs_python IS NULL ORDER BY flows.id LIMIT $1`,
    values: [limit],
  });
  return rows;
}

/** See FlowStore.classify. */
export async function classifyFlow(
  connection: Queryable,
  { id, version }: Pick<UnclassifiedFlow, 'id' | 'version'>,
  needsPython: boolean,
): Promise<void> {
  await connection.query({
    text: `UPDATE flows SET needs_python = $3 WHERE id = $1 AND version = $2 AND needs_python IS NULL`,
    values: [id, version, needsPython],
  });
}
