import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client';
import { useMay } from '../api/session';
import type { Schemas, Trigger } from '../api/answers';
import { Confirm } from '../ui/dialog';
import { Button, ErrorNote, Note, Paste } from '../ui/parts';
import { TriggerForm } from './trigger-form';

type Secret = Schemas['SigningSecret'];

/** What can be done with a trigger: pause, try, change, delete, and a new secret. */
export function TriggerActions({ trigger }: { readonly trigger: Trigger }) {
  const client = useQueryClient();
  const canManage = useMay('manage');
  const [open, setOpen] = useState<'change' | 'delete'>();
  const [secret, setSecret] = useState<Secret>();
  const path = `/api/v1/triggers/${trigger.id}`;
  const refresh = () =>
    Promise.all(
      [['triggers'], ['schedules'], ['trigger-events', trigger.id]].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    );
  const act = useMutation({
    mutationFn: ({ action, body }: { readonly action: string; readonly body?: unknown }) =>
      call(`${path}/${action}`, { method: 'POST', ...(body !== undefined && { body }) }),
    onSuccess: refresh,
  });
  const rotate = useMutation({
    mutationFn: () => call<Secret>(`${path}/signing-secret`, { method: 'POST' }),
    onSuccess: setSecret,
  });
  if (!canManage) return null;
  const isWebhook = trigger.kind === 'inbound_webhook';
  const isOn = trigger.state !== 'paused' && (isWebhook || trigger.state !== 'pending');
  const error = act.error ?? rotate.error;
  return (
    <>
      <span className="row">
        <Button size="small" onClick={() => act.mutate({ action: isOn ? 'disable' : 'enable' })}>
          {isOn ? 'Pause' : 'Enable'}
        </Button>
        <Button size="small" onClick={() => act.mutate({ action: 'test', body: { payload: {} } })}>
          Test
        </Button>
        {isWebhook && (
          <Button size="small" onClick={() => rotate.mutate()}>
            New secret
          </Button>
        )}
        <Button size="small" onClick={() => setOpen('change')}>
          Edit
        </Button>
        <Button size="small" kind="danger" onClick={() => setOpen('delete')}>
          Delete
        </Button>
      </span>
      {error !== null && <ErrorNote error={error} />}
      {secret !== undefined && (
        <Note tone="warn" title="The secret is shown this one time">
          <Paste text={secret.signing_secret} label="Secret" />
          <Paste text={secret.ingress_url ?? ''} label="Address" />
        </Note>
      )}
      {open === 'change' && (
        <TriggerForm flow={trigger.flow_id} trigger={trigger} onClose={() => setOpen(undefined)} />
      )}
      {open === 'delete' && (
        <Confirm
          title={`Delete the trigger “${trigger.name}”?`}
          action="Delete the trigger"
          danger
          onClose={() => setOpen(undefined)}
          onConfirm={async () => {
            await call(path, { method: 'DELETE' });
            await refresh();
          }}
        >
          <p className="muted">It starts no further runs. Its events are deleted; its runs stay.</p>
        </Confirm>
      )}
    </>
  );
}
