import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client';
import { useTitle } from '../shell/title';
import { count, duration } from '../ui/format';
import { Busy, Card, Empty, ErrorNote, PageHead, State, Time } from '../ui/parts';
import { DataTable } from './data-table';

interface Worker {
  readonly id: string;
  readonly pool: string;
  readonly version: string;
  readonly slots: number;
  readonly busy_slots: number;
  readonly last_seen_at: string;
  readonly started_at: string | null;
  readonly state: string;
  readonly host?: string | null;
}

interface Pool {
  readonly pool: string;
  readonly executors: number;
  readonly slots: number;
  readonly busy_runs: number;
  readonly waiting_runs: number;
  readonly desired_executors: number;
  readonly arithmetic: string;
  readonly backlog: {
    readonly waiting: number;
    readonly published: number;
    readonly running: number;
    readonly oldest_seconds: number | null;
  };
}

export function WorkersPage() {
  useTitle('Workers');
  const workers = useQuery({
    queryKey: ['workers'],
    queryFn: ({ signal }) => call<{ workers: Worker[] }>('/api/v1/workers', { signal }),
    refetchInterval: 3_000,
  });
  const pools = useQuery({
    queryKey: ['autoscale'],
    queryFn: ({ signal }) => call<{ pools: Pool[] }>('/api/v1/autoscale', { signal }),
    refetchInterval: 3_000,
  });
  return (
    <div className="page">
      <PageHead
        title="Workers"
        about="Executors that are connected, and the work that waits for each pool."
      />
      {pools.error !== null && <ErrorNote error={pools.error} retry={() => void pools.refetch()} />}
      {pools.data !== undefined && <Pools pools={pools.data.pools} />}
      {workers.isPending && <Busy />}
      {workers.error !== null && <ErrorNote error={workers.error} retry={() => void workers.refetch()} />}
      {workers.data !== undefined && (
        <Card title="Executors" flush>
          <DataTable
            rows={workers.data.workers}
            rowKey={({ id }) => id}
            empty={
              <Empty title="No executor is connected">
                Runs are accepted and wait. Start an executor, or look at its log.
              </Empty>
            }
            columns={[
              { title: 'Executor', cell: ({ id }) => <span className="mono">{id}</span> },
              { title: 'State', cell: ({ state }) => <State of={state} /> },
              { title: 'Pool', cell: ({ pool }) => pool },
              { title: 'Load', cell: (worker) => <Load busy={worker.busy_slots} slots={worker.slots} /> },
              { title: 'Version', cell: ({ version }) => version },
              { title: 'Started', cell: (worker) => <Time of={worker.started_at} />, isFixed: true },
              { title: 'Heartbeat', cell: (worker) => <Time of={worker.last_seen_at} />, isFixed: true },
            ]}
          />
        </Card>
      )}
    </div>
  );
}

function Pools({ pools }: { readonly pools: readonly Pool[] }) {
  return (
    <DataTable
      rows={pools}
      rowKey={({ pool }) => pool}
      empty={<Empty title="No pool has work or executors" />}
      columns={[
        { title: 'Pool', cell: ({ pool }) => <strong>{pool}</strong> },
        { title: 'Load', cell: (pool) => <Load busy={pool.busy_runs} slots={pool.slots} /> },
        { title: 'Executors', cell: (pool) => count(pool.executors), isNumber: true },
        {
          title: 'Wanted',
          cell: (pool) => <span title={pool.arithmetic}>{count(pool.desired_executors)}</span>,
          isNumber: true,
        },
        { title: 'Waiting', cell: (pool) => count(pool.waiting_runs), isNumber: true },
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
