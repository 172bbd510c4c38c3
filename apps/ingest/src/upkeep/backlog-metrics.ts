import type { BacklogMeter } from '@millrace/dispatch';
import type { BacklogCount, LaneState } from '@millrace/runs';
import type { MetricAttributes, Metrics } from '@millrace/service';

type Values = readonly (readonly [number, MetricAttributes])[];

/** Exports the newest count of the backlog. Each ingest process exports the same values. */
export function exportBacklog(metrics: Metrics, meter: Pick<BacklogMeter, 'latest'>): void {
  const gauge = (name: string, description: string, valuesOf: (count: BacklogCount) => Values) =>
    metrics.gauge(name, `${description}; each ingest process has the same value`, () => {
      const { latest } = meter;
      return latest === null ? [] : valuesOf(latest);
    });
  const lanes = (valueOf: (lane: LaneState) => number) => (count: BacklogCount) =>
    (count.lanes ?? [])
      .filter(({ pool }) => pool !== '')
      .map((state) => [valueOf(state), { pool: state.pool, lane: state.lane }] as const);
  const queue = (name: LaneState['lane']) => (count: BacklogCount) =>
    (count.lanes ?? []).filter(({ lane }) => lane === name).map(({ messages }) => [messages, {}] as const);

  gauge('millrace_backlog_runs', 'Runs that no executor has begun, by pool and lane', backlogOf);
  gauge(
    'millrace_backlog_oldest_seconds',
    'Age of the oldest background run that no executor has begun, by pool; 0 without one',
    ({ pools, ageMilliseconds }) =>
      pools.map(({ pool, oldestSeconds }) => [
        oldestSeconds === null ? 0 : oldestSeconds + ageMilliseconds / 1_000,
        { pool },
      ]),
  );
  gauge(
    'millrace_background_runs',
    'Background runs that have not ended, by pool and state: waiting for release, published, or running',
    ({ pools }) =>
      pools.flatMap(({ pool, waiting, published, running }) =>
        Object.entries({ waiting, published, running }).map(
          ([state, count]) => [count, { pool, state }] as const,
        ),
      ),
  );
  gauge(
    'millrace_lane_messages',
    'Messages in the queue of a lane, by pool and lane',
    lanes(({ messages }) => messages),
  );
  gauge(
    'millrace_lane_executors',
    'Executors that consume from the queue of a lane, by pool and lane',
    lanes(({ executors }) => executors),
  );
  gauge('millrace_quarantine_messages', 'Messages in the quarantine', queue('quarantine'));
  gauge('millrace_dead_letters', 'Dead letters in the queue `runs.dead`', queue('dead'));
  gauge('millrace_backlog_age_seconds', 'Age of the count of the backlog', ({ ageMilliseconds }) => [
    [ageMilliseconds / 1_000, {}],
  ]);
  gauge('millrace_backlog_count_seconds', 'How long counting the backlog took', ({ milliseconds }) => [
    [milliseconds / 1_000, {}],
  ]);
}

/** Background runs are rows. Interactive runs without a row are messages, also in the standby lane. */
function backlogOf({ pools, lanes }: BacklogCount): Values {
  const background = pools.map(
    ({ pool, waiting, published }) => [waiting + published, { pool, lane: 'background' }] as const,
  );
  const interactive = new Map<string, number>();
  for (const { pool, lane, messages } of lanes ?? [])
    if (lane === 'interactive' || lane === 'standby')
      interactive.set(pool, (interactive.get(pool) ?? 0) + messages);
  return [
    ...background,
    ...[...interactive].map(([pool, messages]) => [messages, { pool, lane: 'interactive' }] as const),
  ];
}
