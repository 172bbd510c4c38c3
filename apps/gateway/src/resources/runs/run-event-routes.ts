import { runEventsSchema } from './run-record-schemas';
import type { RunFilter, RunRecord, UserStore } from '@millrace/runs';
import type { SharedClock } from '@millrace/service';
import type { KeyedStreams } from '../../authentication/keyed-streams';
import { forReading } from '../../http/routing/access';
import type { KeyedCall, Route } from '../../http/routing/route';
import type { LiveRuns } from '../../live-runs/live-runs';
import { RunStream } from '../../live-runs/run-stream';
import type { Operation } from '../../http/routing/operation';
import { permittedFilter, runFilterQuery, wantedByQuery } from './run-filter-query';

export interface RunEventRoutesOptions {
  readonly liveRuns: LiveRuns;
  readonly users: Pick<UserStore, 'find'>;
  readonly streams: KeyedStreams;
  readonly clock: SharedClock;
}

/** A reader that is still connected then connects again. */
const MAXIMUM_STREAM_MILLISECONDS = 3_600_000;
const { flow_id, flow_version, origin, pool, session_id, user_id, all_users } = runFilterQuery;
const operation = {
  summary: 'Follow runs: one event when a run is recorded, changes its state or ends',
  query: { flow_id, flow_version, origin, pool, session_id, user_id, all_users },
  answers: {
    200: {
      description:
        'Server-sent events: `run` with the run as in lists; `reset` when events were left out, after which the list has to be read again. Changes within a second are one event',
      content: { 'text/event-stream': { type: 'string' } },
      events: runEventsSchema,
    },
  },
  errors: ['permission_denied', 'too_many_runs', 'shutting_down', 'database_unavailable'],
} as const satisfies Operation;

/** The route that streams the changes of runs. */
export function runEventRoutes({ liveRuns, users, streams, clock }: RunEventRoutesOptions): readonly Route[] {
  const handle = async (call: KeyedCall) => {
    const { query, response, principal } = call;
    const filter = await permittedFilter(users, call, wantedByQuery(query));
    const stream = new RunStream(response, (run) => selects(filter, run));
    streams.trackFlow(principal, filter.flowId, response);
    const leave = await liveRuns.listen(stream);
    if (response.destroyed) return leave();
    response.once('close', leave);
    const left = principal.expiresAt ? principal.expiresAt.getTime() - clock.now() : Infinity;
    stream.open(Math.max(0, Math.min(left, MAXIMUM_STREAM_MILLISECONDS)));
  };
  return [{ method: 'GET', path: '/api/v1/runs/events', access: forReading, operation, handle }];
}

function selects(filter: RunFilter, run: RunRecord): boolean {
  const wanted = [
    [filter.userId ?? undefined, run.userId],
    [filter.flowId, run.flowId],
    [filter.flowVersion, run.flowVersion],
    [filter.origin, run.origin],
    [filter.pool, run.pool],
    [filter.sessionId, run.sessionId],
  ];
  return wanted.every(([asked, value]) => asked === undefined || asked === value);
}
