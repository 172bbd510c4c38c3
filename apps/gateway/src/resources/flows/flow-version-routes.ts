import {
  activatedVersionSchema,
  flowVersionDiffSchema,
  flowVersionListSchema,
  flowVersionSchema,
  flowVersionStateSchema,
} from './flow-version-schemas';
import { HttpError } from '@millrace/http';
import { flowVersionId } from '@millrace/runs';
import type { AuditLog, FlowStore, FlowVersion, UserStore } from '@millrace/runs';
import { requireAdmin } from '../../authentication/require-admin';
import { collectValidationErrors } from '../../http/validation/validator';
import { pythonIsoFormat } from '../../http/validation/date-time';
import { integerParameter, uuidParameter } from '../../http/validation/query';
import { forManagement } from '../../http/routing/access';
import { keyedRoute, pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { parseUuidStrictly } from '../../http/validation/uuid-text';
import { json, queryParameter } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import { authorOf } from '../../authentication/author-of';
import { diffFlows } from './diff-flows';
import type { FlowService } from '../../flow-changes/flow-service';
import { inspectionView } from '../../flow-changes/flow-view';
import { lastAuthor } from './last-author';
import { withoutSecrets } from './without-secrets';

const MAXIMUM_PAGE_SIZE = 200;
const MAXIMUM_VERSION = 2_147_483_647;
const operations = {
  state: {
    summary: 'Read which state of a flow is the present one',
    answers: { 200: json('The state', flowVersionStateSchema) },
    errors: ['flow_unknown'],
  },
  list: {
    summary: 'List the versions of a flow, newest first',
    query: {
      cursor: queryParameter('integer', 'The next_cursor of an earlier answer', { minimum: 1 }),
      limit: queryParameter('integer', 'Maximum number of versions, up to 200', { minimum: 1 }),
    },
    answers: { 200: json('The versions, and where the next page begins', flowVersionListSchema) },
    errors: ['flow_unknown'],
  },
  read: {
    summary: 'Read a version of a flow, without the values of its secret fields',
    query: { user_id: queryParameter('uuid', 'The owner of the flow, for admins') },
    answers: { 200: json('The version with its document', flowVersionSchema) },
    errors: ['not_found', 'permission_denied'],
  },
  diff: {
    summary: 'Compare a version of a flow with another one',
    query: {
      to: queryParameter('integer', 'The version to compare with; the active one unless given', {
        minimum: 1,
      }),
    },
    answers: { 200: json('The vertices and edges that differ', flowVersionDiffSchema) },
    errors: ['not_found', 'flow_unknown'],
  },
  activate: {
    summary: 'Activate the document of a version: it becomes the newest version of the flow',
    answers: { 200: json('The active version, and how it runs', activatedVersionSchema) },
    errors: ['not_found', 'invalid_flow', 'too_many_triggers'],
  },
} as const satisfies Record<string, Operation>;

export interface FlowVersionRoutesOptions {
  readonly flows: FlowStore;
  readonly users: Pick<UserStore, 'find'>;
  readonly audit: Pick<AuditLog, 'list'>;
  readonly flowService: FlowService;
}

/** Routes that list, read, compare and activate the versions of a flow. */
export function flowVersionRoutes({
  flows,
  users,
  audit,
  flowService,
}: FlowVersionRoutesOptions): readonly Route[] {
  const state = async (call: KeyedCall) => {
    const { userId } = call.principal;
    const flow = await flows.find(userId, flowIdOf(call, 2));
    if (!flow) throw unknownFlow();
    const author = await lastAuthor({ audit, users }, userId, flow.id);
    sendJson(call.response, 200, {
      version_token: flow.versionToken,
      last_modified_by: author.id,
      last_modified_by_username: author.username,
      updated_at: pythonIsoFormat(flow.updatedAt),
    });
  };
  const list = async (call: KeyedCall) => {
    const [id, cursor, limit] = collectValidationErrors(
      () => flowIdOf(call),
      () => integerParameter(call.query, 'cursor', { absent: 0, minimum: 1, maximum: MAXIMUM_VERSION }),
      () => integerParameter(call.query, 'limit', { absent: 50, minimum: 1, maximum: MAXIMUM_PAGE_SIZE }),
    );
    const page = { limit: limit + 1, before: cursor || undefined };
    const found = await flows.versions(call.principal.userId, id, page);
    // A flow has a version at all times, so that only a page behind the last one is empty.
    if (found.length === 0 && !(cursor && (await flows.find(call.principal.userId, id)))) throw unknownFlow();
    const shown = found.slice(0, limit);
    const next = found.length > limit ? String(shown.at(-1)?.version) : null;
    sendJson(call.response, 200, {
      versions: shown.map((version) => versionView(id, version)),
      next_cursor: next,
    });
  };
  const read = async (call: KeyedCall) => {
    const [[id, version], owner = call.principal.userId] = collectValidationErrors(
      () => pathOf(call),
      () => uuidParameter(call.query, 'user_id'),
    );
    if (owner !== call.principal.userId) {
      if (!call.principal.scopes.includes('admin'))
        throw new HttpError('permission_denied', 'Permission denied');
      await requireAdmin(users, call);
    }
    const found = await flows.version(owner, id, version);
    if (!found) throw unknownVersion();
    sendJson(call.response, 200, { ...versionView(id, found), data: withoutSecrets(found.document) });
  };
  const diff = async (call: KeyedCall) => {
    const { userId } = call.principal;
    const [[id, from], given] = collectValidationErrors(
      () => pathOf(call),
      () => integerParameter(call.query, 'to', { absent: 0, minimum: 1, maximum: MAXIMUM_VERSION }),
    );
    const before = await flows.version(userId, id, from);
    const after = given ? await flows.version(userId, id, given) : await flows.find(userId, id);
    if (!before || !after) throw unknownVersion();
    const differences = diffFlows(before.document, after.document);
    sendJson(call.response, 200, { from, to: after.version, ...differences });
  };
  const activate = async (call: KeyedCall) => {
    const { userId } = call.principal;
    const [id, version] = pathOf(call);
    const stored = await flowService.activate(authorOf(call), id, version);
    const [active] = stored ? await flows.versions(userId, id, { limit: 1 }) : [];
    if (!stored || !active) throw unknownVersion();
    sendJson(call.response, 200, { ...versionView(id, active), report: inspectionView(stored.inspection) });
  };
  const path = '/api/v1/flows/:flow_id/versions';
  const get = { method: 'GET', access: forManagement } as const;
  return [
    { ...get, path: '/api/v1/flows/:flow_id/version-state', operation: operations.state, handle: state },
    { ...get, path, operation: operations.list, handle: list },
    { ...get, path: `${path}/:version`, operation: operations.read, handle: read },
    { ...get, path: `${path}/:version/diff`, operation: operations.diff, handle: diff },
    keyedRoute(`POST ${path}/:version/activate`, forManagement, operations.activate, activate),
  ];
}

function versionView(
  flowId: string,
  { version, createdAt, isActive, restoredFrom }: FlowVersion,
): Record<string, unknown> {
  return {
    id: flowVersionId(flowId, version),
    version,
    created_at: pythonIsoFormat(createdAt),
    active: isActive,
    restored_from: restoredFrom,
  };
}

function pathOf(call: KeyedCall): readonly [id: string, version: number] {
  return collectValidationErrors(
    () => flowIdOf(call),
    () => versionOf(call),
  );
}

function flowIdOf({ request }: KeyedCall, repeated?: number): string {
  return parseUuidStrictly(pathParameter(request, 'flow_id'), ['path', 'flow_id'], repeated);
}

function versionOf({ request }: KeyedCall): number {
  const input = pathParameter(request, 'version');
  const version = /^\d{1,10}$/.test(input) ? Number(input) : 0;
  if (version >= 1 && version <= MAXIMUM_VERSION) return version;
  const msg = 'Input should be the number of a version';
  throw new HttpError('invalid_request', [{ type: 'int_parsing', loc: ['path', 'version'], msg, input }]);
}

function unknownVersion(): HttpError {
  return new HttpError('not_found', 'Version not found');
}

function unknownFlow(): HttpError {
  return new HttpError('flow_unknown', 'Flow not found');
}
