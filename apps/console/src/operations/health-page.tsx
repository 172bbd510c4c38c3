import { useReadiness } from '../shell/health-banner';
import { useTitle } from '../shell/title';
import { duration } from '../ui/format';
import { Busy, ErrorNote, Note, PageHead, State } from '../ui/parts';
import { DataTable } from './data-table';

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
  const health = useReadiness();
  const checks = Object.entries(health.data?.checks ?? {});
  return (
    <div className="page">
      <PageHead title="Health" about="What the gateway depends on, checked every ten seconds." />
      {health.isPending && <Busy />}
      {health.error !== null && <ErrorNote error={health.error} retry={() => void health.refetch()} />}
      {health.data?.ready === false && (
        <Note tone="bad" title="The gateway is not ready">
          A load balancer sends no requests here until the parts below are available.
        </Note>
      )}
      {checks.length > 0 && (
        <DataTable
          rows={checks}
          rowKey={([name]) => name}
          columns={[
            { title: 'Part', cell: ([name]) => <strong>{name}</strong> },
            { title: 'State', cell: ([, check]) => <State of={check.ok ? 'ok' : 'unavailable'} /> },
            {
              title: 'Answer',
              cell: ([, check]) => (check.milliseconds === undefined ? '–' : duration(check.milliseconds)),
              isNumber: true,
              isFixed: true,
            },
            {
              title: 'Detail',
              cell: ([name, check]) => <span className="muted">{check.error ?? MEANING[name] ?? ''}</span>,
            },
          ]}
        />
      )}
    </div>
  );
}
