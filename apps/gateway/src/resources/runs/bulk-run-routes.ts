import { bulkRunsBodySchema } from './bulk-runs-body';
import type { BulkRunsBody } from './bulk-runs-body';
import { bulkRunsSchema } from './run-record-schemas';
import { HttpError } from '@millrace/http';
import type {
  AuditActor,
  AuditEvent,
  AuditLog,
  BulkAction,
  BulkBatch,
  BulkResult,
  RunFilter,
  RunPage,
  RunStatus,
  RunStore,
  UserBacklogs,
  UserStore,
} from '@millrace/runs';
import { activeTraceparent } from '@millrace/service';
import type { Logger } from '@millrace/service';
import { actorOf } from '../../authentication/actor-of';
import { requireBody } from '../../http/validation/require-body';
import { forReading } from '../../http/routing/access';
import { requestIdOf } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { createValidator } from '../../http/validation/validator';
import { json, jsonBody } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import type { ControlChannel } from '../../runs/control-channel';
import { bulkToken, readBulkToken } from './bulk-token';
import type { BulkProgress } from './bulk-token';
import { permittedFilter, wantedByBody } from './run-filter-query';
import { refuseOverBacklogLimit } from './refuse-over-backlog-limit';

const checkBody = createValidator(bulkRunsBodySchema);
const MAXIMUM_COUNT = 10_000;
/** One statement's share of the runs. */
const BATCH_RUNS = 500;
const BATCHES_PER_REQUEST = 2;
const POSSIBLE: Readonly<Record<BulkAction['kind'], readonly RunStatus[]>> = {
  cancel: ['accepted', 'queued', 'running', 'suspended'],
  replay: ['failed', 'timed_out', 'dead'],
};
const operation = {
  summary: 'Cancel or replay the runs of a filter: count them first, then repeat the request with the token',
  body: jsonBody(bulkRunsBodySchema),
  answers: { 200: json('The count, or the runs that were reached', bulkRunsSchema) },
  errors: ['too_many_waiting'],
} as const satisfies Operation;

export interface BulkRunRoutesOptions {
  readonly runs: RunStore;
  readonly audit: AuditLog;
  readonly users: Pick<UserStore, 'find'>;
  readonly backlogs: UserBacklogs;
  readonly control: ControlChannel;
  readonly pythonPool: string | null;
  readonly logger: Logger;
}

interface BulkCall {
  readonly action: BulkAction;
  readonly filter: RunFilter;
  readonly requestId: string;
  readonly actor: AuditActor;
}

/** The route that cancels or replays the runs of a filter. */
export function bulkRunRoutes(options: BulkRunRoutesOptions): readonly Route[] {
  const handle = async (call: KeyedCall) => {
    checkBody(requireBody(call.body));
    const body = call.body as BulkRunsBody;
    const wanted = wantedByBody(body.filter);
    const action = actionOf(body);
    refuseImpossibleStatuses(action, wanted.filter.statuses);
    const filter = await permittedFilter(options.users, call, wanted);
    const bulk = { action, filter, requestId: requestIdOf(call.response), actor: actorOf(call) };
    if (body.dry_run === true) return sendJson(call.response, 200, await count(options, bulk));
    if (!body.token)
      throw new HttpError(
        'invalid_value',
        'Send the request with "dry_run": true first, then with its token.',
      );
    const progress = readBulkToken(bulk, body.token);
    const answer = await apply(options, bulk, progress);
    const { requestId } = bulk;
    const userId = call.principal.userId;
    options.logger.info(
      { requestId, userId, action: action.kind, runs: answer.count },
      'runs changed by filter',
    );
    sendJson(call.response, 200, answer);
  };
  return [{ method: 'POST', path: '/api/v1/runs/bulk', access: forReading, body: 'json', operation, handle }];
}

function actionOf({ action, version }: BulkRunsBody): BulkAction {
  if (action === 'replay') return { kind: 'replay', version: version ?? 'current' };
  if (version) throw new HttpError('invalid_value', 'version is for the action replay.');
  return { kind: 'cancel' };
}

