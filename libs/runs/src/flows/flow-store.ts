import { textArray } from '@millrace/database';
import type { Queryable, Transactional } from '@millrace/database';
import type { TransactionEnd } from '../audit/audit-log';
import { translateConstraintErrors } from '../translate-constraint-errors';
import { deleteFlow } from './delete-flow';
import type { DeletedFlow } from './delete-flow';
import type {
  FlowChanges,
  FlowRecord,
  FlowReference,
  FlowSummary,
  NewFlow,
  UnclassifiedFlow,
} from './flow-record';
import { insertFlow } from './insert-flow';
import { findSummary, listSummaries } from './flow-summaries';
import { listProjectFlows } from './list-project-flows';
import type { ProjectFlowFilter, ProjectFlowPage } from './list-project-flows';
import { listToolFlows } from './list-tool-flows';
import type { ToolFlow } from './list-tool-flows';
import { classifyFlow, unclassifiedFlows } from './flow-python-needs';
import { findVersion, listVersions } from './flow-versions';
import type { FlowVersion, FlowVersionDocument, FlowVersionPage } from './flow-versions';
import { findAgentFlow, listAgentFlows } from './agent-flows';
import type { AgentFlow } from './agent-flows';
import { resolveFlow } from './resolve-flow';
import { updateFlow } from './update-flow';

/** The columns of a FlowRecord, from flows joined with their current version. */
const FLOW_COLUMNS = `flows.id, flows.user_id AS "userId", flows.name, flows.description,
  flows.endpoint_name AS "endpointName", flows.version, flow_versions.document, flows.settings, flows.attributes,
  flows.is_component AS "isComponent", flows.webhook, flows.created_at AS "createdAt",
  flows.updated_at AS "updatedAt", flows.folder_id AS "folderId",
  flows.version_token AS "versionToken"`;

const CONSTRAINTS = { flows_name: 'name', flows_endpoint_name: 'endpoint_name' };

/** Selects among a user's flows. */
export interface FlowFilter {
  readonly folderId?: string | undefined;
  readonly componentsOnly?: boolean;
  readonly flowTypes?: readonly string[] | undefined;
}

/** Stores the flows of all users, with every version of their documents. */
export class FlowStore {
  readonly #database: Transactional;

  constructor({ database }: { readonly database: Transactional }) {
    this.#database = database;
  }

  /** Returns the store whose statements join a transaction. */
  within(transaction: Transactional): FlowStore {
    return new FlowStore({ database: transaction });
  }

  /**
   * Stores a flow. A name that the user has already becomes "name (1)", an endpoint name "name-1"; a taken id is
   * replaced by a new one. Safe under concurrent calls.
   */
  async create(userId: string, flow: NewFlow): Promise<FlowRecord> {
    const id = await translateConstraintErrors(CONSTRAINTS, () =>
      this.#database.transaction((connection) => insertFlow(connection, userId, flow)),
    );
    return this.#required(userId, id);
  }

