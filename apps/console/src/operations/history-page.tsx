import { useQuery } from '@tanstack/react-query';
import { Suspense, lazy, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { call, query } from '../api/client';
import { every, timed } from '../api/polling';
import { useMay } from '../api/session';
import { useTitle } from '../shell/title';
import { count, duration } from '../ui/format';
import { Busy, Card, Empty, ErrorNote, Facts, PageHead } from '../ui/parts';
import type { Series } from './chart';

const Chart = lazy(() => import('./chart'));

/** What ended in one interval. */
interface Bucket {
  readonly start: string;
  readonly succeeded: number;
  readonly failed: number;
  readonly timed_out: number;
  readonly cancelled: number;
  readonly dead: number;
  readonly p50_milliseconds: number | null;
  readonly p95_milliseconds: number | null;
}

const SPANS: readonly (readonly [hours: number, title: string])[] = [
  [1, 'Last hour'],
  [6, 'Last 6 hours'],
  [24, 'Last 24 hours'],
  [168, 'Last 7 days'],
];

const STATES = [
  ['succeeded', 'Succeeded', '--good'],
  ['failed', 'Failed', '--bad'],
  ['timed_out', 'Timed out', '--warn'],
  ['dead', 'Dead', '--dead'],
  ['cancelled', 'Cancelled', '--line-strong'],
] as const;

export function HistoryPage() {
  useTitle('History');
  const isAdmin = useMay('admin');
  const [parameters, setParameters] = useSearchParams();
  const hours = SPANS.find(([value]) => String(value) === parameters.get('hours'))?.[0] ?? 24;
  const history = useQuery({
    queryKey: ['history', hours, isAdmin],
    queryFn: timed(({ signal }) =>
      call<{ points: Bucket[] }>(`/api/v1/runs/history${query({ hours, all_users: isAdmin })}`, { signal }),
    ),
    refetchInterval: every(30_000),
  });
  return (
    <div className="page">
      <PageHead
        title="History"
        about={`What ended, and how long it took${isAdmin ? ', for all users' : ''}.`}
      >
        <select
          className="input narrow"
          aria-label="Time"
          value={hours}
          onChange={(event) => setParameters({ hours: event.target.value }, { replace: true })}
        >
          {SPANS.map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      </PageHead>
      {history.isPending && <Busy />}
      {history.error !== null && <ErrorNote error={history.error} retry={() => void history.refetch()} />}
      {history.data !== undefined && <Charts buckets={history.data.points} />}
    </div>
  );
}

function Charts({ buckets }: { readonly buckets: readonly Bucket[] }) {
  const times = useMemo(() => buckets.map(({ start }) => Date.parse(start) / 1000), [buckets]);
  const ended = useMemo(
    () =>
      STATES.map(([state, title, color]): Series => ({
        title,
        color,
        values: buckets.map((bucket) => bucket[state]),
      })),
    [buckets],
  );
  const latencies = useMemo(
    (): readonly Series[] => [
      { title: 'p50', color: '--info', values: buckets.map((bucket) => bucket.p50_milliseconds) },
      { title: 'p95', color: '--dead', values: buckets.map((bucket) => bucket.p95_milliseconds) },
    ],
    [buckets],
  );
  const totals = STATES.map(([state]) => buckets.reduce((sum, bucket) => sum + bucket[state], 0));
  const all = totals.reduce((sum, each) => sum + each, 0);
  if (all === 0)
    return (
      <section className="card">
        <Empty title="Nothing ended in this time">Choose a longer time, or run a flow.</Empty>
      </section>
    );
  return (
    <>
      <section className="card">
        <div className="body">
          <Facts
            of={[
              { name: 'Runs', value: count(all) },
              { name: 'Succeeded', value: `${((100 * (totals[0] ?? 0)) / all).toFixed(1)} %` },
              { name: 'Failed', value: count((totals[1] ?? 0) + (totals[2] ?? 0) + (totals[3] ?? 0)) },
            ]}
          />
        </div>
      </section>
      <Card title="Runs by how they ended" actions={<Legend of={ended} />}>
        <Suspense fallback={<Busy />}>
          <Chart
            label={`Runs by how they ended: ${count(all)} in all`}
            times={times}
            series={ended}
            isStacked
            format={whole}
          />
        </Suspense>
      </Card>
      <Card title="Duration" actions={<Legend of={latencies} />}>
        <Suspense fallback={<Busy />}>
          <Chart
            label="Median and 95th percentile of durations"
            times={times}
            series={latencies}
            format={duration}
          />
        </Suspense>
      </Card>
    </>
  );
}

const whole = (value: number): string => (Number.isInteger(value) ? count(value) : '');

function Legend({ of }: { readonly of: readonly Series[] }) {
  return (
    <span className="legend">
      {of.map(({ title, color }) => (
        <span key={title}>
          <i style={{ background: `var(${color})` }} />
          {title}
        </span>
      ))}
    </span>
  );
}
