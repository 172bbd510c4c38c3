import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../api/client';
import { every, timed } from '../api/polling';
import { runsPath } from '../api/queries';
import { useWaitingOf } from '../api/waiting';
import type { RunPage } from '../api/answers';
import { ShortReason } from '../runs/waiting';
import { DataTable } from '../ui/data-table';
import { count, shortId } from '../ui/format';
import { Busy, Empty, ErrorNote, Facts, State, Time } from '../ui/parts';

/** The runs of which shares are counted, and those in the table. */
const COUNTED = 100;
const SHOWN = 20;
const STATES = 'accepted,queued,running';

export const poolPath = (pool: string, states: string): string =>
  `/runs?status=${states}&pool=${encodeURIComponent(pool)}&all=1`;

/** Who has the newest runs of a pool that wait or are executed, and why they wait. */
export function PoolRuns({ pool }: { readonly pool: string }) {
  const runs = useQuery({
    queryKey: ['pool-runs', pool],
    queryFn: timed(({ signal }) =>
      call<RunPage>(runsPath({ status: STATES, pool, all_users: true }, null, COUNTED), { signal }),
    ),
    refetchInterval: every(5_000),
  });
  const shown = runs.data?.runs.slice(0, SHOWN) ?? [];
  const waiting = useWaitingOf(shown, true, pool);
  if (runs.isPending) return <Busy />;
  if (runs.data === undefined) return <ErrorNote error={runs.error} retry={() => void runs.refetch()} />;
  return (
    <div className="stack">
      {shown.length > 0 && (
        <Facts
          of={[
            {
              name: 'By user',
              value: <Shares of={runs.data.runs.map(({ username }) => username ?? 'unknown')} />,
            },
            {
              name: 'By flow',
              value: (
                <Shares
                  of={runs.data.runs.map(({ flow_name: name, flow_id: flow }) => name ?? shortId(flow))}
                />
              ),
            },
          ]}
        />
      )}
      <DataTable
        isFlush
        rows={shown}
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
      {(runs.data.next_cursor !== null || runs.data.runs.length > SHOWN) && (
        <Link href={poolPath(pool, STATES)}>All waiting and running runs of the pool</Link>
      )}
    </div>
  );
}

const SHARES = 4;

/** How often each name occurs, the most frequent first. */
function Shares({ of: names }: { readonly of: readonly string[] }) {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const sorted = [...counts].toSorted(([, one], [, other]) => other - one);
  const further = sorted.slice(SHARES).reduce((sum, [, each]) => sum + each, 0);
  return (
    <>
      {sorted.slice(0, SHARES).map(([name, each], index) => (
        <span key={name}>
          {index > 0 && ' · '}
          <bdi>{name}</bdi> {count(each)}
        </span>
      ))}
      {further > 0 && ` · others ${count(further)}`}
      {sorted.length === 0 && '–'}
    </>
  );
}
