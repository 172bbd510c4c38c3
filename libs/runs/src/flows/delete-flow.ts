import type { Queryable, Transactional } from '@millrace/database';
import type { TransactionEnd } from '../audit/audit-log';
import { retryOnDeadlock } from '../retry-on-deadlock';

const BATCH_SIZE = 10_000;

export interface DeletedFlow {
  readonly name: string;
}

interface FlowDeletion {
  readonly userId: string;
  readonly id: string;
  readonly onDeleted: TransactionEnd<DeletedFlow> | undefined;
}

/**
 * See FlowStore.delete. Deletes messages and runs in batches, so that no statement takes long. The last batch goes in
 * the same transaction as the flow: until then the flow exists and the deletion can be repeated.
 */
export async function deleteFlow(database: Transactional, deletion: FlowDeletion): Promise<boolean> {
  const { userId, id } = deletion;
  const { rows } = await database.query({
    text: `SELECT FROM flows WHERE id = $1 AND user_id = $2`,
    values: [id, userId],
  });
  if (rows.length === 0) return false;
  for (const table of ['messages', 'runs'] as const) {
    while ((await deleteBatch(database, table, id)) === BATCH_SIZE);
  }
  return retryOnDeadlock(() => database.transaction((connection) => deleteRemaining(connection, deletion)));
}

async function deleteBatch(database: Queryable, table: 'messages' | 'runs', flowId: string): Promise<number> {
  const { rowCount } = await retryOnDeadlock(() =>
    database.query({
      text: `DELETE FROM ${table} WHERE id = ANY(ARRAY(SELECT id FROM ${table} WHERE flow_id = $1 LIMIT ${BATCH_SIZE}))`,
      values: [flowId],
    }),
  );
  return rowCount;
}

async function deleteRemaining(
  connection: Queryable,
  { userId, id, onDeleted }: FlowDeletion,
): Promise<boolean> {
  const { rows } = await connection.query<DeletedFlow>({
    text: `DELETE FROM flows WHERE id = $1 AND user_id = $2 RETURNING name`,
    values: [id, userId],
  });
  const [deleted] = rows;
  if (deleted === undefined) return false;
  await connection.query({ text: `DELETE FROM messages WHERE flow_id = $1`, values: [id] });
  await connection.query({ text: `DELETE FROM runs WHERE flow_id = $1`, values: [id] });
  await onDeleted?.(connection, deleted);
  return true;
}
