import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client';
import { useMay } from '../api/session';
import type { Flow, Trigger } from '../api/answers';
import { curlLine } from '../ui/curl-line';
import { exactTime } from '../ui/format';
import { Button, Busy, Card, Empty, ErrorNote, Note, State, Time } from '../ui/parts';
import { RefusedDeliveries } from './refused-deliveries';
import { timingOf } from './timing';
import { TriggerActions } from './trigger-actions';
import { TriggerEvents } from './trigger-events';
import { TriggerForm } from './trigger-form';

const KIND_NAMES = { schedule: 'schedule', inbound_webhook: 'signed webhook', rabbitmq: 'queue' } as const;

/** Triggers of a flow: schedules and signed deliveries, with their last events. */
export function TriggersTab({ flow }: { readonly flow: Flow }) {
  const canManage = useMay('manage');
  const [isNew, setNew] = useState(false);
  const triggers = useQuery({
    queryKey: ['triggers', flow.id],
    queryFn: ({ signal }) => call<Trigger[]>(`/api/v1/triggers?flow_id=${flow.id}&limit=100`, { signal }),
    refetchInterval: 10_000,
  });
  return (
    <>
      <div className="row end">{canManage && <Button onClick={() => setNew(true)}>New trigger</Button>}</div>
      {triggers.isPending && <Busy />}
      {triggers.error !== null && <ErrorNote error={triggers.error} />}
      {triggers.data?.length === 0 && (
        <section className="card">
          <Empty
            title="No triggers"
            paste={curlLine('/api/v1/triggers', {
              flow_id: flow.id,
              name: 'every weekday',
              kind: 'schedule',
              state: 'active',
              config: { cron: '0 8 * * 1-5', timezone: 'Europe/Lisbon' },
            })}
          >
            A schedule starts runs at times; a signed webhook starts one for each delivery.
          </Empty>
        </section>
      )}
      {triggers.data?.map((trigger) => (
        <TriggerCard key={trigger.id} trigger={trigger} />
      ))}
      {triggers.data?.some(({ kind }) => kind === 'inbound_webhook') && <RefusedDeliveries flow={flow.id} />}
      {isNew && <TriggerForm flow={flow.id} onClose={() => setNew(false)} />}
    </>
  );
}

function TriggerCard({ trigger }: { readonly trigger: Trigger }) {
  return (
    <Card
      title={
        <span className="row">
          <span dir="auto">{trigger.name}</span> <State of={trigger.state} />
          <span className="tag">{KIND_NAMES[trigger.kind]}</span>
        </span>
      }
    >
      <div className="stack">
        <TriggerActions trigger={trigger} />
        {trigger.kind === 'schedule' && (
          <p>
            <strong>{timingOf(trigger.config)}</strong>
            {trigger.next_fire_at !== null && (
              <span className="muted" title={exactTime(trigger.next_fire_at)}>
                {' '}
                next <Time of={trigger.next_fire_at} kind="due" />
              </span>
            )}
          </p>
        )}
        {trigger.last_error !== null && <Note tone="warn">{trigger.last_error}</Note>}
        <TriggerEvents trigger={trigger} />
      </div>
    </Card>
  );
}
