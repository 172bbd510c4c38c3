import { auditEntrySchema, auditPageSchema } from './audit-schemas';
import { auditActions, auditEntryView } from '@millrace/runs';
import type { AuditExportFilter, AuditLog, UserStore } from '@millrace/runs';
import { requireAdmin } from '../../authentication/require-admin';
import { collectValidationErrors } from '../../http/validation/validator';
import { integerParameter, timeParameter, uuidParameter, wordParameter } from '../../http/validation/query';
import { forAdmins } from '../../http/routing/access';
import { keyedRoute } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson, sendJsonLines } from '../../http/answers/send-json';
import { json, queryParameter } from '../../http/routing/operation';
import type { Operation, QueryParameter } from '../../http/routing/operation';

const DEFAULT_LIMIT = 100;
const MAXIMUM_LIMIT = 1_000;
/** Kinds of objects, each of which selects all actions on it. */
const kinds = [...new Set(auditActions.map((action) => action.split('.', 1)[0] ?? ''))];
const filters = {
  user_id: queryParameter('uuid', 'Only entries of this acting user'),
  key_id: queryParameter('uuid', 'Only entries of this API key, by its id'),
  action: {
    description: 'Only this action, or all actions on this kind of object',
    schema: { title: 'AuditAction', enum: [...kinds, ...auditActions] },
  },
  object_id: queryParameter('string', 'Only entries about the object with this id'),
  from: time('Only entries from this time on'),
  to: time('Only entries before this time'),
} as const;
const operations = {
  list: {
    summary: 'List the audit log, newest first',
    query: {
      ...filters,
      before: queryParameter('integer', 'Only entries before this position', { minimum: 1 }),
      limit: queryParameter('integer', `Maximum number of entries, up to ${MAXIMUM_LIMIT}`, { minimum: 1 }),
    },
    answers: { 200: json('The entries, and both ends of the chain', auditPageSchema) },
    errors: ['permission_denied'],
  },
  export: {
    summary: 'Export the audit log as JSON lines, oldest first',
    query: filters,
    answers: {
      200: {
        description: 'One entry a line; without filters, or with times alone, the chain can be verified',
        content: { 'application/x-ndjson': auditEntrySchema },
      },
    },
    errors: ['permission_denied'],
  },
} as const satisfies Record<string, Operation>;

export interface AuditRoutesOptions {
  readonly audit: AuditLog;
  readonly users: Pick<UserStore, 'find'>;
}

/** Routes by which admins read the audit log of all users. */
export function auditRoutes({ audit, users }: AuditRoutesOptions): readonly Route[] {
  const list = async (call: KeyedCall) => {
    await requireAdmin(users, call);
    const { query, response } = call;
    const [filter, before, limit] = collectValidationErrors(
      () => filterOf(query),
      () => (query.has('before') ? integerParameter(query, 'before', position) : undefined),
      () => integerParameter(query, 'limit', { absent: DEFAULT_LIMIT, minimum: 1, maximum: MAXIMUM_LIMIT }),
    );
    const [entries, chain] = [await audit.list({ ...filter, before, limit }), await audit.chain()];
    const views = entries.map((entry) => ({
      ...auditEntryView(entry),
      username: entry.username,
      key_name: entry.keyName,
    }));
    sendJson(response, 200, { entries: views, ...chain });
  };
  const exportAll = async (call: KeyedCall) => {
    await requireAdmin(users, call);
    await sendJsonLines(call.response, viewsOf(audit.export(filterOf(call.query))));
  };
  return [
    keyedRoute('GET /api/v1/audit', forAdmins, operations.list, list),
    keyedRoute('GET /api/v1/audit/export', forAdmins, operations.export, exportAll),
  ];
}

const position = { absent: 0, minimum: 1, maximum: Number.MAX_SAFE_INTEGER };

function filterOf(query: URLSearchParams): AuditExportFilter {
  const [userId, keyId, action, from, to] = collectValidationErrors(
    () => uuidParameter(query, 'user_id'),
    () => uuidParameter(query, 'key_id'),
    () => wordParameter(query, 'action', { words: ['', ...kinds, ...auditActions], absent: '' }),
    () => timeParameter(query, 'from'),
    () => timeParameter(query, 'to'),
  );
  const actions = auditActions.filter((known) => known === action || known.startsWith(`${action}.`));
  return {
    userId,
    keyId,
    actions: action === '' ? undefined : actions,
    objectId: query.get('object_id') ?? undefined,
    from,
    to,
  };
}

async function* viewsOf(pages: ReturnType<AuditLog['export']>): AsyncGenerator<readonly unknown[]> {
  for await (const entries of pages) yield entries.map(auditEntryView);
}

function time(description: string): QueryParameter {
  return { description, schema: { type: 'string', format: 'date-time' } };
}
