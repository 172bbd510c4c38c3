import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { Link } from 'wouter';
import { call } from '../api/client';
import { useMay } from '../api/session';
import type { Flow, Trigger, TriggerEvent } from '../api/types';
import { Modal } from '../ui/dialog';
import { exactTime, shortId } from '../ui/format';
import { Button, Busy, Card, Empty, ErrorNote, Note, Paste, State, Time } from '../ui/parts';
import { toast } from '../ui/toast';

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
          <Empty title="No triggers">
            A schedule starts runs at times; a signed webhook starts one for each delivery.
          </Empty>
        </section>
      )}
      {triggers.data?.map((trigger) => (
        <TriggerCard key={trigger.id} trigger={trigger} canManage={canManage} />
      ))}
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
            <code>{JSON.stringify(trigger.config)}</code>
            {trigger.next_fire_at !== null && (
              <span className="muted" title={exactTime(trigger.next_fire_at)}>
                {' '}
                next <Time of={trigger.next_fire_at} />
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
  if (events.data === undefined || events.data.length === 0) return <p className="muted">No events yet.</p>;
  return (
    <div className="table-wrap">
      <table className="data">
        <thead>
          <tr>
            <th>State</th>
            <th>Received</th>
            <th>Payload</th>
            <th>Run</th>
            <th>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {events.data.map((event) => (
            <tr key={event.id}>
              <td className="fixed">
                <State of={event.state} />
              </td>
              <td className="fixed">
                <Time of={event.created_at} />
              </td>
              <td className="mono" dir="auto">
                {JSON.stringify(event.payload).slice(0, 160)}
              </td>
              <td className="mono fixed">
                {event.job_id !== null && <Link href={`/runs/${event.job_id}`}>{shortId(event.job_id)}</Link>}
              </td>
              <td>
                {canManage && (
                  <Button size="small" onClick={() => void resend(event.id)}>
                    Resend
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function NewTrigger({ flow, onClose }: { readonly flow: string; readonly onClose: () => void }) {
  const client = useQueryClient();
  const [kind, setKind] = useState('schedule');
  const [name, setName] = useState('');
  const [cron, setCron] = useState('0 8 * * 1-5');
  const [zone, setZone] = useState(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  const create = useMutation({
    mutationFn: () =>
      call('/api/v1/triggers', {
        method: 'POST',
        body: {
          flow_id: flow,
          name,
          kind,
          ...(kind === 'schedule' ? { state: 'active', config: { cron, timezone: zone } } : {}),
        },
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['triggers', flow] });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Modal title="New trigger" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <div className="field">
          <label htmlFor="trigger-name">Name</label>
          <input
            id="trigger-name"
            className="input"
            required
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <div className="field">
          <label htmlFor="trigger-kind">Kind</label>
          <select
            id="trigger-kind"
            className="input"
            value={kind}
            onChange={(event) => setKind(event.target.value)}
          >
            <option value="schedule">Schedule</option>
            <option value="inbound_webhook">Signed webhook</option>
          </select>
        </div>
        {kind === 'schedule' && (
          <>
            <div className="field">
              <label htmlFor="trigger-cron">Cron expression</label>
              <input
                id="trigger-cron"
                className="input mono"
                required
                value={cron}
                onChange={(event) => setCron(event.target.value)}
              />
              <span className="hint">Minute, hour, day of month, month, day of week.</span>
            </div>
            <div className="field">
              <label htmlFor="trigger-zone">Time zone</label>
              <input
                id="trigger-zone"
                className="input"
                required
                value={zone}
                onChange={(event) => setZone(event.target.value)}
              />
            </div>
          </>
        )}
        {create.error !== null && <ErrorNote error={create.error} />}
        <div className="actions">
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" type="submit" disabled={create.isPending}>
            Create
          </Button>
        </div>
      </form>
    </Modal>
  );
}
