import { HttpError } from '@millrace/http';
import type { FlowRecord, ProjectRecord, UserStore } from '@millrace/runs';
import { machineTime } from '@millrace/service';
import type { LangflowRelease } from '@millrace/service';
import { authorOf } from '../../authentication/author-of';
import { sendJson, sendJsonWithList } from '../../http/answers/send-json';
import { baseUrlOf } from '../../http/base-url';
import { forManagement } from '../../http/routing/access';
import { pathParameter } from '../../http/routing/route';
import type { Call, KeyedCall, Route } from '../../http/routing/route';
import { booleanParameter, integerParameter } from '../../http/validation/query';
import { requireBody } from '../../http/validation/require-body';
import { normalizeUuid, parseUuidStrictly } from '../../http/validation/uuid-text';
import { collectValidationErrors, createValidator } from '../../http/validation/validator';
import { attachment } from '../files/send-file';
import type { FlowBody } from '../../flow-changes/flow-bodies';
import { readExport, sendArchive } from '../flows/export-flows';
import { archiveStamp } from '../../zip/archive-stamp';
import { exportedFlow } from '../flows/exported-flow';
import { flowView, inspectionView } from '../../flow-changes/flow-view';
import { endMemberships, forgetMembers } from './member-routes';
import type { EndMembershipsOptions } from './member-routes';
import { newProjectSchema, projectChangesSchema } from './project-bodies';
import type { NewProjectBody, ProjectChangesBody } from './project-bodies';
import { projectOperations } from './project-operations';
import { ProjectService } from './project-service';
import type { ProjectServiceOptions } from './project-service';
import { projectView } from './project-view';
import { readProjectUpload } from './read-project-upload';

export interface ProjectRoutesOptions extends ProjectServiceOptions, EndMembershipsOptions {
  readonly users: Pick<UserStore, 'find'>;
  readonly release: LangflowRelease;
  readonly webhookKeyRequired: boolean;
  readonly publicUrl: string | undefined;
}

const MAXIMUM_PAGE_SIZE = 100;
/** Maximum number of flows in memory at the same time. */
const FLOWS_AT_ONCE = 50;
/** Maximum number of flows of an archive, which is in memory. */
const MAXIMUM_EXPORTS = 1000;
const checkNew = createValidator(newProjectSchema);
const checkChanges = createValidator(projectChangesSchema);

/** Routes for the projects of a user, which are Langflow's folders. */
export function projectRoutes(options: ProjectRoutesOptions): readonly Route[] {
  const { projects, users } = options;
  const service = new ProjectService(options);

  const list = async ({ response, principal: { userId } }: KeyedCall) => {
    const owner = (await users.find(userId))?.username ?? '';
    const found = await projects.list(userId);
    sendJson(
      response,
      200,
      found.map((project) => ({ ...projectView(project), owner_username: owner, is_owner: true })),
    );
  };
  const create = async (call: KeyedCall) => {
    checkNew(requireBody(call.body));
    const created = await service.create(authorOf(call), call.body as NewProjectBody);
    sendJson(call.response, 201, projectView(created));
  };
  const read = (call: KeyedCall) => sendProject(options, call);
  const update = async (call: KeyedCall) => {
    const [id] = collectValidationErrors(
      () => projectId(call),
      () => checkChanges(requireBody(call.body)),
    );
    const changed = await service.update(authorOf(call), id, call.body as ProjectChangesBody);
    sendJson(call.response, 200, projectView(known(changed)));
  };
  const put = async (call: KeyedCall) => {
    const [id] = collectValidationErrors(
      () => projectId(call),
      () => checkNew(requireBody(call.body)),
    );
    const [author, body] = [authorOf(call), call.body as NewProjectBody];
    const changed = await service.replace(author, id, body);
    if (changed) return sendJson(call.response, 200, projectView(changed));
    sendJson(call.response, 201, projectView(await service.create(author, body, id)));
  };
  const remove = async (call: KeyedCall) => {
    const [author, id] = [authorOf(call), projectId(call)];
    const members = await options.members.list(author.userId, id);
    // No member starts runs or adds flows and members meanwhile.
    await endMemberships(options, author.actor, members);
    if (!(await service.delete(author, id))) throw projectUnknown();
    await forgetMembers(options, members);
    call.response.writeHead(204).end();
  };
  const download = (call: KeyedCall) => sendProjectArchive(options, call);
  const upload = async (call: KeyedCall) =>
    sendJson(call.response, 201, await uploaded(options, service, call));

  const operations = projectOperations;
  const all = { access: forManagement, path: '/api/v1/projects/' } as const;
  const one = { access: forManagement, path: '/api/v1/projects/:project_id' } as const;
  const uploads = { access: forManagement, path: '/api/v1/projects/upload/' } as const;
  const archive = { access: forManagement, path: '/api/v1/projects/download/:project_id' } as const;
  return [
    { ...all, method: 'GET', operation: operations.list, handle: list },
    { ...all, method: 'POST', body: 'json', operation: operations.create, handle: create },
    { ...uploads, method: 'POST', body: 'form', operation: operations.upload, handle: upload },
    { ...archive, method: 'GET', operation: operations.download, handle: download },
    { ...one, method: 'GET', operation: operations.read, handle: read },
    { ...one, method: 'PATCH', body: 'json', operation: operations.update, handle: update },
    { ...one, method: 'PUT', body: 'json', operation: operations.put, handle: put },
    { ...one, method: 'DELETE', operation: operations.remove, handle: remove },
  ];
}

