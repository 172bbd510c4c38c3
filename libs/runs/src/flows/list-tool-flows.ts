import type { Queryable } from '@millrace/database';

/** A flow as a tool. */
export interface ToolFlow {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly actionName: string | null;
  readonly actionDescription: string | null;
}

/** See FlowStore.listTools. */
export async function listToolFlows(
  connection: Queryable,
  userId: string,
  { projectId, limit }: { readonly projectId: string | null; readonly limit: number },
): Promise<ToolFlow[] | null> {
  if (projectId !== null && !(await hasProject(connection, userId, projectId))) return null;
  const { rows } = await connection.query<ToolFlow>({
    name: 'flows-tools',
    text: `SELECT id, name, description, stored ->> 'action_name' AS "actionName",
        stored ->> 'action_description' AS "actionDescription"
      FROM flows CROSS JOIN LATERAL (SELECT readable_json(attributes::text) AS stored) AS attributes WHERE user_id = $1 AND ($2::uuid IS NULL OR folder_id = $2) AND NOT is_component
        AND stored ->> 'mcp_enabled' = 'true'
      ORDER BY created_at, id LIMIT $3`,
    values: [userId, projectId, limit],
  });
  return rows;
}

async function hasProject(connection: Queryable, userId: string, projectId: string): Promise<boolean> {
  const { rows } = await connection.query({
    name: 'flows-project',
    text: `SELECT FROM projects WHERE user_id = $1 AND id = $2`,
    values: [userId, projectId],
  });
  return rows.length > 0;
}
