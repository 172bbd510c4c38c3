import { changedReplayBodySchema } from './changed-replay-body';
import type { ChangedReplayBody } from './changed-replay-body';
import { deletedRunsSchema, replaysSchema } from './run-record-schemas';
import { replayBodySchema } from './replay-body';
import type { ReplayBody } from './replay-body';
import { refuseForeignNames } from '../../authentication/refuse-foreign-names';
import { HttpError } from '@millrace/http';
import type { BacklogLimits, FlowCache, RequestLimits } from '@millrace/access';
import type {
  AuditLog,
  FlowReference,
  ReplayedVersion,
  RunRecord,
  RunStatus,
  RunStore,
  UserBacklogs,
} from '@millrace/runs';
import { activeTraceparent } from '@millrace/service';
import { actorOf } from '../../authentication/actor-of';
import { collectValidationErrors, createValidator } from '../../http/validation/validator';
import { uuidParameter, wordParameter } from '../../http/validation/query';
import { requireBody } from '../../http/validation/require-body';
import { forManagement, forReading } from '../../http/routing/access';
import { askedBy, jsonRoute, keyedRoute } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { normalizeUuid } from '../../http/validation/uuid-text';
import { json, jsonBody, nothing, queryParameter } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import type { ReadYourWrites } from '../../runs/read-your-writes';
import { changedRequest, changesOf } from './changed-request';
import { refuseOverBacklogLimit } from './refuse-over-backlog-limit';
import { runIdOf, statusParameter, unknownRun } from './run-view';
import { tweaksRefused } from './tweaks-refused';
import type { FlowTraitsCache } from '../../flow-traits/flow-traits';

const checkReplay = createValidator(replayBodySchema);
const ENDED: readonly RunStatus[] = ['dead', 'failed', 'timed_out', 'cancelled', 'succeeded'];
const VERSIONS = ['same', 'current'] as const satisfies readonly ReplayedVersion[];
const MAXIMUM_DELETED_RUNS = 10_000;
const DELETED_AT_ONCE = 500;
const operations = {
  replay: {
    summary: 'Replay runs that are dead, failed or timed out',
    body: jsonBody(replayBodySchema),
    answers: { 202: json('The id of each replay; null for a run that cannot be replayed', replaysSchema) },
  },
  replayOne: {
    summary:
      'Replay a run that is dead, failed or timed out, or run any run again with changes of its request',
    body: jsonBody(changedReplayBodySchema),
    query: {
      version: {
        description: 'The version of the flow to run: the current one, or that of the run',
        schema: { enum: VERSIONS, default: 'current' },
      },
    },
    answers: { 202: json('The id of the replay', replaysSchema) },
    errors: ['not_found', 'invalid_value', 'tweaks_refused', 'too_many_waiting', 'object_store_unavailable'],
  },
  forget: {
    summary: 'Delete the records of ended runs',
    query: {
      status: { description: 'Only runs with this status', schema: { enum: ENDED }, required: true },
      flow_id: queryParameter('uuid', 'Only runs of this flow'),
    },
    answers: { 200: json('The number of deleted records, at most 10000 in one call', deletedRunsSchema) },
  },
  forgetOne: {
    summary: 'Delete the record of an ended run',
    answers: { 204: nothing('The record was deleted') },
    errors: ['not_found', 'invalid_value'],
  },
} as const satisfies Record<string, Operation>;

export interface EndedRunRoutesOptions {
  readonly runs: RunStore;
  readonly audit: AuditLog;
  readonly pythonPool: string | null;
  readonly cache: FlowCache;
  readonly traits: Pick<FlowTraitsCache, 'refusedTweaks'>;
  readonly backlogs: UserBacklogs;
  readonly backlogLimits: Pick<BacklogLimits, 'store'>;
  readonly limits: Pick<RequestLimits, 'countRun'>;
  readonly readYourWrites: ReadYourWrites;
}

