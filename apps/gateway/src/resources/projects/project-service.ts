import { HttpError } from '@millrace/http';
import type { AuditLog, FlowStore, ProjectRecord, ProjectStore } from '@millrace/runs';
import type { FlowAuthor } from '../../authentication/author-of';
import { refuseDuplicate } from '../../http/answers/refuse-duplicate';
import { normalizeUuid } from '../../http/validation/uuid-text';
import type { FlowService } from '../../flow-changes/flow-service';
import type { NewProjectBody, ProjectChangesBody } from './project-bodies';

/** How often flows that are added during the deletion of a project are deleted as well. */
const MAXIMUM_PASSES = 10;
const NAME_TAKEN = 'Project name must be unique';
const LISTS_REFUSED =
  "flows_list/components_list are not supported when updating an existing project; set a flow's project via PUT /api/v1/flows/{flow_id} instead.";
const MOVES_REFUSED = 'flows/components move nothing; set the folder_id of each flow instead.';

export interface ProjectServiceOptions {
  readonly projects: ProjectStore;
  readonly flows: FlowStore;
  readonly flowService: FlowService;
  readonly audit: AuditLog;
}

/** Creates, changes and deletes projects. */
export class ProjectService {
  readonly #options: ProjectServiceOptions;

  constructor(options: ProjectServiceOptions) {
    this.#options = options;
  }

  /** Creates a project. A name that is in use gets a number; with an id it is refused. */
  async create({ userId, actor }: FlowAuthor, body: NewProjectBody, id?: string): Promise<ProjectRecord> {
    refuseOtherSettings(body.auth_settings);
    const { projects, flowService, audit } = this.#options;
    const { name, description = null } = body;
    const moved = flowsOf(body);
    const creating = audit.change(actor, async (change) => {
      const store = projects.within(change);
      const given = { name, description, ...(id === undefined ? {} : { id }) };
      const created = await store.create(userId, given, { exactName: id !== undefined });
      if (moved.length > 0) await store.moveFlows(userId, created.id, moved);
      change.note({ action: 'project.created', objectId: created.id, objectName: created.name });
      return created;
    });
    const created = await refuseDuplicate(NAME_TAKEN, creating, 409);
    // A key that is bound to a project reaches the flows that are in it now.
    for (const flowId of moved) flowService.announce(flowId);
    return created;
  }

  /** Changes a project. Resolves to null when the user has no such project. */
  async update(author: FlowAuthor, id: string, body: ProjectChangesBody): Promise<ProjectRecord | null> {
    refuseOtherSettings(body.auth_settings);
    const { userId } = author;
    const { projects } = this.#options;
    if (!(await projects.find(userId, id))) return null;
    if ((body.flows ?? []).length + (body.components ?? []).length > 0)
      throw new HttpError('invalid_value', MOVES_REFUSED);
    const parentId = body.parent_id ? (normalizeUuid(body.parent_id) ?? body.parent_id) : undefined;
    if (parentId !== undefined && !(await projects.find(userId, parentId)))
      throw new HttpError('not_found', 'Parent project not found');
    const { name, description } = body;
    return this.#change(author, id, { name, description, parentId });
  }

  /** Changes the project with this id. Resolves to null when the user has no such project. */
  async replace(author: FlowAuthor, id: string, body: NewProjectBody): Promise<ProjectRecord | null> {
    refuseOtherSettings(body.auth_settings);
    if (!(await this.#options.projects.find(author.userId, id))) return null;
    if (flowsOf(body).length > 0) throw new HttpError('invalid_value', LISTS_REFUSED);
    const { name, description } = body;
    return this.#change(author, id, { name, description });
  }

  /**
   * Deletes a project after its flows, each in a transaction of its own; until the last one the project exists and the
   * deletion can be repeated. Resolves to false when the user has no such project.
   */
  async delete(author: FlowAuthor, id: string): Promise<boolean> {
    const { projects, flows, flowService, audit } = this.#options;
    const { userId, actor } = author;
    for (let pass = 0; pass < MAXIMUM_PASSES; pass += 1) {
      const project = await projects.find(userId, id);
      if (project === null) return pass > 0;
      for (const flowId of await flows.ids(userId, { folderId: id }))
        await flowService.delete(author, flowId);
      const isDeleted = await audit.change(actor, async (change) => {
        const isDeleted = await projects.within(change).deleteEmpty(userId, id);
        if (isDeleted) change.note({ action: 'project.deleted', objectId: id, objectName: project.name });
        return isDeleted;
      });
      if (isDeleted) return true;
    }
    throw new HttpError('invalid_value', 'Flows are being added to the project; repeat the request.');
  }

  async #change(
    { userId, actor }: FlowAuthor,
    id: string,
    members: Readonly<Record<'name' | 'description', string | null | undefined>> & {
      readonly parentId?: string | undefined;
    },
  ): Promise<ProjectRecord | null> {
    const given = Object.entries(members).filter(([, value]) => value != null);
    const changing = this.#options.audit.change(actor, async (change) => {
      const changed = await this.#options.projects
        .within(change)
        .update(userId, id, Object.fromEntries(given));
      if (changed)
        change.note({
          action: 'project.updated',
          objectId: id,
          objectName: changed.name,
          detail: { changed: given.map(([name]) => (name === 'parentId' ? 'parent_id' : name)) },
        });
      return changed;
    });
    return refuseDuplicate(NAME_TAKEN, changing, 409);
  }
}

function flowsOf({ flows_list: flows, components_list: components }: NewProjectBody): readonly string[] {
  return [...(flows ?? []), ...(components ?? [])].map((id) => normalizeUuid(id) ?? id);
}

/** Refuses settings of MCP addresses that are not in force: they always require the API key. */
export function refuseOtherSettings(settings: Readonly<Record<string, unknown>> | null | undefined): void {
  const isInForce = Object.entries(settings ?? {}).every(
    ([name, value]) => name === 'auth_type' && value === 'apikey',
  );
  if (!isInForce) throw new HttpError('invalid_value', 'auth_settings can only be {"auth_type": "apikey"}.');
}
