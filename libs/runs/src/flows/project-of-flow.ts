import type { Queryable } from '@millrace/database';

/**
 * Resolves to the project that a flow names when the user has it, else to the user's default one, as in Langflow. The
 * project stays until the end of the transaction.
 */
export async function projectOfFlow(
  connection: Queryable,
  userId: string,
  named: string | null | undefined,
): Promise<string | null> {
  const { rows } = await connection.query<{ id: string }>({
    text: `SELECT id FROM projects WHERE user_id = $1 AND id = $2 FOR KEY SHARE`,
    values: [userId, named ?? null],
  });
  if (rows[0] !== undefined) return rows[0].id;
  const users = await connection.query<{ id: string }>({
    text: `SELECT folder_id AS id FROM users WHERE id = $1`,
    values: [userId],
  });
  return users.rows[0]?.id ?? null;
}
