import type { Queryable } from '@millrace/database';

/** Selects a page of the flows of a project. */
export interface ProjectFlowFilter {
  /** Only components, or without them. Both select none. */
  readonly componentsOnly: boolean;
  readonly flowsOnly: boolean;
  /** A part of the name, in any case; empty for all. */
  readonly search: string;
  readonly limit: number;
  readonly offset: number;
}

export interface ProjectFlowPage {
  readonly ids: readonly string[];
  /** The number of flows on all pages. */
  readonly total: number;
}

/** See FlowStore.projectPage. */
export async function listProjectFlows(
  connection: Queryable,
  userId: string,
  projectId: string,
  { componentsOnly, flowsOnly, search, limit, offset }: ProjectFlowFilter,
): Promise<ProjectFlowPage> {
  const { rows } = await connection.query<{ id: string }>({
    text: `SELECT id FROM flows WHERE user_id = $1 AND folder_id = $2 AND (is_component OR NOT $3)
        AND (NOT is_component OR NOT $4) AND strpos(lower(name), lower($5)) > 0
      ORDER BY updated_at DESC, id`,
    values: [userId, projectId, componentsOnly, flowsOnly, search],
  });
  return { ids: rows.slice(offset, offset + limit).map(({ id }) => id), total: rows.length };
}
