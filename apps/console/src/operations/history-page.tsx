import { Suspense, lazy, useMemo } from 'react';
import type { ChangeEvent } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { query } from '../api/client';
import { useFlows, useHistory, useUserNames } from '../api/queries';
import type { HistoryPoint } from '../api/queries';
import { useMay } from '../api/session';
import { useTitle } from '../shell/title';
import { ZONE, count, duration } from '../ui/format';
import { OUTCOMES } from '../ui/outcomes';
import { Busy, Card, Empty, ErrorNote, Facts, PageHead } from '../ui/parts';
import type { Series } from '../ui/chart';
import { Legend } from '../ui/legend';

const Chart = lazy(() => import('../ui/chart'));

const SPANS: readonly (readonly [hours: number, title: string])[] = [
  [1, 'Last hour'],
  [6, 'Last 6 hours'],
  [24, 'Last 24 hours'],
  [168, 'Last 7 days'],
];

export function HistoryPage() {
  useTitle('History');
  const isAdmin = useMay('admin');
  const { data: flows } = useFlows();
  const users = useUserNames(isAdmin);
  const [, navigate] = useLocation();
  const [parameters, setParameters] = useSearchParams();
  const hours = SPANS.find(([value]) => String(value) === parameters.get('hours'))?.[0] ?? 24;
  const flow = parameters.get('flow') ?? '';
  const user = isAdmin ? (parameters.get('user') ?? '') : '';
  const isOfAllUsers = isAdmin && user === '';
  const history = useHistory({
    hours,
    flow_id: flow || undefined,
    user_id: user || undefined,
    all_users: isOfAllUsers,
  });
  const set = (name: string) => (event: ChangeEvent<HTMLSelectElement>) =>
    setParameters(
      (before) => {
        const next = new URLSearchParams(before);
        next.set(name, event.target.value);
        if (event.target.value === '') next.delete(name);
        return next;
      },
      { replace: true },
    );
  const onOpen = ({ start }: HistoryPoint) => {
    const seconds = history.data?.interval_seconds ?? 0;
    const before = new Date(Date.parse(start) + seconds * 1_000).toISOString();
    navigate(`/runs${query({ from: start, before, flow, user, all: isOfAllUsers ? '1' : '' })}`);
  };
  return (
    <div className="page">
      <PageHead
        title="History"
        about={`What was accepted, how it ended and how long it took${isOfAllUsers ? ', for all users' : ''}. Times are in ${ZONE}.`}
      >
        <select className="input narrow" aria-label="Flow" value={flow} onChange={set('flow')}>
          <option value="">All flows</option>
          {(flows ?? []).map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
        {isAdmin && (
          <select className="input narrow" aria-label="User" value={user} onChange={set('user')}>
            <option value="">All users</option>
            {[...users].map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
        <select className="input narrow" aria-label="Time" value={hours} onChange={set('hours')}>
          {SPANS.map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      </PageHead>
      {history.isPending && <Busy />}
      {history.error !== null && <ErrorNote error={history.error} retry={() => void history.refetch()} />}
      {history.data !== undefined && <Charts points={history.data.points} onOpen={onOpen} />}
    </div>
  );
}

interface ChartsProps {
  readonly points: readonly HistoryPoint[];
  readonly onOpen: (point: HistoryPoint) => void;
}

function Charts({ points, onOpen }: ChartsProps) {
  const times = useMemo(() => points.map(({ start }) => Date.parse(start) / 1000), [points]);
  const ended = useMemo(
    () =>
      OUTCOMES.map(([state, title, color]): Series => ({
        title,
        color,
        values: points.map((point) => point[state]),
      })),
    [points],
  );
  const latencies = useMemo(
    (): readonly Series[] => [
      { title: 'p50', color: '--info', values: points.map((point) => point.p50_milliseconds) },
      { title: 'p95', color: '--dead', values: points.map((point) => point.p95_milliseconds) },
    ],
    [points],
  );
  const open = (index: number) => {
    const point = points[index];
    if (point !== undefined) onOpen(point);
  };
  const totals = OUTCOMES.map(([state]) => points.reduce((sum, point) => sum + point[state], 0));
  const all = totals.reduce((sum, each) => sum + each, 0);
  if (all === 0)
    return (
      <section className="card">
        <Empty title="Nothing ended in this time">Choose a longer time, or run a flow.</Empty>
      </section>
    );
  const part = (value: number) => `${count(value)} · ${((100 * value) / all).toFixed(1)} %`;
  return (
    <>
      <section className="card">
        <div className="body">
          <Facts
            of={[
              { name: 'Ended runs', value: count(all) },
              ...OUTCOMES.map(([, title], index) => ({ name: title, value: part(totals[index] ?? 0) })),
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
            onOpen={open}
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
            onOpen={open}
          />
        </Suspense>
      </Card>
    </>
  );
}

const whole = (value: number): string => (Number.isInteger(value) ? count(value) : '');
