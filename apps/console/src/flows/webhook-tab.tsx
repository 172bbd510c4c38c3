import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { call } from '../api/client';
import { useMay } from '../api/session';
import type { Flow, Run, RunPage, RunRequest } from '../api/types';
import { ApiError } from '../api/client';
import { shortId } from '../ui/format';
import { Button, Busy, Card, Empty, ErrorNote, Facts, Paste, State, Time } from '../ui/parts';
import { toast } from '../ui/toast';
import { ValueView } from '../ui/value-view';

interface WebhookSettings {
  readonly webhookAuth?: string;
  readonly webhook?: {
    readonly deliveryIdHeader?: string;
    readonly signature?: { readonly scheme: string; readonly secrets: readonly string[] };
  };
}

/** The address of the flow's webhook, who may send, and what arrived last. */
export function WebhookTab({ flow, endpoint }: { readonly flow: Flow; readonly endpoint: string }) {
  const { webhookAuth, webhook } = flow.settings as WebhookSettings;
  const url = `${location.origin}/api/v1/webhook/${endpoint}`;
  const signature = webhook?.signature;
  const deliveries = useQuery({
    queryKey: ['deliveries', flow.id],
    queryFn: ({ signal }) =>
      call<RunPage>(`/api/v1/runs?flow_id=${flow.id}&origin=webhook&limit=20`, { signal }),
    refetchInterval: 5_000,
  });
  return (
    <>
      <Card title="Address">
        <div className="stack">
          <Paste
            text={`curl -X POST '${url}' ${webhookAuth === 'off' || signature ? '' : '-H "x-api-key: $MILLRACE_API_KEY" '}-H 'content-type: application/json' -d '{"order": 7}'`}
          />
          <Facts
            of={[
              {
                name: 'Who may send',
                value: signature
                  ? `Senders that sign (${signature.scheme})`
                  : webhookAuth === 'off'
                    ? 'Everyone'
                    : 'Holders of an API key',
              },
              { name: 'Secrets', value: signature ? signature.secrets.join(', ') : 'none' },
              { name: 'Header of the delivery id', value: webhook?.deliveryIdHeader ?? 'that of the sender' },
            ]}
          />
          <p className="muted">
            Change this in Settings of the flow. Secrets are names of{' '}
            <Link href="/access/variables">variables</Link>.
          </p>
        </div>
      </Card>
      <Card title="Last deliveries" flush>
        {deliveries.isPending && <Busy />}
        {deliveries.error !== null && <ErrorNote error={deliveries.error} />}
        {deliveries.data?.runs.length === 0 && (
          <Empty title="Nothing has arrived">Send the line above; the delivery appears here.</Empty>
        )}
        {(deliveries.data?.runs.length ?? 0) > 0 && (
          <div className="table-wrap">
            <table className="data">
              <thead>
                <tr>
                  <th>Run</th>
                  <th>State</th>
                  <th>Received</th>
                  <th>Verdict</th>
                  <th>
                    <span className="visually-hidden">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {deliveries.data?.runs.map((run) => (
                  <Delivery key={run.id} run={run} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Card>
    </>
  );
}

const REPLAYABLE = new Set(['failed', 'timed_out', 'dead']);

function Delivery({ run }: { readonly run: Run }) {
  const [isOpen, setOpen] = useState(false);
  const canRun = useMay('run');
  const resend = async () => {
    try {
      await call(`/api/v1/runs/${run.id}/replay`, { method: 'POST' });
      toast('The delivery is replayed');
    } catch (error) {
      toast(error instanceof ApiError ? error.message : String(error));
    }
  };
  return (
    <>
      <tr>
        <td className="fixed mono">
          <Link href={`/runs/${run.id}`}>{shortId(run.id)}</Link>
        </td>
        <td className="fixed">
          <State of={run.status} />
        </td>
        <td className="fixed">
          <Time of={run.accepted_at} />
        </td>
        <td dir="auto">{run.error?.message.split('\n').at(-1) ?? 'accepted'}</td>
        <td>
          <span className="row end">
            <Button size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              Payload
            </Button>
            {canRun && REPLAYABLE.has(run.status) && (
              <Button size="small" onClick={() => void resend()}>
                Resend
              </Button>
            )}
          </span>
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={5}>
            <Payload run={run} />
          </td>
        </tr>
      )}
    </>
  );
}

/** What was sent. */
function Payload({ run }: { readonly run: Run }) {
  const payload = useQuery({
    queryKey: ['payload', run.id],
    queryFn: async ({ signal }) =>
      (await call<RunRequest>(`/api/v1/runs/${run.id}/request`, { signal })).webhook_payload ?? null,
  });
  if (payload.isPending) return <Busy />;
  if (payload.data === undefined || payload.data === null)
    return <p className="muted">The payload is no longer kept.</p>;
  return <ValueView value={payload.data} label="Payload" />;
}
