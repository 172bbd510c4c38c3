import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../api/client';
import { useMay } from '../api/session';
import type { Trigger, TriggerEvent } from '../api/answers';
import { DataTable } from '../ui/data-table';
import { shortId } from '../ui/format';
import { Button, State, Time } from '../ui/parts';
import { toast } from '../ui/toast';

/** The last events of a trigger, each with its run. */
export function TriggerEvents({ trigger }: { readonly trigger: Pick<Trigger, 'id'> }) {
  const client = useQueryClient();
  const canManage = useMay('manage');
  const key = ['trigger-events', trigger.id];
  const events = useQuery({
    queryKey: key,
    queryFn: ({ signal }) =>
      call<TriggerEvent[]>(`/api/v1/triggers/${trigger.id}/events?limit=10`, { signal }),
    refetchInterval: 10_000,
  });
  const resend = async (id: string) => {
    await call(`/api/v1/triggers/${trigger.id}/replay`, { method: 'POST', body: { event_id: id } });
    toast('The event was sent again');
    await client.invalidateQueries({ queryKey: key });
  };
  return (
    <DataTable
      isFlush
      rows={events.data ?? []}
      rowKey={({ id }) => id}
      empty={<p className="muted">No events yet.</p>}
      columns={[
        { title: 'State', cell: ({ state }) => <State of={state} />, isFixed: true },
        { title: 'Received', cell: (event) => <Time of={event.created_at} />, isFixed: true },
        {
          title: 'Payload',
          cell: ({ payload }) => (
            <span className="mono" dir="auto">
              {JSON.stringify(payload).slice(0, 160)}
            </span>
          ),
        },
        {
          title: 'Run',
          cell: ({ job_id: run }) =>
            run !== null && (
              <Link className="mono" href={`/runs/${run}`}>
                {shortId(run)}
              </Link>
            ),
          isFixed: true,
        },
        {
          title: '',
          cell: ({ id }) =>
            canManage && (
              <Button size="small" onClick={() => void resend(id)}>
                Resend
              </Button>
            ),
        },
      ]}
    />
  );
}
