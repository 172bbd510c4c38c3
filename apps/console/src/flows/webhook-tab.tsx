import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../api/client';
import { every, timed } from '../api/polling';
import { useMay } from '../api/session';
import type { Flow, Run, RunPage, RunRequest, FlowSettings } from '../api/answers';
import { ApiError } from '../api/client';
import { DataTable } from '../ui/data-table';
import { shortId } from '../ui/format';
import { Button, Busy, Card, Empty, ErrorNote, Facts, Paste, State, Time } from '../ui/parts';
import { toast } from '../ui/toast';
import { ValueView } from '../ui/value-view';
import { RefusedDeliveries } from './refused-deliveries';
import { WebhookSignature } from './webhook-signature';

type WebhookSettings = Pick<FlowSettings, 'webhookAuth' | 'webhook'>;

function challengeOf(webhook: WebhookSettings['webhook']): string {
  const challenge = webhook?.challenge;
  if (challenge === undefined) return webhook?.signature?.scheme === 'slack' ? 'slack' : 'none';
  return [challenge.scheme, ...(challenge.secrets ?? [])].join(', ');
}

/** The address of the flow's webhook, who may send, and what arrived last. */
export function WebhookTab({ flow, endpoint }: { readonly flow: Flow; readonly endpoint: string }) {
  const { webhookAuth, webhook } = flow.settings as WebhookSettings;
  const url = `${location.origin}/api/v1/webhook/${endpoint}`;
  const signature = webhook?.signature;
  const deliveries = useQuery({
    queryKey: ['deliveries', flow.id],
    queryFn: timed(({ signal }) =>
      call<RunPage>(`/api/v1/runs?flow_id=${flow.id}&origin=webhook&limit=20`, { signal }),
    ),
    refetchInterval: every(5_000),
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
              { name: 'Verification of the address', value: challengeOf(webhook) },
              {
                name: 'Forms',
                value: webhook?.form === 'json' ? 'as a JSON object of their fields' : 'as they were sent',
              },
              {
                name: 'Waiting for the answer',
                value:
                  webhook?.maximumWaitSeconds === undefined
                    ? 'no: senders get the id of the run'
                    : `up to ${webhook.maximumWaitSeconds} s, by ?wait=`,
              },
            ]}
          />
        </div>
      </Card>
      <WebhookSignature flow={flow} />
      <Card title="Last deliveries" flush>
        {deliveries.isPending && <Busy />}
        {deliveries.error !== null && <ErrorNote error={deliveries.error} />}
        {deliveries.data?.runs.length === 0 && (
          <Empty title="Nothing has arrived">Send the line above; the delivery appears here.</Empty>
        )}
        {deliveries.data !== undefined && deliveries.data.runs.length > 0 && (
          <DataTable
            isFlush
            rows={deliveries.data.runs}
            rowKey={({ id }) => id}
            detail={{ title: 'Payload', render: (run) => <Payload run={run} /> }}
            columns={[
              {
                title: 'Run',
                cell: ({ id }) => (
                  <Link className="mono" href={`/runs/${id}`}>
                    {shortId(id)}
                  </Link>
                ),
                isFixed: true,
              },
              { title: 'State', cell: ({ status }) => <State of={status} />, isFixed: true },
              { title: 'From', cell: (run) => <span dir="auto">{run.trigger?.name ?? 'webhook'}</span> },
              { title: 'Received', cell: (run) => <Time of={run.accepted_at} />, isFixed: true },
              {
                title: 'Verdict',
                cell: ({ error }) => (
                  <span dir="auto">
                    {error === null ? 'accepted' : (error.message?.split('\n').at(-1) ?? error.code)}
                  </span>
                ),
              },
              { title: '', cell: (run) => <Resend run={run} /> },
            ]}
          />
        )}
      </Card>
      <RefusedDeliveries flow={flow.id} />
    </>
  );
}

const REPLAYABLE = new Set(['failed', 'timed_out', 'dead']);

function Resend({ run }: { readonly run: Run }) {
  const canRun = useMay('run');
  const resend = async () => {
    try {
      await call(`/api/v1/runs/${run.id}/replay`, { method: 'POST' });
      toast('The delivery is replayed');
    } catch (error) {
      toast(error instanceof ApiError ? error.message : String(error));
    }
  };
  if (!canRun || !REPLAYABLE.has(run.status)) return null;
  return (
    <Button size="small" onClick={() => void resend()}>
      Resend
    </Button>
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
