import type { Queryable } from '@millrace/database';

/** A flow that agents of other systems can call. */
export interface AgentFlow {
  readonly id: string;
  readonly userId: string;
  readonly version: number;
  readonly name: string;
  readonly description: string | null;
  /** What its author wants to be different in its agent card, as stored. */
  readonly cardOverrides: unknown;
}

const COLUMNS = `id, user_id AS "userId", version, name, description, stored -> 'a2a_card_overrides' AS "cardOverrides"`;
const AGENTS = `flows CROSS JOIN LATERAL (SELECT readable_json(attributes::text) AS stored) AS attributes`;
const IS_AGENT = `NOT is_component AND stored ->> 'flow_type' = 'agent' AND stored ->> 'a2a_enabled' = 'true'`;

/** See FlowStore.findAgent. */
export async function findAgentFlow(connection: Queryable, id: string): Promise<AgentFlow | null> {
  const { rows } = await connection.query<AgentFlow>({
    name: 'flow-agent',
    text: `SELECT ${COLUMNS} FROM ${AGENTS} WHERE id = $1 AND ${IS_AGENT}`,
    values: [id],
  });
  return rows[0] ?? null;
}

/** See FlowStore.listAgents. */
export async function listAgentFlows(
  connection: Queryable,
  userId: string,
  limit: number,
): Promise<AgentFlow[]> {
  const { rows } = await connection.query<AgentFlow>({
    name: 'flows-agents',
    text: `SELECT ${COLUMNS} FROM ${AGENTS} WHERE user_id = $1 AND ${IS_AGENT} ORDER BY name, id LIMIT $2`,
    values: [userId, limit],
  });
  return rows;
}