/** Routes that replay and delete ended runs. */
export function endedRunRoutes(parts: EndedRunRoutesOptions): readonly Route[] {
  const { runs, audit, pythonPool, cache, traits, backlogs, backlogLimits, limits, readYourWrites } = parts;
  const optionsOf = ({ response }: KeyedCall, version: ReplayedVersion) => ({
    ...askedBy(response),
    pythonPool,
    traceparent: activeTraceparent(),
    version,
  });
  const replayRuns = (call: KeyedCall, ids: readonly string[], version: ReplayedVersion) => {
    const options = optionsOf(call, version);
    return audit.change(actorOf(call), async (change) => {
      const replays = await runs.within(change).replay(call.principal.userId, ids, options);
      for (const id of replays.created)
        change.note({
          action: 'run.replayed',
          objectId: id,
          detail: { replayed_as: replays.ids.get(id) ?? null },
        });
      return replays.ids;
    });
  };
  const replay = async (call: KeyedCall) => {
    checkReplay(requireBody(call.body));
    const { runs: given, version } = call.body as ReplayBody;
    const ids = given.map((id) => normalizeUuid(id) ?? id);
    const replays = await replayRuns(call, ids, version ?? 'current');
    sendJson(call.response, 202, { runs: ids.map((id) => ({ id, replayed_as: replays.get(id) ?? null })) });
  };
  const refuseTweaks = async (
    record: RunRecord,
    current: FlowReference,
    { changes, version }: { readonly changes: ChangedReplayBody; readonly version: ReplayedVersion },
  ) => {
    if (!changes.tweaks) return;
    const run = version === 'same' ? { ...current, version: record.flowVersion } : current;
    const refused = await traits.refusedTweaks(run, changes.tweaks);
    if (refused.length > 0) throw tweaksRefused(refused);
  };
  const replayChanged = async (
    call: KeyedCall,
    id: string,
    changes: ChangedReplayBody,
    version: ReplayedVersion,
  ) => {
    const { userId } = call.principal;
    await readYourWrites.settled(userId);
    const record = await runs.find(userId, id);
    if (!record) throw unknownRun(id);
    if (!record.request) throw new HttpError('invalid_value', 'The request of the run is not kept.');
    const flow = await cache.find(userId, record.flowId);
    if (!flow) throw unknownRun(id);
    await limits.countRun(flow);
    await refuseTweaks(record, flow, { changes, version });
    refuseOverBacklogLimit(backlogs, userId);
    const request = changedRequest(record.request, changes, call);
    refuseForeignNames(call.principal, record.flowId, {
      tweaks: changes.tweaks ?? {},
      files: changes.files ?? [],
    });
    const store = () =>
      audit.change(actorOf(call), async (change) => {
        const options = { ...optionsOf(call, version), request };
        const replayedAs = await runs.within(change).replayChanged(userId, id, options);
        if (replayedAs !== null)
          change.note({
            action: 'run.replayed',
            objectId: id,
            detail: { replayed_as: replayedAs, changed: Object.keys(changes) },
          });
        return replayedAs;
      });
    const newId = await backlogLimits.store(flow, store, (stored) => stored !== null);
    if (newId === null)
      throw new HttpError('invalid_value', 'The version of the flow of the run no longer exists.');
    backlogs.increment(userId);
    sendJson(call.response, 202, { runs: [{ id, replayed_as: newId }] });
  };
  const replayOne = async (call: KeyedCall) => {
    const [id, version, changes] = collectValidationErrors(
      () => runIdOf(call.request),
      () => wordParameter(call.query, 'version', { words: VERSIONS, absent: 'current' }),
      () => changesOf(call.body),
    );
    if (changes !== null) return replayChanged(call, id, changes, version);
    const record = await runs.findSummary(call.principal.userId, id);
    const flow = record && (await cache.find(call.principal.userId, record.flowId));
    if (flow) await limits.countRun(flow);
    const replayedAs = (await replayRuns(call, [id], version)).get(id);
    if (replayedAs === undefined) {
      const state = 'is not dead, failed or timed out';
      const orVersion = version === 'same' ? ', or its version of the flow no longer exists' : '';
      throw await refusal(call.principal.userId, id, state + orVersion);
    }
    sendJson(call.response, 202, { runs: [{ id, replayed_as: replayedAs }] });
  };
  const forget = async (call: KeyedCall) => {
    const { query, response, principal } = call;
    const [flowId, status] = collectValidationErrors(
      () => uuidParameter(query, 'flow_id'),
      () => statusParameter(query, ENDED),
    );
    if (!status)
      throw new HttpError(
        'invalid_value',
        'The parameter status is required; it selects the runs to delete.',
      );
    let deleted = 0;
    // One transaction and one entry of the audit log for each batch, so that no transaction takes long.
    for (let count = DELETED_AT_ONCE; count === DELETED_AT_ONCE && deleted < MAXIMUM_DELETED_RUNS;) {
      count = await audit.change(actorOf(call), async (change) => {
        const filter = { status, flowId, limit: DELETED_AT_ONCE };
        const runsDeleted = await runs.within(change).deleteRecords(principal.userId, filter);
        const detail = { runs: runsDeleted, status, ...(flowId === undefined ? {} : { flow_id: flowId }) };
        if (runsDeleted > 0) change.note({ action: 'run.deleted', detail });
        return runsDeleted;
      });
      deleted += count;
    }
    sendJson(response, 200, { deleted });
  };
  const forgetOne = async (call: KeyedCall) => {
    const { request, response, principal } = call;
    const id = runIdOf(request);
    const isDeleted = await audit.change(actorOf(call), async (change) => {
      const isDeleted = await runs.within(change).deleteRecord(principal.userId, id);
      if (isDeleted) change.note({ action: 'run.deleted', objectId: id });
      return isDeleted;
    });
    if (!isDeleted) throw await refusal(principal.userId, id, 'has not ended');
    response.writeHead(204).end();
  };
  const refusal = async (userId: string, id: string, state: string): Promise<HttpError> =>
    (await runs.findSummary(userId, id))
      ? new HttpError('invalid_value', `The run ${state}.`)
      : unknownRun(id);
  return [
    jsonRoute('POST /api/v1/runs/replay', forReading, operations.replay, replay),
    jsonRoute('POST /api/v1/runs/:run_id/replay', forReading, operations.replayOne, replayOne),
    keyedRoute('DELETE /api/v1/runs', forManagement, operations.forget, forget),
    keyedRoute('DELETE /api/v1/runs/:run_id', forManagement, operations.forgetOne, forgetOne),
  ];
}
