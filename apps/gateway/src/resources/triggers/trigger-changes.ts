import { HttpError } from '@millrace/http';
import { NODE_REMOVED, scheduleFrom } from '@millrace/runs';
import type { TriggerChanges, TriggerConfig, TriggerKind, TriggerRecord } from '@millrace/runs';
import { readNewSchedule, ScheduleError } from '@millrace/schedules';
import { fixedLimits } from '@millrace/service';
import { checkedSource } from './queue-source-config';
import type { TriggerBinding } from './trigger-bodies';

/** Members that would suggest that an inbound webhook fires by itself. Others are kept, as in Langflow. */
const SCHEDULE_MEMBERS = ['cron', 'every_seconds', 'at', 'timezone'] as const;

/**
 * Returns a trigger's configuration with its defaults. Throws trigger_invalid. `createdAt` is when an interval starts that
 * names no start.
 */
export function checkedConfig(kind: TriggerKind, config: TriggerConfig, createdAt: Date): TriggerConfig {
  if (kind === 'rabbitmq') return checkedSource(config, fixedLimits.queuePrefetch);
  if (kind === 'schedule') return refusing(() => readNewSchedule(config, createdAt.getTime()).config);
  const foreign = SCHEDULE_MEMBERS.find((name) => (config[name] ?? null) !== null);
  if (foreign !== undefined)
    throw new HttpError('trigger_invalid', `'${foreign}' is a member of schedules, not of inbound webhooks.`);
  const shares = config['share_session'];
  if (shares !== undefined && typeof shares !== 'boolean')
    throw new HttpError('trigger_invalid', 'share_session must be a boolean.');
  return config;
}

/**
 * Returns the configuration of a new trigger. A schedule can be created without one, to be configured before it is enabled.
 * Throws trigger_invalid.
 */
export function newConfig(
  { kind, state, createdAt }: Pick<TriggerRecord, 'kind' | 'state' | 'createdAt'>,
  config: TriggerConfig,
): TriggerConfig {
  const isLater = kind === 'schedule' && state !== 'active' && Object.keys(config).length === 0;
  return isLater ? config : checkedConfig(kind, config, createdAt);
}

/** Refuses what a trigger cannot be bound to here. Throws trigger_invalid. */
export function checkBinding(body: TriggerBinding & { readonly provider?: string | null }): void {
  const { connection_id: connection, deployment_id: deployment, provider } = body;
  if ((connection ?? null) !== null)
    throw new HttpError(
      'trigger_invalid',
      'A trigger can only use a connection its owner owns. Choose one of your own connections; shared and instance ' +
        'connections cannot back a trigger.',
    );
  if (body.binding_target === 'deployment' && (deployment ?? null) === null)
    throw new HttpError('trigger_invalid', 'A deployment binding requires deployment_id.');
  if ((deployment ?? null) !== null)
    throw new HttpError('trigger_invalid', 'There are no deployments: a trigger runs its flow.');
  if ((provider ?? null) !== null)
    throw new HttpError('trigger_invalid', 'There are no providers: a trigger has its events from its kind.');
}

/** Returns the trigger. Throws trigger_invalid when it has no address and no secret. */
export function requireInboundWebhook(trigger: TriggerRecord): TriggerRecord {
  if (trigger.kind === 'inbound_webhook') return trigger;
  const text = 'Only inbound webhook triggers have an owner-managed signing secret.';
  throw new HttpError('trigger_invalid', text, { status: 409 });
}

/** Returns the changes that enable a trigger. Throws trigger_invalid with status 409. */
export function enabling(trigger: TriggerRecord, now: Date): TriggerChanges {
  if (trigger.lastError === NODE_REMOVED)
    throw new HttpError('trigger_invalid', NODE_REMOVED, { status: 409 });
  return { state: 'active', lastError: null, ...nextTimes(trigger, now, 409) };
}

/** Returns what a schedule waits for from now on. Throws trigger_invalid. */
export function nextTimes(
  trigger: Pick<TriggerRecord, 'id' | 'kind' | 'config' | 'createdAt'>,
  now: Date,
  status: 409 | 422,
): Pick<TriggerChanges, 'nextOccurrenceAt' | 'nextFireAt'> {
  if (trigger.kind !== 'schedule') return {};
  const next = refusing(() => scheduleFrom(trigger, now), status);
  if (next.nextFireAt === null)
    throw new HttpError('trigger_invalid', 'The schedule has no further times.', { status });
  return next;
}

/** Throws trigger_invalid in place of a ScheduleError. */
export function refusing<T>(work: () => T, status: 409 | 422 = 422): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ScheduleError) throw new HttpError('trigger_invalid', error.message, { status });
    throw error;
  }
}
