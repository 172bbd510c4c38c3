import type { Queryable } from '@millrace/database';
import { unstorableCharacter } from '@millrace/http';
import type { FlowSummary } from './flow-record';
import { parseUuid } from './parse-uuid';

const COLUMNS = `id, name, description, version, endpoint_name AS "endpointName", created_at AS "createdAt"`;

/** See FlowStore.findSummary. */
export async function findSummary(
  connection: Queryable,
  userId: string,
  reference: string,
): Promise<FlowSummary | null> {
  // No flow can have such a name, and the database would reject it as a parameter.
  if (unstorableCharacter(reference) !== null) return null;
  const { rows } = await connection.query<FlowSummary>({
    name: 'flow-summary',
    text: `SELECT ${COLUMNS} FROM flows
      WHERE user_id = $1 AND NOT is_component AND (id = $2 OR (md5(name) = md5($3) AND name = $3)
        OR (md5(endpoint_name) = md5($3) AND endpoint_name = $3))
      ORDER BY id IS NOT DISTINCT FROM $2 DESC, name = $3 DESC LIMIT 1`,
    values: [userId, parseUuid(reference), reference],
  });
  return rows[0] ?? null;
}

/** See FlowStore.listSummaries. */
export async function listSummaries(
  connection: Queryable,
  userId: string,
  limit: number,
): Promise<FlowSummary[]> {
  const { rows } = await connection.query<FlowSummary>({
    text: `SELECT ${COLUMNS} FROM flows WHERE user_id = $1 AND NOT is_component ORDER BY name, id LIMIT $2`,
    values: [userId, limit],
  });
  return rows;
}
