import { HttpError } from '@millrace/http';
import { readWaitingFacts } from '@millrace/runs';
import type { WaitingFacts } from '@millrace/runs';
import type { SharedClock } from '@millrace/service';
import { requireAdmin } from '../../authentication/require-admin';
import { sendJson } from '../../http/answers/send-json';
import { forReading } from '../../http/routing/access';
import { json, queryParameter } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import { keyedRoute } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { pythonIsoFormat } from '../../http/validation/date-time';
import { booleanParameter } from '../../http/validation/query';
import { parseUuidStrictly } from '../../http/validation/uuid-text';
import { invalidRequest } from '../../http/validation/validator';
import { valueError } from '../../http/validation/validation-items';
import { interactiveReason, waitingReason } from '../../run-views/waiting-reason';
import type { WaitingReason } from '../../run-views/waiting-reason';
import type { AnnouncedPools } from '../../runs/executor-pools';
import type { ReadYourWrites } from '../../runs/read-your-writes';
import type { RunLocator } from '../../runs/run-locator';
import { ownerOf, ownerQuery } from './run-owner';
import type { RunOwnerOptions } from './run-owner';
import { runIdOf, unknownRun } from './run-view';
import { waitingRunSchema, waitingRunsSchema } from './run-waiting-schemas';

export interface RunWaitingRoutesOptions extends RunOwnerOptions {
  readonly runLocator: RunLocator;
  readonly readYourWrites: ReadYourWrites;
  readonly announced: Pick<AnnouncedPools, 'connected'>;
  /** The user's share of published runs. */
  readonly publishedPerUser: number;
  readonly clock: SharedClock;
}

const MAXIMUM_IDS = 100;
const operations = {
  read: {
    summary: 'Read why a run waits: the reason, with its number or time',
    query: ownerQuery,
    answers: { 200: json('The reason, null for a run that does not wait', waitingRunSchema) },
    errors: ['not_found', 'permission_denied'],
  },
  list: {
    summary: 'Read why runs wait, by their ids; unknown ones are left out',
    query: {
      ids: { ...queryParameter('string', 'Ids of up to 100 runs, separated by commas'), required: true },
      ...ownerQuery,
    },
    answers: { 200: json('The runs', waitingRunsSchema) },
    errors: ['permission_denied'],
  },
} as const satisfies Record<string, Operation>;

/** The routes that say why runs wait. */
export function runWaitingRoutes(options: RunWaitingRoutesOptions): readonly Route[] {
  const { users, database, runLocator, readYourWrites, announced, publishedPerUser, clock } = options;
  const viewOf = async (facts: WaitingFacts) => {
    const executors = await announced.connected(facts.pool);
    return view(facts.id, facts.status, waitingReason(facts, executors, new Date(clock.now())));
  };
  const read = async (call: KeyedCall) => {
    const { request, response, principal } = call;
    const id = runIdOf(request);
    await readYourWrites.settled(principal.userId);
    const userId = await ownerOf(options, call, id);
    const [facts] = await readWaitingFacts(database, { ids: [id], userId, publishedPerUser });
    if (facts) return sendJson(response, 200, await viewOf(facts));
    const located = await runLocator.find(principal.userId, id);
    if (!located) throw unknownRun(id);
    const reason = interactiveReason(located, await announced.connected(located.pool));
    sendJson(response, 200, view(id, 'running', reason));
  };
  const list = async (call: KeyedCall) => {
    const { query, response, principal } = call;
    const ids = idsParameter(query);
    const isOfAll = booleanParameter(query, 'all_users', false);
    if (isOfAll && !principal.scopes.includes('admin'))
      throw new HttpError('permission_denied', 'Permission denied');
    if (isOfAll) await requireAdmin(users, call);
    await readYourWrites.settled(principal.userId);
    const userId = isOfAll ? null : principal.userId;
    const facts = await readWaitingFacts(database, { ids, userId, publishedPerUser });
    sendJson(response, 200, { runs: await Promise.all(facts.map(viewOf)) });
  };
  return [
    keyedRoute('GET /api/v1/runs/waiting', forReading, operations.list, list),
    keyedRoute('GET /api/v1/runs/:run_id/waiting', forReading, operations.read, read),
  ];
}

function view(run_id: string, status: WaitingFacts['status'], waiting: WaitingReason | null) {
  return {
    run_id,
    status,
    waiting: waiting && { ...waiting, at: waiting.at && pythonIsoFormat(waiting.at) },
  };
}

function idsParameter(query: URLSearchParams): readonly string[] {
  const text = query.get('ids') ?? '';
  const ids = text.split(',').filter((id) => id !== '');
  if (ids.length === 0 || ids.length > MAXIMUM_IDS)
    throw invalidRequest([
      valueError(['query', 'ids'], text, `Give 1 to ${MAXIMUM_IDS} ids, separated by commas`),
    ]);
  return ids.map((id) => parseUuidStrictly(id, ['query', 'ids']));
}
