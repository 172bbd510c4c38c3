import { authorCodeDecisionBodySchema } from './author-code-decision-body';
import type { AuthorCodeDecisionBody } from './author-code-decision-body';
import { authorCodeListSchema, authorCodeSchema, authorCodeTextSchema } from './author-code-schemas';
import { HttpError } from '@millrace/http';
import { authorCodeStatuses } from '@millrace/runs';
import type { ApprovedCode, AuditLog, AuthorCodeRecord, AuthorCodeStore, UserStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import { actorOf } from '../../authentication/actor-of';
import { requireAdmin } from '../../authentication/require-admin';
import { collectValidationErrors, createValidator, invalidRequest } from '../../http/validation/validator';
import { pythonIsoFormat } from '../../http/validation/date-time';
import { integerParameter, uuidParameter, wordParameter } from '../../http/validation/query';
import { requireBody } from '../../http/validation/require-body';
import { forAdmins } from '../../http/routing/access';
import { pathParameter, requestIdOf } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { json, jsonBody, nothing, queryParameter } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import type { ControlChannel } from '../../runs/control-channel';

const checkDecision = createValidator(authorCodeDecisionBodySchema);
const DEFAULT_LIMIT = 100;
const MAXIMUM_LIMIT = 1_000;
const operations = {
  list: {
    summary: 'List the Python code of flows, newest first',
    query: {
      status: {
        description: 'Only code with this status',
        schema: { enum: [...authorCodeStatuses, 'all'], default: 'waiting' },
      },
      submitted_by: queryParameter('uuid', 'Only code that a flow of this user contained first'),
      limit: queryParameter('integer', `Maximum number of entries, up to ${MAXIMUM_LIMIT}`, { minimum: 1 }),
    },
    answers: { 200: json('The entries, without the code', authorCodeListSchema) },
    errors: ['permission_denied'],
  },
  find: {
    summary: 'Read Python code of a flow, by its SHA-256',
    answers: { 200: json('The entry with its code', authorCodeTextSchema) },
    errors: ['permission_denied', 'not_found'],
  },
  decide: {
    summary: 'Approve or refuse Python code, by its SHA-256',
    body: jsonBody(authorCodeDecisionBodySchema),
    answers: { 200: json('The entry after the decision', authorCodeSchema) },
    errors: ['permission_denied'],
  },
  remove: {
    summary: 'Delete Python code and the decision about it',
    answers: { 204: nothing('The entry was deleted') },
    errors: ['permission_denied', 'not_found'],
  },
} as const satisfies Record<string, Operation>;

export interface AuthorCodeRoutesOptions {
  readonly authorCode: AuthorCodeStore;
  readonly audit: AuditLog;
  readonly users: Pick<UserStore, 'find'>;
  readonly approvedCode: Pick<ApprovedCode, 'forget'>;
  readonly control: Pick<ControlChannel, 'send'>;
  readonly logger: Logger;
}

/** Routes by which admins decide which Python code of flows can run. */
export function authorCodeRoutes({
  authorCode,
  audit,
  users,
  approvedCode,
  control,
  logger,
}: AuthorCodeRoutesOptions): readonly Route[] {
  /** Logs a decision for audits, and makes it take effect on all processes. */
  const announce = ({ principal, response }: KeyedCall, sha256: string, event: string) => {
    logger.info({ sha256, adminId: principal.userId, requestId: requestIdOf(response) }, event);
    approvedCode.forget(sha256);
    void control.send({ kind: 'author-code-changed', sha256 });
  };
  const list = async (call: KeyedCall) => {
    await requireAdmin(users, call);
    const [status, submittedBy, limit] = collectValidationErrors(
      () => wordParameter(call.query, 'status', { words: [...authorCodeStatuses, 'all'], absent: 'waiting' }),
      () => uuidParameter(call.query, 'submitted_by'),
      () =>
        integerParameter(call.query, 'limit', { absent: DEFAULT_LIMIT, minimum: 1, maximum: MAXIMUM_LIMIT }),
    );
    const found = await authorCode.list({
      status: status === 'all' ? null : status,
      submittedBy,
      limit,
    });
    sendJson(call.response, 200, { author_code: found.map(authorCodeView) });
  };
  const find = async (call: KeyedCall) => {
    await requireAdmin(users, call);
    const found = await authorCode.find(sha256Of(call));
    if (found === null) throw unknownCode();
    sendJson(call.response, 200, { ...authorCodeView(found), code: found.code });
  };
  const decide = async (call: KeyedCall) => {
    await requireAdmin(users, call);
    const [sha256] = collectValidationErrors(
      () => sha256Of(call),
      () => checkDecision(requireBody(call.body)),
    );
    const { status } = call.body as AuthorCodeDecisionBody;
    const decided = await audit.change(actorOf(call), async (change) => {
      const decided = await authorCode.within(change).decide(sha256, call.principal.userId, status);
      change.note({ action: `author_code.${status}`, objectId: sha256, objectName: decided.componentType });
      return decided;
    });
    announce(call, sha256, `author code ${status}`);
    sendJson(call.response, 200, authorCodeView(decided));
  };
  const remove = async (call: KeyedCall) => {
    await requireAdmin(users, call);
    const sha256 = sha256Of(call);
    const isDeleted = await audit.change(actorOf(call), async (change) => {
      const isDeleted = await authorCode.within(change).delete(sha256);
      if (isDeleted) change.note({ action: 'author_code.deleted', objectId: sha256 });
      return isDeleted;
    });
    if (!isDeleted) throw unknownCode();
    announce(call, sha256, 'author code deleted');
    call.response.writeHead(204).end();
  };
  const all = { access: forAdmins, path: '/api/v1/author-code' } as const;
  const one = { access: forAdmins, path: '/api/v1/author-code/:sha256' } as const;
  return [
    { ...all, method: 'GET', operation: operations.list, handle: list },
    { ...one, method: 'GET', operation: operations.find, handle: find },
    { ...one, method: 'PUT', body: 'json', operation: operations.decide, handle: decide },
    { ...one, method: 'DELETE', operation: operations.remove, handle: remove },
  ];
}

function authorCodeView(record: AuthorCodeRecord): Record<string, unknown> {
  return {
    sha256: record.sha256,
    status: record.status,
    component_type: record.componentType,
    bytes: record.bytes,
    submitted_by: record.submittedBy,
    submitted_at: record.submittedAt && pythonIsoFormat(record.submittedAt),
    decided_by: record.decidedBy,
    decided_at: record.decidedAt && pythonIsoFormat(record.decidedAt),
  };
}

/** Returns the hash that the path names, in lower case. Throws invalid_request: a shortened hash approves nothing. */
function sha256Of({ request }: KeyedCall): string {
  const input = pathParameter(request, 'sha256');
  if (/^[0-9a-f]{64}$/i.test(input)) return input.toLowerCase();
  const pattern = '^[0-9a-fA-F]{64}$';
  const msg = `String should match pattern '${pattern}'`;
  throw invalidRequest([
    { type: 'string_pattern_mismatch', loc: ['path', 'sha256'], msg, input, ctx: { pattern } },
  ]);
}

function unknownCode(): HttpError {
  return new HttpError('not_found', 'There is no entry for this SHA-256.');
}
