import { flowChangesSchema, flowListSchema, newFlowSchema } from '../../flow-changes/flow-bodies';
import type { FlowBody } from '../../flow-changes/flow-bodies';
import { idListSchema } from '../../http/bodies/id-list-schema';
import { HttpError } from '@millrace/http';
import type { AuditLog, FlowRecord, FlowStore, ProjectStore, UserStore } from '@millrace/runs';
import type { LangflowRelease } from '@millrace/service';
import { authorOf } from '../../authentication/author-of';
import { editedCodeParameter } from './edited-code-parameter';
import { exportedFlow } from './exported-flow';
import { readExport, sendExport } from './export-flows';
import type { StoredFlow, FlowService } from '../../flow-changes/flow-service';
import { flowHeader, flowView, inspectionView } from '../../flow-changes/flow-view';
import { readUpload } from './read-upload';
import { expectedVersionToken, refuseConflict } from './version-precondition';
import { baseUrlOf } from '../../http/base-url';
import { collectValidationErrors, createValidator } from '../../http/validation/validator';
import {
  booleanParameter,
  integerParameter,
  uuidParameter,
  wordsParameter,
} from '../../http/validation/query';
import { requireBody } from '../../http/validation/require-body';
import { forManagement } from '../../http/routing/access';
import { jsonRoute, keyedRoute, pathParameter } from '../../http/routing/route';
import type { Call, KeyedCall, Route } from '../../http/routing/route';
import { refuseDuplicate } from '../../http/answers/refuse-duplicate';
import { sendJson, sendJsonList } from '../../http/answers/send-json';
import { normalizeUuid, parseUuidStrictly } from '../../http/validation/uuid-text';
import { answeringNames } from '../../flow-changes/answering-users';
import { flowOperations } from './flow-operations';

export interface FlowRoutesOptions {
  readonly flows: FlowStore;
  readonly flowService: FlowService;
  readonly projects: Pick<ProjectStore, 'find'>;
  readonly users: Pick<UserStore, 'find' | 'named'>;
  readonly audit: Pick<AuditLog, 'list'>;
  readonly release: LangflowRelease;
  readonly webhookKeyRequired: boolean;
  /** Base URL at which callers reach the gateway; taken from each request when unset. */
  readonly publicUrl: string | undefined;
}

/** Some of Langflow's flow routes list each error twice; the answers are the same here. */
const TWICE = { repeated: 2 };
const checkNewFlow = createValidator(newFlowSchema);
const checkChanges = createValidator(flowChangesSchema);
const checkList = createValidator(flowListSchema);
const checkIds = createValidator(idListSchema);
const MAXIMUM_PAGE_SIZE = 100;
/** Maximum number of flows in memory at the same time. */
const FLOWS_AT_ONCE = 50;

/** Routes that create, read, change and delete flows. */
export function flowRoutes(options: FlowRoutesOptions): readonly Route[] {
  const { flows, flowService } = options;
  const view = (call: Call, flow: FlowRecord) =>
    flowView(flow, { ...options, baseUrl: options.publicUrl ?? baseUrlOf(call.request) });
  const createdView = (call: Call, { flow, inspection }: StoredFlow) => ({
    ...view(call, flow),
    report: inspectionView(inspection),
  });
  const createFlows = async (call: KeyedCall, bodies: readonly FlowBody[]) => {
    const code = editedCodeParameter(call.query);
    const answers: unknown[] = [];
    for (const body of bodies)
      answers.push(createdView(call, await flowService.create(authorOf(call), body, { code })));
    return answers;
  };

  const create = async (call: KeyedCall) => {
    checkNewFlow(requireBody(call.body, TWICE), TWICE);
    const [flow] = await createFlows(call, [call.body as FlowBody]);
    sendJson(call.response, 201, flow);
  };
  const list = async (call: KeyedCall) => sendFlows(options, view, call);
  const deleteMany = async (call: KeyedCall) => {
    checkIds(requireBody(call.body));
    let deleted = 0;
    for (const id of call.body as readonly string[]) {
      if (await flowService.delete(authorOf(call), normalizeUuid(id) ?? id)) deleted += 1;
    }
    sendJson(call.response, 200, { deleted });
  };
  const upload = async (call: KeyedCall) => {
    sendJson(call.response, 201, await createFlows(call, await readUpload(call)));
  };
  const batch = async (call: KeyedCall) => {
    checkList(requireBody(call.body));
    sendJson(
      call.response,
      201,
      await createFlows(call, (call.body as { flows: readonly FlowBody[] }).flows),
    );
  };
  const download = async (call: KeyedCall) => {
    checkIds(requireBody(call.body));
    const ids = (call.body as readonly string[]).map((id) => normalizeUuid(id) ?? id);
    const found = await readExport(ids, async (id) => {
      const flow = await flows.find(call.principal.userId, id);
      return flow && exportedFlow(view(call, flow));
    });
    if (found === null) throw new HttpError('not_found', 'No flows found.');
    sendExport(call.response, found);
  };

  const read = async (call: KeyedCall) => {
    const flow = await flows.find(call.principal.userId, flowId(call));
    if (!flow) throw flowNotFound();
    const names = await answeringNames(options.users, flow.settings);
    sendJson(call.response, 200, { ...view(call, flow), ...(names && { answered_by: names }) });
  };
  const update = async (call: KeyedCall) => {
    // Langflow looks up the flow before it validates the body.
    const named = normalizeUuid(pathParameter(call.request, 'flow_id'));
    if (named !== null && !(await flows.findSummary(call.principal.userId, named))) throw flowNotFound();
    const [id] = collectValidationErrors(
      () => flowId(call),
      () => checkChanges(requireBody(call.body)),
    );
    const body = call.body as Partial<FlowBody>;
    const changed = await changeFlow(options, call, { id, body, mergesSettings: true });
    if (!changed) throw flowNotFound();
    sendJson(call.response, 200, createdView(call, changed));
  };
  const put = async (call: KeyedCall) => {
    const [id] = collectValidationErrors(
      () => flowId(call, 1),
      () => checkNewFlow(requireBody(call.body)),
    );
    const body = { ...(call.body as FlowBody), id };
    await refuseUnknownProject(options, call, body.folder_id);
    const changing = changeFlow(options, call, { id, body, mergesSettings: false });
    const changed = await refuseDuplicate(null, changing, 409);
    if (changed) return sendJson(call.response, 200, createdView(call, changed));
    const creating = flowService.create(authorOf(call), body, { keepsEndpointName: true });
    sendJson(call.response, 201, createdView(call, await refuseDuplicate(null, creating, 409)));
  };
  const remove = async (call: KeyedCall) => {
    if (!(await flowService.delete(authorOf(call), flowId(call)))) throw flowNotFound();
    sendJson(call.response, 200, { message: 'Flow deleted successfully' });
  };

  return [
    withFlows(jsonRoute('POST /api/v1/flows/', forManagement, flowOperations.create, create)),
    keyedRoute('GET /api/v1/flows/', forManagement, flowOperations.list, list),
    jsonRoute('DELETE /api/v1/flows/', forManagement, flowOperations.deleteMany, deleteMany),
    {
      method: 'POST',
      path: '/api/v1/flows/upload/',
      access: forManagement,
      body: 'form',
      operation: flowOperations.upload,
      handle: upload,
    },
    withFlows(jsonRoute('POST /api/v1/flows/batch/', forManagement, flowOperations.batch, batch)),
    jsonRoute('POST /api/v1/flows/download/', forManagement, flowOperations.download, download),
    keyedRoute('GET /api/v1/flows/:flow_id', forManagement, flowOperations.read, read),
    withFlows(jsonRoute('PATCH /api/v1/flows/:flow_id', forManagement, flowOperations.update, update)),
    withFlows(jsonRoute('PUT /api/v1/flows/:flow_id', forManagement, flowOperations.put, put)),
    keyedRoute('DELETE /api/v1/flows/:flow_id', forManagement, flowOperations.remove, remove),
  ];
}

