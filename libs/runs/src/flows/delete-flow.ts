import type { Queryable } from '@millrace/database';

/** Deletes a flow and all that hangs on it; false when the user has no such flow. To be called in a transaction. */
export async function deleteFlow(connection: Queryable, userId: string, id: string): Promise<boolean> {
  const { rowCount } = await connection.query({
    text: `DELETE FROM flows WHERE id = $1 AND user_id = $2`,
    values: [id, userId],
  });
  if (rowCount === 0) return false;
  await connection.query({ text: `DELETE FROM messages WHERE flow_id = $1`, values: [id] });
  await connection.query({ text: `DELETE FROM runs WHERE flow_id = $1`, values: [id] });
  return true;
}
