import type { PrincipalCache } from '@millrace/access';
import { HttpError } from '@millrace/http';
import { closedObject, flag, listOf, named, orNull, text, uuid } from '@millrace/messages';
import { memberName } from '@millrace/runs';
import type {
  AuditActor,
  AuditLog,
  MemberRecord,
  MemberStore,
  ProjectRecord,
  ProjectStore,
  Role,
  UserStore,
} from '@millrace/runs';
import { actorOf } from '../../authentication/actor-of';
import { refuseDuplicate } from '../../http/answers/refuse-duplicate';
import { sendJson } from '../../http/answers/send-json';
import { forManagement, forReading } from '../../http/routing/access';
import { json, jsonBody, nothing } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import { jsonRoute, keyedRoute, pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { pythonIsoFormat } from '../../http/validation/date-time';
import type { RequestSchema } from '../../http/validation/request-schema';
import { requireBody } from '../../http/validation/require-body';
import { normalizeUuid, parseUuidStrictly } from '../../http/validation/uuid-text';
import { collectValidationErrors, createValidator } from '../../http/validation/validator';
import type { ControlChannel } from '../../runs/control-channel';

export interface ForgetMembersOptions {
  readonly principals: PrincipalCache;
  readonly control: ControlChannel;
}

export interface EndMembershipsOptions extends ForgetMembersOptions {
  readonly members: Pick<MemberStore, 'list' | 'within'>;
  readonly audit: AuditLog;
}

export interface MemberRoutesOptions extends EndMembershipsOptions {
  readonly members: MemberStore;
  readonly projects: Pick<ProjectStore, 'find'>;
  readonly users: Pick<UserStore, 'named'>;
}

interface MemberBody {
  readonly role: Role;
  readonly payloads?: boolean;
}

const roles = ['viewer', 'operator', 'editor', 'owner'] as const satisfies readonly Role[];
const bodySchema: RequestSchema = {
  title: 'MemberBody',
  type: 'object',
  'x-model': true,
  additionalProperties: false,
  required: ['role'],
  properties: { role: { enum: roles }, payloads: { type: 'boolean' } },
};
const check = createValidator(bodySchema);
const granted = { role: { enum: roles }, payloads: flag, created_at: text, issuer: orNull(text) };
const memberSchema = named('Member', closedObject({ user_id: uuid, username: text, ...granted }));
const membershipSchema = named(
  'Membership',
  closedObject({ project_id: uuid, project_name: text, owner_id: uuid, owner_username: text, ...granted }),
);
const operations = {
  list: {
    summary: 'List the members of a project; those of groups have an `issuer`',
    answers: { 200: json('The members, by name', closedObject({ members: listOf(memberSchema) })) },
    errors: ['not_found'],
  },
  put: {
    summary:
      'Make a user, by id or name, a member of a project, or change the role; open streams of the member end',
    body: jsonBody(bodySchema),
    answers: { 200: json('The member', memberSchema) },
    errors: ['not_found', 'invalid_value', 'duplicate'],
  },
  remove: {
    summary: 'Remove a member, by id or name, from a project; their open streams end',
    answers: { 204: nothing('The user is no member any more') },
    errors: ['not_found'],
  },
  memberships: {
    summary: 'List the projects of other users that you are a member of',
    answers: { 200: json('The projects, by name', closedObject({ memberships: listOf(membershipSchema) })) },
  },
  leave: {
    summary: 'Leave a project of another user; your open streams of it end',
    answers: { 204: nothing('You are no member any more') },
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;

/** Makes all processes look memberships up again, and ends their streams. The caller can rely on it after the answer. */
export async function forgetMembers(
  { principals, control }: ForgetMembersOptions,
  members: readonly Pick<MemberRecord, 'userId' | 'projectId'>[],
): Promise<void> {
  for (const { userId, projectId } of members) {
    const keyHash = memberName(userId, projectId);
    principals.invalidate(keyHash);
    await control.send({ kind: 'key-revoked', keyHash });
  }
}

/** Ends memberships. The caller can rely on it after the answer. */
export async function endMemberships(
  options: EndMembershipsOptions,
  actor: AuditActor,
  ended: readonly MemberRecord[],
): Promise<void> {
  const { members, audit } = options;
  for (const one of ended) {
    const { ownerId, projectId, projectName, userId } = one;
    await audit.change(actor, async (change) => {
      if (!(await members.within(change).delete(ownerId, projectId, userId))) return;
      const detail = { user_id: userId };
      change.note({ action: 'project.unshared', objectId: projectId, objectName: projectName, detail });
    });
    await forgetMembers(options, [one]);
  }
}

/** Routes for the members of a project, and for the projects that the caller is a member of. */
export function memberRoutes(options: MemberRoutesOptions): readonly Route[] {
  const { members, audit } = options;
  const list = async ({ request, response, principal: { userId } }: KeyedCall) => {
    const { id } = await projectOf(options, userId, idIn(request, 'project_id'));
    sendJson(response, 200, { members: (await members.list(userId, id)).map(memberView) });
  };
  const put = async (call: KeyedCall) => {
    const { request, body, response, principal } = call;
    const [projectId] = collectValidationErrors(
      () => idIn(request, 'project_id'),
      () => check(requireBody(body)),
    );
    const ownerId = principal.userId;
    const project = await projectOf(options, ownerId, projectId);
    const { role, payloads = role !== 'viewer' } = body as MemberBody;
    if (!payloads && role !== 'viewer')
      throw new HttpError('invalid_value', 'payloads: only a viewer can be kept from seeing them.');
    const user = await userOf(options, userIn(request));
    const userId = user.id;
    if (userId === ownerId) throw new HttpError('invalid_value', 'The project is theirs.');
    const changing = audit.change(actorOf(call), async (change) => {
      await members.within(change).put({ ownerId, projectId, userId }, { role, payloads });
      const detail = { user_id: userId, username: user.username, role, payloads };
      change.note({ action: 'project.shared', objectId: projectId, objectName: project.name, detail });
    });
    await refuseDuplicate('An older project of another user has this id.', changing, 409);
    await forgetMembers(options, [{ userId, projectId }]);
    const member = (await members.list(ownerId, projectId)).find((one) => one.userId === userId);
    if (member === undefined) throw noMember();
    sendJson(response, 200, memberView(member));
  };
  const remove = async (call: KeyedCall) => {
    const { request, response, principal } = call;
    const projectId = idIn(request, 'project_id');
    await projectOf(options, principal.userId, projectId);
    const found = await members.list(principal.userId, projectId);
    const wanted = userIn(request);
    const ended = found.filter((one) => (wanted.isId ? one.userId : one.username) === wanted.given);
    if (ended.length === 0) throw noMember();
    await endMemberships(options, actorOf(call), ended);
    response.writeHead(204).end();
  };
  const memberships = async ({ response, principal }: KeyedCall) => {
    const found = await members.ofUser(principal.userId);
    sendJson(response, 200, { memberships: found.map(membershipView) });
  };
  const leave = async (call: KeyedCall) => {
    const projectId = idIn(call.request, 'project_id');
    const found = await members.ofUser(call.principal.userId);
    const ended = found.filter((one) => one.projectId === projectId);
    if (ended.length === 0) throw noMember();
    await endMemberships(options, actorOf(call), ended);
    call.response.writeHead(204).end();
  };
  const all = '/api/v1/members/:project_id';
  const own = '/api/v1/memberships';
  return [
    keyedRoute(`GET ${all}`, forManagement, operations.list, list),
    jsonRoute(`PUT ${all}/:user`, forManagement, operations.put, put),
    keyedRoute(`DELETE ${all}/:user`, forManagement, operations.remove, remove),
    keyedRoute(`GET ${own}`, forReading, operations.memberships, memberships),
    keyedRoute(`DELETE ${own}/:project_id`, forManagement, operations.leave, leave),
  ];
}

function idIn(request: KeyedCall['request'], name: string): string {
  return parseUuidStrictly(pathParameter(request, name), ['path', name]);
}

interface Reference {
  readonly given: string;
  /** A text in the form of an id is no name: the name of one user can be the id of another, or of one who was deleted. */
  readonly isId: boolean;
}

function userIn(request: KeyedCall['request']): Reference {
  const given = pathParameter(request, 'user');
  const id = normalizeUuid(given);
  return { given: id ?? given, isId: id !== null };
}

async function userOf(
  { users }: MemberRoutesOptions,
  { given, isId }: Reference,
): Promise<Pick<MemberRecord, 'username'> & { readonly id: string }> {
  const user = (await users.named([given])).get(given);
  if (user === undefined || (isId && user.id !== given)) throw new HttpError('not_found', 'User not found');
  return user;
}

async function projectOf(
  { projects }: MemberRoutesOptions,
  ownerId: string,
  id: string,
): Promise<ProjectRecord> {
  const project = await projects.find(ownerId, id);
  if (!project) throw new HttpError('not_found', 'Project not found');
  return project;
}

function noMember(): HttpError {
  return new HttpError('not_found', 'Member not found');
}

function grantedView({ role, payloads, createdAt, issuer }: MemberRecord) {
  return { role, payloads, created_at: pythonIsoFormat(createdAt), issuer };
}

function memberView(member: MemberRecord) {
  return { user_id: member.userId, username: member.username, ...grantedView(member) };
}

function membershipView(member: MemberRecord) {
  return {
    project_id: member.projectId,
    project_name: member.projectName,
    owner_id: member.ownerId,
    owner_username: member.ownerName,
    ...grantedView(member),
  };
}
