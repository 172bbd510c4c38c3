import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { call } from '../api/client';
import { useMay } from '../api/session';
import type { Flow, Trigger, TriggerEvent } from '../api/answers';
import { curlLine } from '../ui/curl-line';
import { DataTable } from '../ui/data-table';
import { exactTime, shortId } from '../ui/format';
import { Button, Busy, Card, Empty, ErrorNote, Note, Paste, State, Time } from '../ui/parts';
import { toast } from '../ui/toast';
import { NewTrigger } from './new-trigger';
import { RefusedDeliveries } from './refused-deliveries';
import { timingOf } from './timing';

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
        <TriggerCard key={trigger.id} trigger={trigger} canManage={canManage} />
      ))}
      {triggers.data?.some(({ kind }) => kind === 'inbound_webhook') && <RefusedDeliveries flow={flow.id} />}
      {isNew && <NewTrigger flow={flow.id} onClose={() => setNew(false)} />}
    </>
  );
}

function TriggerCard({ trigger, canManage }: { readonly trigger: Trigger; readonly canManage: boolean }) {
  const client = useQueryClient();
  const [secret, setSecret] = useState<{ ingress_url: string; signing_secret: string }>();
  const path = `/api/v1/triggers/${trigger.id}`;
  const act = useMutation({
    mutationFn: ({ action, body }: { action: string; body?: unknown }) =>
      call(`${path}/${action}`, { method: 'POST', ...(body === undefined ? {} : { body }) }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['triggers', trigger.flow_id] }),
  });
  const rotate = async () => {
    setSecret(await call(`${path}/signing-secret`, { method: 'POST' }));
  };
  const isOn =
    trigger.state !== 'paused' && !(trigger.kind !== 'inbound_webhook' && trigger.state === 'pending');
  return (
    <Card
      title={
        <span className="row">
          <span dir="auto">{trigger.name}</span> <State of={trigger.state} />
          <span className="tag">{KIND_NAMES[trigger.kind]}</span>
        </span>
      }
      actions={
        canManage && (
          <span className="row">
            <Button size="small" onClick={() => act.mutate({ action: isOn ? 'disable' : 'enable' })}>
              {isOn ? 'Pause' : 'Enable'}
            </Button>
            <Button size="small" onClick={() => act.mutate({ action: 'test', body: { payload: {} } })}>
              Test
            </Button>
            {trigger.kind === 'inbound_webhook' && (
              <Button size="small" onClick={() => void rotate()}>
                New secret
              </Button>
            )}
          </span>
        )
      }
    >
      <div className="stack">
        {act.error !== null && <ErrorNote error={act.error} />}
        {secret !== undefined && (
          <Note tone="warn" title="The secret is shown this one time">
            <Paste text={secret.signing_secret} label="Secret" />
            <Paste text={secret.ingress_url} label="Address" />
          </Note>
        )}
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
        <Events trigger={trigger} canManage={canManage} />
      </div>
    </Card>
  );
}

function Events({ trigger, canManage }: { readonly trigger: Trigger; readonly canManage: boolean }) {
  const client = useQueryClient();
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