/** Answers with a project and all of its flows, or one page of them when the query has both `page` and `size`. */
async function sendProject(options: ProjectRoutesOptions, call: KeyedCall): Promise<void> {
  const { projects, flows } = options;
  const { query, response, principal } = call;
  const { userId } = principal;
  const page = () => integerParameter(query, 'page', { absent: 0, minimum: 1, maximum: 1_000_000 });
  const size = () =>
    integerParameter(query, 'size', {
      absent: 0,
      minimum: 1,
      maximum: MAXIMUM_PAGE_SIZE,
      refusesMore: true,
    });
  // Langflow lists errors of both twice.
  const [id, number, perPage, , , componentsOnly, flowsOnly] = collectValidationErrors(
    () => projectId(call),
    page,
    size,
    page,
    size,
    () => booleanParameter(query, 'is_component', false),
    () => booleanParameter(query, 'is_flow', false),
  );
  const project = known(await projects.find(userId, id));
  const shown = async (ids: readonly string[]) => {
    const found = new Map((await flows.findMany(userId, ids)).map((flow) => [flow.id, flow]));
    return ids.flatMap((one) => {
      const flow = found.get(one);
      return flow === undefined ? [] : [viewOf(options, call, flow)];
    });
  };
  if (number > 0 && perPage > 0) {
    const { ids, total } = await flows.projectPage(userId, id, {
      componentsOnly,
      flowsOnly,
      search: query.get('search') ?? '',
      limit: perPage,
      offset: (number - 1) * perPage,
    });
    const paged = { total, page: number, size: perPage, pages: Math.ceil(total / perPage) };
    return sendJson(response, 200, {
      folder: projectView(project),
      flows: { items: await shown(ids), ...paged },
    });
  }
  const ids = await flows.ids(userId, { folderId: id });
  async function* parts() {
    for (let first = 0; first < ids.length; first += FLOWS_AT_ONCE)
      yield await shown(ids.slice(first, first + FLOWS_AT_ONCE));
  }
  await sendJsonWithList(response, projectView(project), ['flows', parts()]);
}

async function sendProjectArchive(options: ProjectRoutesOptions, call: KeyedCall): Promise<void> {
  const { projects, flows } = options;
  const { userId } = call.principal;
  const id = projectId(call);
  const project = known(await projects.find(userId, id));
  const ids = await flows.ids(userId, { folderId: id });
  if (ids.length > MAXIMUM_EXPORTS)
    throw new HttpError('invalid_value', `An archive can contain at most ${MAXIMUM_EXPORTS} flows.`);
  const found = await readExport(ids, async (one) => {
    const flow = await flows.find(userId, one);
    return flow && exportedFlow(viewOf(options, call, flow));
  });
  if (found === null) throw new HttpError('not_found', 'No flows found in project');
  sendArchive(
    call.response,
    found.members,
    attachment(`${archiveStamp(new Date(machineTime()))}_${project.name}_flows.zip`),
  );
}

/** Creates the project of an upload with its flows. A flow that is refused leaves no project. */
async function uploaded(
  options: ProjectRoutesOptions,
  service: ProjectService,
  call: KeyedCall,
): Promise<readonly unknown[]> {
  const { name, description, flows } = await readProjectUpload(call);
  const author = authorOf(call);
  await refuseKnownFlows(options, call, flows);
  const project = await service.create(author, { name, description });
  try {
    const answers: unknown[] = [];
    for (const body of flows) {
      const { flow, inspection } = await options.flowService.create(author, {
        ...body,
        folder_id: project.id,
      });
      answers.push({ ...viewOf(options, call, flow), report: inspectionView(inspection) });
    }
    return answers;
  } catch (error) {
    await service.delete(author, project.id);
    throw error;
  }
}

/** Refuses flows with ids of flows that the user has, as Langflow does: an upload changes none. */
async function refuseKnownFlows(
  { flows }: ProjectRoutesOptions,
  { principal }: KeyedCall,
  bodies: readonly FlowBody[],
): Promise<void> {
  const ids = bodies.flatMap(({ id }) => (id ? [normalizeUuid(id) ?? id] : []));
  const present = await flows.findMany(principal.userId, ids);
  if (present.length > 0)
    throw new HttpError(
      'invalid_flow',
      `Flow(s) with the following IDs already exist: ${present.map(({ id }) => id).join(', ')}. Use the update endpoint or upload_file() for upsert semantics.`,
    );
}

function viewOf(options: ProjectRoutesOptions, { request }: Call, flow: FlowRecord) {
  return flowView(flow, { ...options, baseUrl: options.publicUrl ?? baseUrlOf(request) });
}

function projectId(call: KeyedCall): string {
  return parseUuidStrictly(pathParameter(call.request, 'project_id'), ['path', 'project_id']);
}

function known(project: ProjectRecord | null): ProjectRecord {
  if (project === null) throw projectUnknown();
  return project;
}

function projectUnknown(): HttpError {
  return new HttpError('not_found', 'Project not found');
}
