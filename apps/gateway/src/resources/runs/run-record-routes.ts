import { cancelledRunSchema, runListSchema, runRecordSchema } from './run-record-schemas';
import { readRunNames } from '@millrace/runs';
import type { AuditLog, RunStore } from '@millrace/runs';
import { actorOf } from '../../authentication/actor-of';
import { shownRun } from '../../authentication/member-rights';
import { pythonIsoFormat } from '../../http/validation/date-time';
import { collectValidationErrors } from '../../http/validation/validator';
import { integerParameter, uuidParameter } from '../../http/validation/query';
import { forReading } from '../../http/routing/access';
import { keyedRoute } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { json, queryParameter } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import type { ControlChannel } from '../../runs/control-channel';
import { storedEnding } from '../../runs/stored-ending';
import type { ReadYourWrites } from '../../runs/read-your-writes';
import type { RunLocator, LocatedRun } from '../../runs/run-locator';
import { cancelStored } from '../../runs/cancel-stored';
import { cursorParameter, runCursor } from './run-cursor';
import { ownerOf, ownerQuery } from './run-owner';
import type { RunOwnerOptions } from './run-owner';
import { permittedFilter, runFilterQuery, wantedByQuery } from './run-filter-query';
import { runSummary } from '../../run-views/run-summary';
import { runIdOf, unknownRun } from './run-view';

export interface RunRecordRoutesOptions extends RunOwnerOptions {
  readonly runs: RunStore;
  readonly audit: AuditLog;
  readonly runLocator: RunLocator;
  readonly readYourWrites: ReadYourWrites;
  readonly control: ControlChannel;
  /** Address of a trace with `{trace_id}` in place of its id. */
  readonly traceUrlTemplate: string | undefined;
}

const MAXIMUM_PAGE_SIZE = 200;
const operations = {
  list: {
    summary: 'List runs, newest first',
    query: {
      ...runFilterQuery,
      cursor: queryParameter('string', 'The next_cursor of an earlier answer with the same filter'),
      before: queryParameter('uuid', 'Only runs older than this run'),
      limit: queryParameter('integer', 'Maximum number of runs, up to 200', { minimum: 1 }),
    },
    answers: {
      200: json(
        'The runs, and where the next page begins. With origin, model, key_id or vertex_id a page can be shorter than its limit',
        runListSchema,
      ),
    },
    errors: ['permission_denied'],
  },
  read: {
    summary: 'Read a run: state, timings, result',
    query: ownerQuery,
    answers: { 200: json('The run', runRecordSchema) },
    errors: ['not_found', 'object_store_unavailable'],
  },
  cancel: {
    summary: 'Cancel a run',
    answers: { 202: json('The run, which ends soon', cancelledRunSchema) },
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;

/** Routes that list, read and cancel runs. */
export function runRecordRoutes(options: RunRecordRoutesOptions): readonly Route[] {
  const { runs, audit, users, runLocator, readYourWrites, control, database } = options;
  const list = async (call: KeyedCall) => {
    const { query, response, principal } = call;
    const [wanted, after, before, limit] = collectValidationErrors(
      () => wantedByQuery(query),
      () => cursorParameter(query),
      () => uuidParameter(query, 'before'),
      () => integerParameter(query, 'limit', { absent: 50, minimum: 1, maximum: MAXIMUM_PAGE_SIZE }),
    );
    const filter = await permittedFilter(users, call, wanted);
    await readYourWrites.settled(principal.userId);
    const [found, unrecorded] = await Promise.all([
      runs.list(filter, { limit, after, before }),
      runs.unrecorded({ ...filter, from: filter.acceptedFrom, before: filter.acceptedBefore }),
    ]);
    const cursor = found.next && runCursor(found.next);
    const names = await readRunNames(
      database,
      found.runs.map(({ id }) => id),
    );
    const summaries = found.runs.map((run) => shownRun(principal, runSummary(run, names.get(run.id))));
    sendJson(response, 200, { runs: summaries, next_cursor: cursor, unrecorded_runs: unrecorded });
  };
  const read = async (call: KeyedCall) => {
    const { request, response, principal } = call;
    const id = runIdOf(request);
    await readYourWrites.settled(principal.userId);
    const record = await runs.find(await ownerOf(options, call, id), id);
    if (record)
      return sendJson(
        response,
        200,
        shownRun(principal, {
          ...runSummary(record, (await readRunNames(database, [id])).get(id)),
          worker: record.worker,
          trace_url: traceUrl(options.traceUrlTemplate, record.traceparent),
          result: record.result ?? null,
        }),
      );
    const found = await runLocator.find(principal.userId, id);
    if (!found) throw unknownRun(id);
    sendJson(response, 200, shownRun(principal, { ...pendingRunSummary(found), result: null }));
  };
  const cancel = async (call: KeyedCall) => {
    const { request, response, principal } = call;
    const id = runIdOf(request);
    await cancelStored({ runs, audit }, actorOf(call), { userId: principal.userId, runId: id });
    const record = await runs.findSummary(principal.userId, id);
    if (!record) {
      if (!(await runLocator.find(principal.userId, id))) throw unknownRun(id);
      // An interactive run, which has no row while its caller waits.
      await audit.record([{ action: 'run.cancelled', objectId: id, actor: actorOf(call) }]);
    }
    // Sent only after the owner is verified, since the message itself contains no user.
    if (!record || !storedEnding(record))
      await control.send({ kind: 'cancel', runId: id, reason: 'requested by the owner' });
    sendJson(response, 202, record ? runSummary(record) : { id, status: 'running' });
  };
  return [
    keyedRoute('GET /api/v1/runs', forReading, operations.list, list),
    keyedRoute('GET /api/v1/runs/:run_id', forReading, operations.read, read),
    keyedRoute('POST /api/v1/runs/:run_id/cancel', forReading, operations.cancel, cancel),
  ];
}

/** Returns the address of a trace; null unless the trace was sampled. */
function traceUrl(template: string | undefined, traceparent: string | null): string | null {
  const traceId = /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f][13579bdf]$/.exec(traceparent ?? '')?.[1];
  return template === undefined || traceId === undefined ? null : template.replaceAll('{trace_id}', traceId);
}

/** Returns the record of an interactive run, which has no row while its caller waits. */
function pendingRunSummary({ runId, flowId, sessionId, pool, attempt, acceptedAt }: LocatedRun) {
  return {
    id: runId,
    flow_id: flowId,
    session_id: sessionId,
    status: 'running',
    attempt: Math.max(1, attempt),
    lane: 'interactive',
    pool,
    accepted_at: pythonIsoFormat(acceptedAt),
    finished_at: null,
    usage: null,
    error: null,
  };
}
