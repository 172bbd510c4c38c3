import { randomUUID } from 'node:crypto';
import type { Queryable } from '@millrace/database';
import { DuplicateError } from '../duplicate-error';
import { storableJson } from '../storable-json';
import type { NewFlow } from './flow-record';
import { nextFreeName } from './next-free-name';
import { projectOfFlow } from './project-of-flow';

const FLOW_NAME = { before: ' (', after: ')' };
const ENDPOINT_NAME = { before: '-', after: '' };

/**
 * Stores a flow under free names; resolves to its id. Must be called in a transaction. Throws DuplicateError where the
 * endpoint name is to be kept and is taken.
 */
export async function insertFlow(connection: Queryable, userId: string, flow: NewFlow): Promise<string> {
  await lockUser(connection, userId);
  const folderId = await projectOfFlow(connection, userId, flow.folderId);
  const name = nextFreeName(flow.name, await takenNames(connection, userId, flow.name), FLOW_NAME);
  const endpointName = await freeEndpointName(connection, userId, flow.endpointName ?? null);
  if (flow.keepsEndpointName === true && endpointName !== (flow.endpointName ?? null))
    throw new DuplicateError('endpoint_name');
  for (const id of [flow.id ?? randomUUID(), randomUUID()]) {
    const { rowCount } = await connection.query({
      text: `INSERT INTO flows (id, user_id, name, description, endpoint_name, version, settings, attributes,
          is_component, webhook, folder_id, needs_python)
        VALUES ($1, $2, $3, $4, $5, 1, $6, $7, $8, $9, $10, $11) ON CONFLICT (id) DO NOTHING`,
      values: [
        id,
        userId,
        name,
        flow.description ?? null,
        endpointName,
        storableJson(flow.settings ?? {}),
        storableJson(flow.attributes ?? {}),
        flow.isComponent ?? false,
        flow.webhook ?? false,
        folderId,
        flow.needsPython ?? null,
      ],
    });
    if (rowCount === 0) continue;
    await connection.query({
      text: `INSERT INTO flow_versions (flow_id, version, document) VALUES ($1, 1, $2)`,
      values: [id, JSON.stringify(flow.document ?? null)],
    });
    return id;
  }
  throw new Error('found no free id for a new flow');
}

/** Blocks concurrent transactions that choose names for the same user. */
async function lockUser(connection: Queryable, userId: string): Promise<void> {
  await connection.query({ text: `SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE`, values: [userId] });
}

async function takenNames(connection: Queryable, userId: string, name: string): Promise<string[]> {
  const { rows } = await connection.query<{ name: string }>({
    text: `SELECT name FROM flows WHERE user_id = $1 AND starts_with(name, $2)`,
    values: [userId, name],
  });
  return rows.map((row) => row.name);
}

async function freeEndpointName(
  connection: Queryable,
  userId: string,
  endpointName: string | null,
): Promise<string | null> {
  if (endpointName === null) return null;
  const { rows } = await connection.query<{ name: string }>({
    text: `SELECT endpoint_name AS name FROM flows WHERE user_id = $1 AND starts_with(endpoint_name, $2)`,
    values: [userId, endpointName],
  });
  return nextFreeName(
    endpointName,
    rows.map((row) => row.name),
    ENDPOINT_NAME,
  );
}
