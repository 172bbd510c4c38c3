import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../api/client';
import { every, timed } from '../api/polling';
import { runsPath } from '../api/queries';
import { useWaitingOf } from '../api/waiting';
import type { RunPage } from '../api/answers';
import { ShortReason } from '../runs/waiting';
import { DataTable } from '../ui/data-table';
import { shortId } from '../ui/format';
import { Busy, Empty, ErrorNote, State, Time } from '../ui/parts';

const SHOWN = 20;
const STATES = 'accepted,queued,running';

export const poolPath = (pool: string, states: string): string =>
  `/runs?status=${states}&pool=${encodeURIComponent(pool)}&all=1`;

/** The newest runs of a pool that wait or are executed, and why they wait. */
export function PoolRuns({ pool }: { readonly pool: string }) {
  const runs = useQuery({
    queryKey: ['pool-runs', pool],
    queryFn: timed(({ signal }) =>
      call<RunPage>(runsPath({ status: STATES, pool, all_users: true }, null, SHOWN), { signal }),
    ),
    refetchInterval: every(5_000),
  });
  const waiting = useWaitingOf(runs.data?.runs ?? [], true, pool);
  if (runs.isPending) return <Busy />;
  if (runs.data === undefined) return <ErrorNote error={runs.error} retry={() => void runs.refetch()} />;
  return (
    <div className="stack">
      <DataTable
        isFlush
        rows={runs.data.runs}
        rowKey={({ id }) => id}
        empty={
          <Empty title="No run of this pool waits">Runs whose callers wait are recorded when they end.</Empty>
        }
        columns={[
          { title: 'State', cell: ({ status }) => <State of={status} />, isFixed: true },
          {
            title: 'Flow',
            cell: ({ id, flow_name: name, flow_id: flow }) => (
              <Link href={`/runs/${id}`} dir="auto">
                {name ?? shortId(flow)}
              </Link>
            ),
          },
          { title: 'User', cell: ({ username }) => <span dir="auto">{username}</span> },
          { title: 'Accepted', cell: (run) => <Time of={run.accepted_at} />, isFixed: true },
          {
            title: 'Waits for',
            cell: ({ id, status }) => {
              const reason = status === 'running' ? undefined : waiting.get(id);
              return reason === undefined ? '–' : <ShortReason of={reason} />;
            },
          },
        ]}
      />
      {runs.data.next_cursor !== null && (
        <Link href={poolPath(pool, STATES)}>All waiting and running runs of the pool</Link>
      )}
    </div>
  );
}