function refuseImpossibleStatuses({ kind }: BulkAction, statuses: readonly RunStatus[] | undefined): void {
  const impossible = statuses?.find((status) => !POSSIBLE[kind].includes(status));
  if (impossible !== undefined)
    throw new HttpError(
      'invalid_value',
      `A run with the status ${impossible} cannot be the subject of ${kind}.`,
    );
}

async function count({ runs }: BulkRunRoutesOptions, bulk: BulkCall): Promise<object> {
  const counted = await runs.countBulk(bulk, MAXIMUM_COUNT);
  const { asOfMicroseconds } = counted;
  const token =
    counted.count === 0 ? null : bulkToken(bulk, { asOfMicroseconds, left: counted.count, after: null });
  const { kind: action } = bulk.action;
  return { action, dry_run: true, count: counted.count, complete: counted.isComplete, token };
}

/** Reaches up to `BATCHES_PER_REQUEST` batches of the counted runs. */
async function apply(options: BulkRunRoutesOptions, bulk: BulkCall, from: BulkProgress) {
  const { action, filter } = bulk;
  if (action.kind === 'replay' && filter.userId !== null)
    refuseOverBacklogLimit(options.backlogs, filter.userId);
  const { asOfMicroseconds } = from;
  const reached: BulkResult[] = [];
  let { left } = from;
  let after = from.after ?? undefined;
  let isMore = left > 0;
  for (let batches = 0; isMore && batches < BATCHES_PER_REQUEST; batches += 1) {
    const page = { limit: Math.min(BATCH_RUNS, left), after };
    const batch = await applyBatch(options, bulk, asOfMicroseconds, page);
    reached.push(...batch.runs);
    await announce(options, bulk, batch.runs);
    left -= batch.runs.length;
    after = batch.next ?? undefined;
    isMore = after !== undefined && left > 0;
  }
  return {
    action: bulk.action.kind,
    dry_run: false,
    count: reached.length,
    runs: reached.map(({ id, replayedAs }) => ({ id, replayed_as: replayedAs })),
    token: isMore ? bulkToken(bulk, { asOfMicroseconds, left, after: after ?? null }) : null,
  };
}

/** Reaches the runs of one batch, in one transaction with the entry of the audit log. */
function applyBatch(
  { runs, audit, pythonPool }: BulkRunRoutesOptions,
  bulk: BulkCall,
  asOfMicroseconds: number,
  page: RunPage,
): Promise<BulkBatch> {
  const { action, filter, requestId, actor } = bulk;
  const traceparent = activeTraceparent();
  // The key of an admin is none of other users.
  const keyId = filter.userId === actor.userId ? actor.keyId : null;
  return audit.change(actor, async (change) => {
    const order = { action, filter, asOfMicroseconds };
    const options = { requestId, pythonPool, traceparent, keyId };
    const batch = await runs.within(change).applyBulk(order, page, options);
    if (batch.runs.length > 0) change.note(bulkEvent(bulk, batch.runs.length));
    return batch;
  });
}

/** Returns what the audit log records of a batch: the ids of the filter, and only the names of its other members. */
function bulkEvent({ action, filter, actor }: BulkCall, runs: number): AuditEvent {
  const { flowId, userId, statuses } = filter;
  const members = Object.entries(filter).filter(([, value]) => value !== undefined);
  return {
    action: action.kind === 'cancel' ? 'run.cancelled' : 'run.replayed',
    detail: {
      runs,
      filter: members.map(([name]) => name).toSorted(),
      ...(flowId === undefined ? {} : { flow_id: flowId }),
      ...(statuses === undefined ? {} : { status: statuses }),
      ...(userId === actor.userId ? {} : { user_id: userId }),
      ...(action.kind === 'cancel' ? {} : { version: action.version }),
    },
  };
}

/** Tells the executors which running runs to end; replays count towards their users' backlogs. */
async function announce(
  { control, backlogs }: BulkRunRoutesOptions,
  { action }: BulkCall,
  reached: readonly BulkResult[],
): Promise<void> {
  if (action.kind === 'replay') for (const { userId } of reached) backlogs.increment(userId);
  const running = reached.filter(({ isRunning }) => isRunning);
  const reason = 'requested by the owner';
  await Promise.all(running.map(({ id: runId }) => control.send({ kind: 'cancel', runId, reason })));
}