  /** The user's flows, oldest first. */
  async list(
    userId: string,
    { limit, offset = 0 }: { readonly limit?: number; readonly offset?: number } = {},
  ): Promise<FlowRecord[]> {
    const { rows } = await this.#database.query<FlowRecord>({
      text: `SELECT ${FLOW_COLUMNS} FROM flows JOIN flow_versions USING (version)
        WHERE flow_versions.flow_id = flows.id AND flows.user_id = $1
        ORDER BY flows.created_at, flows.id LIMIT $2 OFFSET $3`,
      values: [userId, limit ?? null, offset],
    });
    return rows;
  }

  /** The ids of the user's flows, oldest first. */
  async ids(
    userId: string,
    { folderId, componentsOnly = false, flowTypes }: FlowFilter = {},
  ): Promise<string[]> {
    const { rows } = await this.#database.query<{ id: string }>({
      text: `SELECT id FROM flows
        WHERE user_id = $1 AND ($2::uuid IS NULL OR folder_id = $2) AND (is_component OR NOT $3)
          AND ($4::text[] IS NULL OR coalesce(attributes->>'flow_type', 'workflow') = ANY($4))
        ORDER BY created_at, id`,
      values: [
        userId,
        folderId ?? null,
        componentsOnly,
        flowTypes === undefined ? null : textArray(flowTypes),
      ],
    });
    return rows.map(({ id }) => id);
  }

  /** A page of the ids of the user's flows in a project, last changed first. */
  async projectPage(userId: string, projectId: string, filter: ProjectFlowFilter): Promise<ProjectFlowPage> {
    return listProjectFlows(this.#database, userId, projectId, filter);
  }

  /** Returns those of these flows that the user owns, oldest first. */
  async findMany(userId: string, ids: readonly string[]): Promise<FlowRecord[]> {
    const { rows } = await this.#database.query<FlowRecord>({
      text: `SELECT ${FLOW_COLUMNS} FROM flows JOIN flow_versions USING (version)
        WHERE flow_versions.flow_id = flows.id AND flows.id = ANY($2::uuid[]) AND flows.user_id = $1
        ORDER BY flows.created_at, flows.id`,
      values: [userId, ids],
    });
    return rows;
  }

  async find(userId: string, id: string): Promise<FlowRecord | null> {
    return findFlow(this.#database, userId, id);
  }

  /**
   * Changes a flow; null when the user has no such flow. A document that differs becomes the next version; the old
   * version stays for runs that were accepted for it. Throws DuplicateError of `name` or `endpoint_name`.
   */
  async update(userId: string, id: string, changes: FlowChanges): Promise<FlowRecord | null> {
    return translateConstraintErrors(CONSTRAINTS, () =>
      this.#database.transaction(async (connection) => {
        const found = await updateFlow(connection, userId, id, changes);
        return found ? findFlow(connection, userId, id) : null;
      }),
    );
  }

  /**
   * Deletes the flow with its versions, runs and messages. False when the user has no such flow. `onDeleted` is the end
   * of the transaction that deletes the flow.
   */
  async delete(userId: string, id: string, onDeleted?: TransactionEnd<DeletedFlow>): Promise<boolean> {
    return deleteFlow(this.#database, { userId, id, onDeleted });
  }

  /**
   * Finds a flow by id (in any spelling) or by endpoint name. With a user, only among that user's flows; with null,
   * among all flows, where an endpoint name that several users have matches none. Its pool is the one that it names, or
   * `default`.
   */
  async resolve(userId: string | null, reference: string): Promise<FlowReference | null> {
    return resolveFlow(this.#database, userId, reference);
  }

  /**
   * Pauses a flow with a reason, or ends its pause with null. Returns the name of the flow; null when the user has no such flow.
   */
  async pause(userId: string, id: string, reason: string | null): Promise<string | null> {
    const { rows } = await this.#database.query<{ name: string }>({
      text: `UPDATE flows SET pause_reason = $3 WHERE id = $1 AND user_id = $2 RETURNING name`,
      values: [id, userId, reason],
    });
    return rows[0]?.name ?? null;
  }

  /** Returns the user's flow with this id (in any spelling), else this name, else this endpoint name. */
  async findSummary(userId: string, reference: string): Promise<FlowSummary | null> {
    return findSummary(this.#database, userId, reference);
  }

  /** Lists at most `limit` of the user's flows by name, without their documents. */
  async listSummaries(userId: string, limit: number): Promise<FlowSummary[]> {
    return listSummaries(this.#database, userId, limit);
  }

  /**
   * Lists at most `limit` of the user's flows that are tools (`mcp_enabled`), oldest first; with a project only those of it.
   * Null when the user has no such project.
   */
  async listTools(userId: string, projectId: string | null, limit: number): Promise<ToolFlow[] | null> {
    return listToolFlows(this.#database, userId, { projectId, limit });
  }

  /** Returns the flow of any user with this id if agents of other systems can call it (`a2a_enabled`). */
  async findAgent(id: string): Promise<AgentFlow | null> {
    return findAgentFlow(this.#database, id);
  }

  /** Lists at most `limit` of the user's flows that agents of other systems can call, by name. */
  async listAgents(userId: string, limit: number): Promise<AgentFlow[]> {
    return listAgentFlows(this.#database, userId, limit);
  }

  /** Returns at most `limit` flows of all users of which it is unknown whether they need Python. */
  async unclassified(limit: number): Promise<UnclassifiedFlow[]> {
    return unclassifiedFlows(this.#database, limit);
  }

  /** Stores whether a flow needs Python, unless it was changed after it was read. */
  async classify(flow: Pick<UnclassifiedFlow, 'id' | 'version'>, needsPython: boolean): Promise<void> {
    await classifyFlow(this.#database, flow, needsPython);
  }

  /** The document of a version; null when there is none. */
  async document(flowId: string, version: number): Promise<unknown> {
    const { rows } = await this.#database.query<{ document: unknown }>({
      name: 'flow-document',
      text: `SELECT document FROM flow_versions WHERE flow_id = $1 AND version = $2`,
      values: [flowId, version],
    });
    return rows[0]?.document ?? null;
  }

  /** Resolves to null for a flow that does not exist (any more). */
  async name(flowId: string): Promise<string | null> {
    const { rows } = await this.#database.query<{ name: string }>({
      name: 'flow-name',
      text: 'SELECT name FROM flows WHERE id = $1',
      values: [flowId],
    });
    return rows[0]?.name ?? null;
  }

  /** Lists the versions of a user's flow, newest first. Empty when the user has no such flow. */
  async versions(userId: string, flowId: string, page: FlowVersionPage): Promise<FlowVersion[]> {
    return listVersions(this.#database, userId, flowId, page);
  }

  /** A version of a user's flow with its document; null when there is none. */
  async version(userId: string, flowId: string, version: number): Promise<FlowVersionDocument | null> {
    return findVersion(this.#database, userId, flowId, version);
  }

  async #required(userId: string, id: string): Promise<FlowRecord> {
    const flow = await this.find(userId, id);
    if (flow === null) throw new Error(`the flow ${id} was deleted while it was being created`);
    return flow;
  }
}

async function findFlow(connection: Queryable, userId: string, id: string): Promise<FlowRecord | null> {
  const { rows } = await connection.query<FlowRecord>({
    text: `SELECT ${FLOW_COLUMNS} FROM flows JOIN flow_versions USING (version)
      WHERE flow_versions.flow_id = flows.id AND flows.id = $1 AND flows.user_id = $2`,
    values: [id, userId],
  });
  return rows[0] ?? null;
}
