import type { Database, Queryable } from '@millrace/database';
import { retryOnDeadlock } from '../retry-on-deadlock';

const ROWS_AT_ONCE = 10_000;

/**
 * See FlowStore.delete. What a busy flow has gathered goes in parts, so that no statement takes long; the last part
 * goes together with the flow, and until then the flow is there and can be deleted again.
 */
export async function deleteFlow(database: Database, userId: string, id: string): Promise<boolean> {
  const { rows } = await database.query({
    text: `SELECT FROM flows WHERE id = $1 AND user_id = $2`,
    values: [id, userId],
  });
  if (rows.length === 0) return false;
  for (const table of ['messages', 'runs'] as const) {
    while ((await deleteSome(database, table, id)) === ROWS_AT_ONCE);
  }
  return retryOnDeadlock(() => database.transaction((connection) => deleteRest(connection, userId, id)));
}

async function deleteSome(database: Database, table: 'messages' | 'runs', flowId: string): Promise<number> {
  const { rowCount } = await retryOnDeadlock(() =>
    database.query({
      text: `DELETE FROM ${table} WHERE id = ANY(ARRAY(SELECT id FROM ${table} WHERE flow_id = $1 LIMIT ${ROWS_AT_ONCE}))`,
      values: [flowId],
    }),
  );
  return rowCount;
}

async function deleteRest(connection: Queryable, userId: string, id: string): Promise<boolean> {
  const { rowCount } = await connection.query({
    text: `DELETE FROM flows WHERE id = $1 AND user_id = $2`,
    values: [id, userId],
  });
  if (rowCount === 0) return false;
  await connection.query({ text: `DELETE FROM messages WHERE flow_id = $1`, values: [id] });
  await connection.query({ text: `DELETE FROM runs WHERE flow_id = $1`, values: [id] });
  return true;
}
