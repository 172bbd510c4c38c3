import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { call } from '../api/client';
import { useFlowNames } from '../api/queries';
import { useMay } from '../api/session';
import type { Trigger } from '../api/answers';
import { timingOf } from '../flows/timing';
import { TriggerActions } from '../flows/trigger-actions';
import { TriggerEvents } from '../flows/trigger-events';
import { TriggerForm } from '../flows/trigger-form';
import { useTitle } from '../shell/title';
import { curlLine } from '../ui/curl-line';
import { DataTable } from '../ui/data-table';
import { shortId } from '../ui/format';
import { Busy, Button, Empty, ErrorNote, PageHead, State, Time } from '../ui/parts';

/** The schedules of all flows, with their next times. */
export function SchedulesPage() {
  useTitle('Schedules');
  const names = useFlowNames();
  const canManage = useMay('manage');
  const [isNew, setNew] = useState(false);
  const schedules = useQuery({
    queryKey: ['schedules'],
    queryFn: ({ signal }) => call<Trigger[]>('/api/v1/schedules?limit=200', { signal }),
    refetchInterval: 10_000,
  });
  return (
    <div className="page">
      <PageHead
        title="Schedules"
        about="When your flows start by themselves, and what became of their last times."
      >
        {canManage && (
          <Button kind="primary" onClick={() => setNew(true)}>
            New schedule
          </Button>
        )}
      </PageHead>
      {isNew && <TriggerForm onClose={() => setNew(false)} />}
      {schedules.isPending && <Busy />}
      {schedules.error !== null && (
        <ErrorNote error={schedules.error} retry={() => void schedules.refetch()} />
      )}
      {schedules.data !== undefined && (
        <DataTable
          rows={schedules.data}
          rowKey={({ id }) => id}
          empty={
            <Empty
              title="No schedules"
              paste={curlLine('/api/v1/triggers', {
                flow_id: '<id of the flow>',
                name: 'every weekday',
                kind: 'schedule',
                state: 'active',
                config: { cron: '0 8 * * 1-5', timezone: 'Europe/Lisbon' },
              })}
            >
              By a cron expression, an interval, or once.
            </Empty>
          }
          columns={[
            {
              title: 'Schedule',
              cell: (schedule) => (
                <div>
                  <span dir="auto">{schedule.name}</span>
                  <div className="muted">{timingOf(schedule.config)}</div>
                </div>
              ),
            },
            { title: 'State', cell: ({ state }) => <State of={state} />, isFixed: true },
            {
              title: 'Flow',
              cell: ({ flow_id: id }) => (
                <Link href={`/flows/${id}?tab=triggers`} dir="auto">
                  {names.get(id) ?? shortId(id)}
                </Link>
              ),
            },
            {
              title: 'Next',
              cell: (schedule) => <Time of={schedule.next_fire_at} kind="due" />,
              isFixed: true,
            },
            { title: 'Last', cell: (schedule) => <Time of={schedule.last_fired_at} />, isFixed: true },
            { title: 'Problem', cell: ({ last_error: error }) => <span dir="auto">{error ?? '–'}</span> },
            { title: '', cell: (schedule) => <TriggerActions trigger={schedule} /> },
          ]}
          detail={{ title: 'Events', render: (schedule) => <TriggerEvents trigger={schedule} /> }}
        />
      )}
    </div>
  );
}
