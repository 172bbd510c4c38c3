import type { FlowSettings } from '@millrace/flow';
import type { Queryable } from '@millrace/database';
import { unstorableCharacter } from '@millrace/http';
import { FLOW_LIMITS } from '../limits/limits';
import type { ScopedLimits } from '../limits/limits';
import type { FlowReference } from './flow-record';
import { parseUuid } from './parse-uuid';
import { poolOfFlow } from './pool-of-flow';

interface FlowRow {
  readonly needsPython: boolean;
  readonly id: string;
  readonly userId: string;
  readonly version: number;
  readonly settings: FlowSettings;
  readonly name: string;
  readonly projectId: string | null;
  readonly pauseReason: string | null;
  readonly limits: ScopedLimits | null;
  readonly isEmpty: boolean;
}

// Recognizes `null` and `{}` by size: parsing a large document would read all of it.
const COLUMNS = `id, user_id AS "userId", version, settings, name, folder_id AS "projectId", pause_reason AS "pauseReason", ${FLOW_LIMITS} AS limits, coalesce(needs_python, false) AS "needsPython",
  (SELECT pg_column_size(document) < 8 FROM flow_versions
    WHERE flow_id = flows.id AND flow_versions.version = flows.version) AS "isEmpty"`;

/** See FlowStore.resolve. */
export async function resolveFlow(
  connection: Queryable,
  userId: string | null,
  reference: string,
): Promise<FlowReference | null> {
  const id = parseUuid(reference);
  const rows =
    id === null ? await byEndpointName(connection, userId, reference) : await byId(connection, userId, id);
  const [flow, second] = rows;
  if (flow === undefined || second !== undefined) return null;
  return { ...flow, pool: poolOfFlow(flow, null) };
}

async function byId(connection: Queryable, userId: string | null, id: string): Promise<FlowRow[]> {
  const { rows } = await connection.query<FlowRow>({
    name: 'flow-by-id',
    text: `SELECT ${COLUMNS} FROM flows WHERE id = $1 AND ($2::uuid IS NULL OR user_id = $2)`,
    values: [id, userId],
  });
  return rows;
}

async function byEndpointName(
  connection: Queryable,
  userId: string | null,
  endpointName: string,
): Promise<FlowRow[]> {
  // No flow can have such a name, and the database would reject it as a parameter.
  if (unstorableCharacter(endpointName) !== null) return [];
  const { rows } = await connection.query<FlowRow>({
    name: 'flow-by-endpoint-name',
    text: `SELECT ${COLUMNS} FROM flows
      WHERE md5(endpoint_name) = md5($1) AND endpoint_name = $1 AND ($2::uuid IS NULL OR user_id = $2) LIMIT 2`,
    values: [endpointName, userId],
  });
  return rows;
}