function withFlows(route: Route): Route {
  return { ...route, takesFlows: true };
}

/** Answers with all of a user's flows, or, when `get_all` is false, with one page of those of a project. */
async function sendFlows(
  { flows, users }: FlowRoutesOptions,
  view: (call: Call, flow: FlowRecord) => unknown,
  call: KeyedCall,
): Promise<void> {
  const { query, response, principal } = call;
  const [page, size, componentsOnly, getAll, folderId, headersOnly, flowTypes] = collectValidationErrors(
    () => integerParameter(query, 'page', { absent: 1, minimum: 1, maximum: 1_000_000 }),
    () =>
      integerParameter(query, 'size', {
        absent: 50,
        minimum: 1,
        maximum: MAXIMUM_PAGE_SIZE,
        refusesMore: true,
      }),
    () => booleanParameter(query, 'components_only', false),
    () => booleanParameter(query, 'get_all', true),
    () => uuidParameter(query, 'folder_id'),
    () => booleanParameter(query, 'header_flows', false),
    () => wordsParameter(query, 'flow_type', ['workflow', 'agent']),
    () => booleanParameter(query, 'remove_example_flows', false),
  );
  const show = headersOnly ? flowHeader : (flow: FlowRecord) => view(call, flow);
  // As in Langflow, only a page is of one project.
  const project = getAll ? undefined : (folderId ?? (await users.find(principal.userId))?.folderId);
  const ids = await flows.ids(principal.userId, { folderId: project, componentsOnly, flowTypes });
  const shown = async (some: readonly string[]) => (await flows.findMany(principal.userId, some)).map(show);
  if (!getAll) {
    const items = await shown(ids.slice((page - 1) * size, page * size));
    const pages = Math.ceil(ids.length / size);
    return sendJson(response, 200, { items, total: ids.length, page, size, pages });
  }
  async function* parts() {
    for (let first = 0; first < ids.length; first += FLOWS_AT_ONCE)
      yield await shown(ids.slice(first, first + FLOWS_AT_ONCE));
  }
  await sendJsonList(response, 200, parts());
}

/** A flow that is put names a project of the user, else none; the other routes take the default project, as in Langflow. */
async function refuseUnknownProject(
  { projects }: FlowRoutesOptions,
  { principal }: KeyedCall,
  projectId: string | null | undefined,
): Promise<void> {
  if (!projectId || (await projects.find(principal.userId, normalizeUuid(projectId) ?? projectId))) return;
  throw new HttpError('invalid_value', 'Folder not found');
}

/** Changes a flow, unless the caller names another state of it than the present one. */
function changeFlow(
  options: FlowRoutesOptions,
  call: KeyedCall,
  { id, body, mergesSettings }: { id: string; body: Partial<FlowBody>; mergesSettings: boolean },
): Promise<StoredFlow | null> {
  const { flowService, release } = options;
  const author = authorOf(call);
  const { userId } = author;
  const expected = release === '1.11' ? undefined : expectedVersionToken(call.request);
  const update = { expectedVersionToken: expected, mergesSettings };
  return refuseConflict({ sources: options, userId, expected }, flowService.update(author, id, body, update));
}

function flowId(call: KeyedCall, repeated = TWICE.repeated): string {
  return parseUuidStrictly(pathParameter(call.request, 'flow_id'), ['path', 'flow_id'], repeated);
}

function flowNotFound(): HttpError {
  return new HttpError('flow_unknown', 'Flow not found');
}
