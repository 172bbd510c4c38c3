import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client';
import { every, timed } from '../api/polling';
import type { Schemas } from '../api/answers';
import { useTitle } from '../shell/title';
import { duration } from '../ui/format';
import { Busy, ErrorNote, Note, PageHead, State } from '../ui/parts';
import { DataTable } from '../ui/data-table';

const MEANING: Readonly<Record<string, string>> = {
  database: 'Stores flows and runs. Without it nothing is accepted.',
  broker: 'Carries jobs. Without it background runs are stored and wait; interactive ones are refused.',
  'key-value': 'Caches sessions and plans. Without it runs are slower.',
  lanes: 'The queues of the pools.',
  ingest: 'Accepts webhooks and fires schedules.',
};

/** The state of each dependency, as the gateway sees it. */
export function HealthPage() {
  useTitle('Health');
  const health = useQuery({
    queryKey: ['health'],
    queryFn: timed(({ signal }) => call<Schemas['SystemHealth']>('/api/v1/system/health', { signal })),
    refetchInterval: every(5_000),
  });
  return (
    <div className="page">
      <PageHead
        title="Health"
        about={
          health.data === undefined
            ? 'What the gateway depends on.'
            : `Gateway ${health.data.instance}, version ${health.data.version}`
        }
      />
      {health.isPending && <Busy />}
      {health.error !== null && <ErrorNote error={health.error} retry={() => void health.refetch()} />}
      {health.data?.ready === false && (
        <Note tone="bad" title="The gateway is not ready">
          A load balancer sends no requests here until the parts below are available.
        </Note>
      )}
      {health.data !== undefined && (
        <DataTable
          rows={health.data.checks}
          rowKey={({ name }) => name}
          columns={[
            { title: 'Part', cell: ({ name }) => <strong>{name}</strong> },
            { title: 'State', cell: ({ ok }) => <State of={ok ? 'ok' : 'unavailable'} /> },
            {
              title: 'Answer',
              cell: ({ milliseconds }) => duration(milliseconds),
              isNumber: true,
              isFixed: true,
            },
            {
              title: 'Detail',
              cell: ({ name, error }) => <span className="muted">{error ?? MEANING[name] ?? ''}</span>,
            },
          ]}
        />
      )}
    </div>
  );
}
