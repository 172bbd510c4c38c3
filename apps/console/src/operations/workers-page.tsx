import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../api/client';
import { every, timed } from '../api/polling';
import type { Schemas } from '../api/answers';
import { useTitle } from '../shell/title';
import { count, duration } from '../ui/format';
import { Busy, Card, Empty, ErrorNote, Facts, Note, PageHead, State, Time } from '../ui/parts';
import { DataTable } from '../ui/data-table';
import { PoolRuns, poolPath } from './pool-runs';

type Worker = NonNullable<Workers['workers']>[number];

type Pool = Workers['pools'][number];

type Workers = Schemas['Workers'];

export function WorkersPage() {
  useTitle('Workers');
  const workers = useQuery({
    queryKey: ['workers'],
    queryFn: timed(({ signal }) => call<Workers>('/api/v1/workers', { signal })),
    refetchInterval: every(5_000),
  });
  return (
    <div className="page">
      <PageHead
        title="Workers"
        about="Executors that are connected, and the work that waits for each pool."
      />
      {workers.isPending && <Busy />}
      {workers.error !== null && <ErrorNote error={workers.error} retry={() => void workers.refetch()} />}
      {workers.data !== undefined && <Shown of={workers.data} />}
    </div>
  );
}

function Shown({ of }: { readonly of: Workers }) {
  return (
    <>
      <section className="card">
        <div className="body">
          <Facts
            of={[
              { name: 'Executors', value: of.workers === null ? 'unknown' : count(of.workers.length) },
              { name: 'Jobs in quarantine', value: shownCount(of.quarantine_messages) },
              { name: 'Messages of dead letters', value: shownCount(of.dead_letter_messages) },
            ]}
          />
        </div>
      </section>
      <Card title="Pools" flush>
        <Pools pools={of.pools} />
      </Card>
      {of.workers === null ? (
        <Note tone="warn" title="Executors are not known now">
          The key-value store is unavailable; executors announce themselves there. Runs go on.
        </Note>
      ) : (
        <Card title="Executors" flush>
          <Executors workers={of.workers} />
        </Card>
      )}
    </>
  );
}

const shownCount = (value: number | null): string => (value === null ? 'unknown' : count(value));

function Executors({ workers }: { readonly workers: readonly Worker[] }) {
  return (
    <DataTable
      rows={workers}
      rowKey={({ id }) => id}
      empty={
        <Empty title="No executor is connected" paste="docker compose up --detach executor">
          Runs are accepted and wait. Start an executor, or look at its log.
        </Empty>
      }
      columns={[
        { title: 'Executor', cell: ({ id }) => <span className="mono">{id}</span> },
        { title: 'State', cell: ({ connected }) => <State of={connected ? 'active' : 'unavailable'} /> },
        { title: 'Pool', cell: ({ pool }) => pool },
        { title: 'Load', cell: (worker) => <Load busy={worker.busy} slots={worker.slots} /> },
        { title: 'Version', cell: ({ version }) => version },
        {
          title: 'Python',
          cell: ({ python }) => (python === null ? '–' : `${python.python}, lfx ${python.lfx}`),
        },
        { title: 'Heartbeat', cell: (worker) => <Time of={worker.seen_at} />, isFixed: true },
      ]}
    />
  );
}

function Pools({ pools }: { readonly pools: readonly Pool[] }) {
  return (
    <DataTable
      rows={pools}
      rowKey={({ pool }) => pool}
      isFlush
      empty={<Empty title="No pool has work or executors" />}
      detail={{
        title: 'Runs',
        render: ({ pool }) => <PoolRuns pool={pool} />,
        isOpen: ({ waiting_runs: waiting }) => waiting > 0,
      }}
      columns={[
        { title: 'Pool', cell: ({ pool }) => <strong>{pool}</strong> },
        {
          title: 'Load',
          cell: ({ pool, busy_runs: busy, slots }) => (
            <Link href={poolPath(pool, 'running')} title={`Running runs of ${pool}`}>
              <Load busy={busy} slots={slots} />
            </Link>
          ),
        },
        { title: 'Executors', cell: (pool) => count(pool.executors), isNumber: true },
        {
          title: 'Waiting',
          cell: ({ pool, waiting_runs: waiting }) => (
            <Link href={poolPath(pool, 'accepted,queued')} title={`Waiting runs of ${pool}`}>
              {count(waiting)}
            </Link>
          ),
          isNumber: true,
        },
        {
          title: 'Oldest',
          cell: ({ backlog }) =>
            backlog.oldest_seconds === null ? '–' : duration(backlog.oldest_seconds * 1000),
          isNumber: true,
          isFixed: true,
        },
      ]}
    />
  );
}

function Load({ busy, slots }: { readonly busy: number; readonly slots: number }) {
  const share = slots === 0 ? 0 : Math.min(busy / slots, 1);
  return (
    <span className="load">
      <span className="load-track">
        <span className={share > 0.9 ? 'warn' : ''} style={{ width: `${share * 100}%` }} />
      </span>
      <span className="muted">
        {count(busy)} of {count(slots)}
      </span>
    </span>
  );
}
