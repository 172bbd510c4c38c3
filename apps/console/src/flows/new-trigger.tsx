import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { call } from '../api/client';
import { Modal } from '../ui/dialog';
import { exactTime } from '../ui/format';
import { Button, ErrorNote } from '../ui/parts';

const KINDS = {
  cron: 'Schedule: cron expression',
  interval: 'Schedule: interval',
  once: 'Schedule: once',
  webhook: 'Signed webhook',
} as const;
type Kind = keyof typeof KINDS;

const UNITS = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 } as const;
type Unit = keyof typeof UNITS;

interface Draft {
  readonly name: string;
  readonly kind: Kind;
  readonly cron: string;
  readonly zone: string;
  readonly every: string;
  readonly unit: Unit;
  readonly at: string;
}

const firstDraft = (): Draft => ({
  name: '',
  kind: 'cron',
  cron: '0 8 * * 1-5',
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  every: '15',
  unit: 'minutes',
  at: '',
});

/** The configuration of a schedule; undefined for a webhook or while a field is empty. */
function configOf(draft: Draft): Readonly<Record<string, unknown>> | undefined {
  const { kind, cron, zone, every, unit, at } = draft;
  if (kind === 'cron') return cron === '' ? undefined : { cron, timezone: zone };
  if (kind === 'interval')
    return Number(every) > 0 ? { every_seconds: Number(every) * UNITS[unit] } : undefined;
  if (kind === 'once') return at === '' ? undefined : { at, timezone: zone };
  return undefined;
}

/** A form for a trigger: a schedule of any kind, whose next times it shows, or a signed webhook. */
export function NewTrigger({ flow, onClose }: { readonly flow: string; readonly onClose: () => void }) {
  const client = useQueryClient();
  const [draft, setDraft] = useState(firstDraft);
  const config = configOf(draft);
  const create = useMutation({
    mutationFn: () =>
      call('/api/v1/triggers', {
        method: 'POST',
        body: {
          flow_id: flow,
          name: draft.name,
          ...(draft.kind === 'webhook'
            ? { kind: 'inbound_webhook' }
            : { kind: 'schedule', state: 'active', config }),
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
  const field = (name: keyof Draft) => ({
    id: `trigger-${name}`,
    value: draft[name],
    onChange: (event: { target: { value: string } }) => setDraft({ ...draft, [name]: event.target.value }),
  });
  return (
    <Modal title="New trigger" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <div className="field">
          <label htmlFor="trigger-name">Name</label>
          <input className="input" required {...field('name')} />
        </div>
        <div className="field">
          <label htmlFor="trigger-kind">Kind</label>
          <select className="input" {...field('kind')}>
            {Object.entries(KINDS).map(([kind, title]) => (
              <option key={kind} value={kind}>
                {title}
              </option>
            ))}
          </select>
        </div>
        {draft.kind === 'cron' && (
          <div className="field">
            <label htmlFor="trigger-cron">Cron expression</label>
            <input className="input mono" required {...field('cron')} />
            <span className="hint">Minute, hour, day of month, month, day of week.</span>
          </div>
        )}
        {draft.kind === 'interval' && (
          <div className="field">
            <label htmlFor="trigger-every">Every</label>
            <span className="row">
              <input className="input" type="number" min={1} step={1} required {...field('every')} />
              <select className="input" aria-label="Unit" {...field('unit')}>
                {Object.keys(UNITS).map((unit) => (
                  <option key={unit}>{unit}</option>
                ))}
              </select>
            </span>
          </div>
        )}
        {draft.kind === 'once' && (
          <div className="field">
            <label htmlFor="trigger-at">Time</label>
            <input className="input" type="datetime-local" required {...field('at')} />
          </div>
        )}
        {(draft.kind === 'cron' || draft.kind === 'once') && (
          <div className="field">
            <label htmlFor="trigger-zone">Time zone</label>
            <input className="input" required {...field('zone')} />
          </div>
        )}
        {config !== undefined && <NextTimes config={config} />}
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

/** When the schedule would fire, or why it cannot be stored. */
function NextTimes({ config }: { readonly config: Readonly<Record<string, unknown>> }) {
  const preview = useQuery({
    queryKey: ['schedule-preview', config],
    retry: false,
    queryFn: async ({ signal }) =>
      (
        await call<{ next_times: string[] }>('/api/v1/schedules/preview', {
          method: 'POST',
          body: { config },
          signal,
        })
      ).next_times,
  });
  if (preview.error !== null) return <p className="hint bad">{preview.error.message}</p>;
  const times = preview.data?.slice(0, 3) ?? [];
  if (preview.data !== undefined && times.length === 0)
    return <p className="hint bad">This schedule never fires.</p>;
  return (
    <p className="hint" aria-live="polite">
      {times.length === 0 ? 'Next: …' : `Next: ${times.map(exactTime).join('; ')}`}
    </p>
  );
}
