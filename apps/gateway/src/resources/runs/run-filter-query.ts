import { runStatuses } from './run-statuses';
import type { RunFilterBody } from './bulk-runs-body';
import { HttpError } from '@millrace/http';
import type { RunFilter, RunOrigin, RunStatus, UserStore } from '@millrace/runs';
import { requireAdmin } from '../../authentication/require-admin';
import { collectValidationErrors, invalidRequest } from '../../http/validation/validator';
import { parseDateTime } from '../../http/validation/date-time';
import {
  booleanParameter,
  integerParameter,
  timeParameter,
  uuidParameter,
} from '../../http/validation/query';
import type { KeyedCall } from '../../http/routing/route';
import { normalizeUuid } from '../../http/validation/uuid-text';
import { queryParameter } from '../../http/routing/operation';
import type { QueryParameter } from '../../http/routing/operation';

const ORIGINS = ['run', 'webhook', 'advanced'] as const satisfies readonly RunOrigin[];
const MAXIMUM_VERSION = 2_147_483_647;

/** A filter, and whose runs it selects: of the caller when neither is given. */
export interface WantedRuns {
  readonly filter: Omit<RunFilter, 'userId'>;
  readonly userId: string | undefined;
  readonly allUsers: boolean;
}

/** The documentation of the parameters that select runs. */
export const runFilterQuery = {
  flow_id: queryParameter('uuid', 'Only runs of this flow'),
  project_id: queryParameter('uuid', 'Only runs of the flows that are in this project now'),
  flow_version: queryParameter('integer', 'Only runs of this version of the flow; needs flow_id', {
    minimum: 1,
  }),
  status: {
    description: 'Only runs with this status, or with one of several, separated by commas',
    schema: { type: 'string', pattern: `^(${runStatuses.join('|')})(,(${runStatuses.join('|')}))*$` },
  },
  origin: { description: 'Only runs that this endpoint started', schema: { enum: ORIGINS } },
  pool: queryParameter('string', 'Only runs in this pool'),
  session_id: queryParameter('string', 'Only runs of this session'),
  error_code: queryParameter('string', 'Only runs that failed with this code'),
  vertex_id: queryParameter('string', 'Only runs in which this vertex failed'),
  model: queryParameter('string', 'Only runs that called this model'),
  key_id: queryParameter(
    'uuid',
    'Only runs that this API key asked for: those stored before they start, and of others those that failed or are of end users; runs of webhooks, schedules and queues have no key',
  ),
  accepted_from: timeQuery('Only runs that were accepted at this time or later'),
  accepted_before: timeQuery('Only runs that were accepted before this time'),
  user_id: queryParameter('uuid', 'Runs of this user; those of others are for admins'),
  all_users: queryParameter('boolean', 'Runs of all users, for admins'),
} as const satisfies Record<string, QueryParameter>;

function timeQuery(description: string): QueryParameter {
  return { description, schema: { type: 'string', format: 'date-time' } };
}

/** Reads the parameters that select runs. Throws invalid_request and invalid_value. */
export function wantedByQuery(query: URLSearchParams): WantedRuns {
  const [
    flowId,
    projectId,
    flowVersion,
    statuses,
    origin,
    acceptedFrom,
    acceptedBefore,
    userId,
    allUsers,
    keyId,
  ] = collectValidationErrors(
    () => uuidParameter(query, 'flow_id'),
    () => uuidParameter(query, 'project_id'),
    () => versionParameter(query),
    () => statusesParameter(query),
    () => originParameter(query),
    () => timeParameter(query, 'accepted_from'),
    () => timeParameter(query, 'accepted_before'),
    () => uuidParameter(query, 'user_id'),
    () => booleanParameter(query, 'all_users', false),
    () => uuidParameter(query, 'key_id'),
  );
  const [pool, sessionId, errorCode, vertexId, model] = [
    'pool',
    'session_id',
    'error_code',
    'vertex_id',
    'model',
  ].map((name) => query.get(name) ?? undefined);
  const named = { flowId, projectId, flowVersion, statuses, origin, pool, sessionId, errorCode, vertexId };
  return checked({ filter: { ...named, model, keyId, acceptedFrom, acceptedBefore }, userId, allUsers });
}

/** Reads the member `filter` of a validated body. Throws invalid_value. */
export function wantedByBody(body: RunFilterBody): WantedRuns {
  const time = (value: string | number | null | undefined) => parseDateTime(value) ?? undefined;
  const uuid = (value: string | null | undefined) => (value ? (normalizeUuid(value) ?? value) : undefined);
  return checked({
    userId: uuid(body.user_id),
    allUsers: body.all_users ?? false,
    filter: {
      flowId: uuid(body.flow_id),
      projectId: uuid(body.project_id),
      flowVersion: body.flow_version ?? undefined,
      statuses: body.status ?? undefined,
      origin: body.origin ?? undefined,
      pool: body.pool ?? undefined,
      sessionId: body.session_id ?? undefined,
      errorCode: body.error_code ?? undefined,
      vertexId: body.vertex_id ?? undefined,
      model: body.model ?? undefined,
      keyId: uuid(body.key_id),
      acceptedFrom: time(body.accepted_from),
      acceptedBefore: time(body.accepted_before),
    },
  });
}

/**
 * Resolves to the filter of the runs that the caller can see. Only admins see the runs of others. Throws
 * permission_denied.
 */
export async function permittedFilter(
  users: Pick<UserStore, 'find'>,
  call: Pick<KeyedCall, 'principal'>,
  { filter, userId, allUsers }: WantedRuns,
): Promise<RunFilter> {
  const { userId: own, member } = call.principal;
  if (member?.payloads === false && filter.sessionId !== undefined)
    throw new HttpError('permission_denied', 'session_id: a viewer of this project sees no sessions.');
  if (!allUsers && (userId === undefined || userId === own)) return { ...filter, userId: own };
  if (!call.principal.scopes.includes('admin')) throw new HttpError('permission_denied', 'Permission denied');
  await requireAdmin(users, call);
  return { ...filter, userId: userId ?? null };
}

function checked(wanted: WantedRuns): WantedRuns {
  if (wanted.filter.flowVersion !== undefined && wanted.filter.flowId === undefined)
    throw new HttpError('invalid_value', 'flow_version needs flow_id: each flow numbers its versions.');
  return wanted;
}

function versionParameter(query: URLSearchParams): number | undefined {
  const bounds = { absent: 0, minimum: 1, maximum: MAXIMUM_VERSION };
  return integerParameter(query, 'flow_version', bounds) || undefined;
}

function statusesParameter(query: URLSearchParams): readonly RunStatus[] | undefined {
  const texts = query.get('status')?.split(',');
  return texts?.map((text) => oneOf(runStatuses, 'status', text));
}

function originParameter(query: URLSearchParams): RunOrigin | undefined {
  const text = query.get('origin');
  return text === null ? undefined : oneOf(ORIGINS, 'origin', text);
}

function oneOf<Word extends string>(words: readonly Word[], name: string, input: string): Word {
  const word = words.find((known) => known === input);
  if (word !== undefined) return word;
  const expected = words.map((known) => `'${known}'`).join(', ');
  const msg = `Input should be one of ${expected}`;
  throw invalidRequest([{ type: 'literal_error', loc: ['query', name], msg, input, ctx: { expected } }]);
}
