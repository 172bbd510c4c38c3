import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { call } from '../api/client';
import { useFlows } from '../api/queries';
import type { Trigger } from '../api/answers';
import { Modal } from '../ui/dialog';
import { exactTime } from '../ui/format';
import { Button, ErrorNote } from '../ui/parts';
import { SettingsForm } from './settings-form';
import type { Values } from './settings-form';
import { useBodySchema } from './settings-schema';

const KINDS = {
  cron: 'Schedule: cron expression',
  interval: 'Schedule: interval',
  once: 'Schedule: once',
  webhook: 'Signed webhook',
  queue: 'Queue of RabbitMQ',
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
  /** The configuration of a queue. */
  readonly json: string;
}

const firstDraft = (): Draft => ({
  name: '',
  kind: 'cron',
  cron: '0 8 * * 1-5',
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  every: '15',
  unit: 'minutes',
  at: '',
  json: '',
});

/** What the fields show of a trigger. */
function draftOf({ name, kind, config }: Trigger): Draft {
  const text = (member: string) => (typeof config[member] === 'string' ? config[member] : '');
  const draft = { ...firstDraft(), name, zone: text('timezone') || 'UTC' };
  if (kind === 'inbound_webhook') return { ...draft, kind: 'webhook' };
  if (kind === 'rabbitmq') return { ...draft, kind: 'queue', json: JSON.stringify(config, null, 2) };
  if (text('at') !== '') return { ...draft, kind: 'once', at: text('at').slice(0, 16) };
  const seconds = config['every_seconds'];
  if (typeof seconds !== 'number') return { ...draft, cron: text('cron') };
  const units = Object.entries(UNITS).toReversed() as [Unit, number][];
  const [unit, size] = units.find(([, each]) => seconds % each === 0) ?? ['seconds', 1];
  return { ...draft, kind: 'interval', every: String(seconds / size), unit };
}

/** The configuration of a schedule; undefined for a webhook or while a field is empty. */
function configOf(draft: Draft): Readonly<Record<string, unknown>> | undefined {
  const { kind, cron, zone, every, unit, at } = draft;
  if (kind === 'cron') return cron === '' ? undefined : { cron, timezone: zone };
  if (kind === 'interval')
    return Number(every) > 0 ? { every_seconds: Number(every) * UNITS[unit] } : undefined;
  if (kind === 'once') return at === '' ? undefined : { at, timezone: zone };
  return undefined;
}

export interface TriggerFormProps {
  /** The flow of a new trigger; of one that is changed, its own. Chosen in the form when it is absent. */
  readonly flow?: string | undefined;
  readonly trigger?: Trigger;
  readonly onClose: () => void;
}

/** Members of a trigger beside its name, kind and configuration. */
const OTHERS = ['session_policy', 'concurrency_limit', 'max_attempts'] as const;

/** A form for a trigger, new or as it is: a schedule of any kind, whose next times it shows, a signed webhook, or a queue. */
export function TriggerForm({ flow, trigger, onClose }: TriggerFormProps) {
  const client = useQueryClient();
  const schema = useBodySchema('post', '/api/v1/triggers');
  const members = Object.fromEntries(OTHERS.map((name) => [name, schema.data?.[name] ?? {}]));
  const [draft, setDraft] = useState(() => (trigger === undefined ? firstDraft() : draftOf(trigger)));
  const [flowId, setFlowId] = useState(flow ?? '');
  const [others, setOthers] = useState<Values>(() =>
    trigger === undefined ? {} : Object.fromEntries(OTHERS.map((name) => [name, trigger[name]])),
  );
  const config = configOf(draft);
  const save = useMutation({
    mutationFn: () => {
      // An empty field is the default.
      const given = OTHERS.map((name) => [name, others[name] ?? schema.data?.[name]?.default] as const);
      const body = {
        name: draft.name,
        ...(draft.kind === 'queue'
          ? { config: objectIn(draft.json) }
          : config && { config: { ...furtherMembers(trigger), ...config } }),
        ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
      };
      if (trigger !== undefined) return call(`/api/v1/triggers/${trigger.id}`, { method: 'PATCH', body });
      const kind = API_KINDS[draft.kind];
      return call('/api/v1/triggers', {
        method: 'POST',
        body: { flow_id: flowId, kind, ...(kind === 'schedule' && { state: 'active' }), ...body },
      });
    },
    onSuccess: async () => {
      await Promise.all(
        [['triggers'], ['schedules']].map((queryKey) => client.invalidateQueries({ queryKey })),
      );
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const field = (name: keyof Draft) => ({
    id: `trigger-${name}`,
    value: draft[name],
    onChange: (event: { target: { value: string } }) => setDraft({ ...draft, [name]: event.target.value }),
  });
  return (
    <Modal title={trigger === undefined ? 'New trigger' : `Change “${trigger.name}”`} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        {flow === undefined && <FlowChoice value={flowId} onChange={setFlowId} />}
        <div className="field">
          <label htmlFor="trigger-name">Name</label>
          <input className="input" required {...field('name')} />
        </div>
        {trigger === undefined && (
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
        )}
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
        {draft.kind === 'queue' && (
          <div className="field">
            <label htmlFor="trigger-json">Configuration, as JSON</label>
            <textarea className="input mono" rows={8} required spellCheck={false} {...field('json')} />
            <span className="hint">The variable with the address of the broker, and the queue.</span>
          </div>
        )}
        {config !== undefined && <NextTimes config={config} />}
        <details>
          <summary>Sessions, limit and attempts</summary>
          <div className="settings-fields">
            <SettingsForm members={members} values={others} onChange={setOthers} />
          </div>
        </details>
        {save.error !== null && <ErrorNote error={save.error} />}
        <div className="actions">
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" type="submit" disabled={save.isPending}>
            {trigger === undefined ? 'Create' : 'Save'}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

const API_KINDS = {
  cron: 'schedule',
  interval: 'schedule',
  once: 'schedule',
  webhook: 'inbound_webhook',
  queue: 'rabbitmq',
} as const satisfies Readonly<Record<Kind, Trigger['kind']>>;

/** Members of a configuration without a field. */
function furtherMembers(trigger: Trigger | undefined): Values {
  const ofTimes = ['cron', 'every_seconds', 'at', 'timezone'];
  const entries = Object.entries(trigger?.config ?? {});
  return Object.fromEntries(entries.filter(([name]) => !ofTimes.includes(name)));
}

function objectIn(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    throw new Error('The configuration is no JSON.');
  }
}

interface FlowChoiceProps {
  readonly value: string;
  readonly onChange: (flow: string) => void;
}

function FlowChoice({ value, onChange }: FlowChoiceProps) {
  const flows = useFlows().data ?? [];
  return (
    <div className="field">
      <label htmlFor="trigger-flow">Flow</label>
      <select
        id="trigger-flow"
        className="input"
        required
        value={value}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">choose a flow</option>
        {flows.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </div>
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
