import { ScheduleError } from '@millrace/schedules';
import type { Queryable } from '@millrace/database';
import { scheduleFrom } from './fire-schedules';
import type { TriggerStore } from './trigger-store';
import type { TriggerKind } from '../run-record/trigger-kind';
import type { TriggerConfig, TriggerRecord } from './trigger-record';

/** What `last_error` contains while the node of a trigger is not in its flow. */
export const NODE_REMOVED = 'trigger node removed from the flow';

/** A trigger as a node of a flow's document describes it. */
export interface NodeTrigger {
  readonly nodeId: string;
  readonly kind: TriggerKind;
  readonly name: string;
  readonly config: TriggerConfig;
}

export interface SyncedTriggers {
  readonly created: readonly TriggerRecord[];
  readonly removed: readonly TriggerRecord[];
}

const PAGE = { limit: 10_000, offset: 0 };
const DEFAULT_ATTEMPTS = 5;

/**
 * Makes the triggers of a flow's nodes what its document says: creates those of new nodes in state pending, changes those
 * of changed nodes, and pauses those of removed nodes. Belongs to the transaction that stores the document.
 */
export async function syncNodeTriggers(
  connection: Queryable,
  store: TriggerStore,
  flow: { readonly userId: string; readonly flowId: string; readonly now: Date },
  nodes: readonly NodeTrigger[],
): Promise<SyncedTriggers> {
  const triggers = store.within(connection);
  const existing = (await triggers.list(flow.userId, flow.flowId, PAGE)).filter(
    ({ nodeId }) => nodeId !== null,
  );
  const byNode = new Map(existing.map((trigger) => [trigger.nodeId, trigger]));
  const created: TriggerRecord[] = [];
  for (const node of nodes) {
    const found = byNode.get(node.nodeId);
    byNode.delete(node.nodeId);
    if (found?.kind === node.kind) await update(triggers, flow, found, node);
    else if (!found) {
      const trigger = await triggers.create(flow.userId, newTriggerOf(flow.flowId, node));
      if (trigger) created.push(trigger);
    }
  }
  const removed: TriggerRecord[] = [];
  for (const trigger of byNode.values()) {
    // A node id that was given through the API names no node of the document.
    if (trigger.lastError === NODE_REMOVED || !isNodeOf(trigger)) continue;
    const changed = await triggers.update(flow.userId, trigger.id, {
      state: 'paused',
      lastError: NODE_REMOVED,
    });
    if (changed) removed.push(changed);
  }
  return { created, removed };
}

function newTriggerOf(flowId: string, { nodeId, kind, name, config }: NodeTrigger) {
  return {
    flowId,
    nodeId,
    kind,
    name,
    config,
    state: 'pending' as const,
    sessionPolicy: sessionPolicyOf(config),
    concurrencyLimit: 1,
    maximumAttempts: DEFAULT_ATTEMPTS,
    flowVersion: null,
    nextOccurrenceAt: null,
    nextFireAt: null,
  };
}

async function update(
  triggers: TriggerStore,
  { userId, now }: { readonly userId: string; readonly now: Date },
  trigger: TriggerRecord,
  { name, config }: NodeTrigger,
): Promise<void> {
  const isBack = trigger.lastError === NODE_REMOVED;
  const back = isBack ? { state: 'pending' as const, lastError: null } : {};
  const isSame = JSON.stringify(trigger.config) === JSON.stringify(config);
  if (isSame && !isBack) return;
  const next = isSame || trigger.state !== 'active' ? {} : nextOf({ ...trigger, config }, now);
  const shares = sessionPolicyOf(config);
  await triggers.update(userId, trigger.id, {
    ...(isSame ? {} : { name, config, sessionPolicy: shares }),
    ...back,
    ...next,
  });
}

/** What an active schedule waits for after a change; it is paused when its node became invalid. */
function nextOf(trigger: TriggerRecord, now: Date) {
  if (trigger.kind !== 'schedule') return {};
  try {
    return scheduleFrom(trigger, now);
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    return { state: 'paused' as const, lastError: error.message };
  }
}

function sessionPolicyOf(config: TriggerConfig): 'shared' | 'per_event' {
  return config['share_session'] === true ? 'shared' : 'per_event';
}

/** Types of the nodes that make a trigger. */
const NODE_TYPES = { inbound_webhook: 'InboundWebhookTrigger', schedule: 'ScheduleTrigger' } as const;

function isNodeOf({ nodeId, kind }: TriggerRecord): boolean {
  return kind !== 'rabbitmq' && nodeId !== null && nodeId.startsWith(NODE_TYPES[kind]);
}

/** Returns the triggers that the nodes of a document describe. */
export function nodeTriggersOf(document: unknown): readonly NodeTrigger[] {
  const nodes = (document as { readonly nodes?: unknown } | null)?.nodes;
  if (!Array.isArray(nodes)) return [];
  return nodes.flatMap((node: unknown) => nodeTriggerOf(node) ?? []);
}

interface DocumentNode {
  readonly id?: unknown;
  readonly data?: {
    readonly type?: unknown;
    readonly node?: {
      readonly template?: Readonly<Record<string, { readonly value?: unknown } | undefined>>;
    };
  };
}

function nodeTriggerOf(node: unknown): NodeTrigger | null {
  const { id, data } = (node ?? {}) as DocumentNode;
  const template = data?.node?.template ?? {};
  const valueOf = (name: string) => template[name]?.value;
  if (typeof id !== 'string') return null;
  const share = { share_session: valueOf('share_session') === true };
  if (data?.type === NODE_TYPES.inbound_webhook)
    return { nodeId: id, kind: 'inbound_webhook', name: 'Inbound Webhook', config: share };
  if (data?.type !== NODE_TYPES.schedule) return null;
  const text = (name: string, absent: string) => {
    const value = valueOf(name);
    return typeof value === 'string' ? value.trim().split(/\s+/).join(' ') : absent;
  };
  const cron = text('cron_expression', '');
  return {
    nodeId: id,
    kind: 'schedule',
    name: `Schedule ${cron}`.slice(0, 200),
    config: {
      cron,
      timezone: text('timezone', 'UTC'),
      catchup_policy: text('catchup_policy', 'coalesce'),
      ...share,
    },
  };
}
