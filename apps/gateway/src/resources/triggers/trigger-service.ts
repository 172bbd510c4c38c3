import { randomUUID } from 'node:crypto';
import type { BacklogLimits, FlowCache } from '@millrace/access';
import { DEFAULT_ATTEMPTS } from './trigger-bodies';
import type { TriggerBody, TriggerChangesBody } from './trigger-bodies';
import { newTriggerEvent } from '@millrace/dispatch';
import type { RunPublisher } from '@millrace/dispatch';
import { HttpError } from '@millrace/http';
import { flowVersionId, triggerKinds } from '@millrace/runs';
import type {
  AuditEvent,
  AuditLog,
  FlowStore,
  SigningSecret,
  TriggerChanges,
  TriggerEventRecord,
  TriggerEventStore,
  TriggerKind,
  TriggerRecord,
  TriggerStore,
  UserBacklogs,
  VariableStore,
} from '@millrace/runs';
import { fixedLimits, uuidv7 } from '@millrace/service';
import type { SharedClock } from '@millrace/service';
import type { FlowAuthor } from '../../authentication/author-of';
import type { GatewayLimits, GatewayOptions } from '../../gateway-dependencies';
import { replayInputs, testInputs } from './event-inputs';
import { checkConnection, refuseTooManySources } from './queue-source-config';
import { normalizeUuid } from '../../http/validation/uuid-text';
import { refuseTooMany } from './refuse-too-many';
import {
  checkBinding,
  checkedConfig,
  enabling,
  newConfig,
  nextTimes,
  requireInboundWebhook,
} from './trigger-changes';

const VERSIONS_AT_ONCE = 200;

export interface TriggerServiceOptions {
  readonly triggers: TriggerStore;
  readonly triggerEvents: TriggerEventStore;
  readonly variables: Pick<VariableStore, 'find'>;
  readonly audit: AuditLog;
  readonly flows: FlowStore;
  readonly cache: FlowCache;
  readonly publisher: RunPublisher;
  readonly backlogs: UserBacklogs;
  readonly backlogLimits: Pick<BacklogLimits, 'store'>;
  readonly clock: SharedClock;
  readonly limits: Pick<GatewayLimits, 'userTriggers' | 'userQueueSources'>;
  readonly settings: Pick<
    GatewayOptions,
    'MILLRACE_USER_QUEUE_SHARE' | 'MILLRACE_BACKGROUND_RUN_DEADLINE_SECONDS'
  >;
}

/** Creates and changes triggers, and starts runs with their events. Unknown and foreign triggers are the same. */
export class TriggerService {
  readonly #options: TriggerServiceOptions;

  constructor(options: TriggerServiceOptions) {
    this.#options = options;
  }

  async create({ userId, actor }: FlowAuthor, body: TriggerBody): Promise<TriggerRecord> {
    const { triggers, cache, audit, limits, variables } = this.#options;
    const { flow_id: flowId, name } = body;
    if (!(await cache.find(userId, flowId))) throw triggerNotFound();
    const kind = kindOf(body.kind);
    const createdAt = this.#now();
    checkBinding(body);
    const state = newState(body);
    const config = newConfig({ kind, state, createdAt }, body.config ?? {});
    if (kind === 'rabbitmq') await checkConnection(variables, { userId, config });
    const flowVersion = await this.#versionOf(userId, flowId, body.flow_version_id ?? null);
    const id = uuidv7();
    const none = { nextOccurrenceAt: null, nextFireAt: null };
    const next = state === 'active' ? nextTimes({ id, kind, config, createdAt }, createdAt, 422) : {};
    const isShared = config['share_session'] === true;
    const trigger = {
      flowId,
      name,
      kind,
      config,
      state,
      flowVersion,
      ...none,
      ...next,
      nodeId: body.node_id ?? null,
      sessionPolicy: body.session_policy ?? (isShared ? 'shared' : 'per_event'),
      concurrencyLimit: body.concurrency_limit ?? 1,
      maximumAttempts: body.max_attempts ?? DEFAULT_ATTEMPTS,
    };
    const created = await audit.change(actor, async (change) => {
      const store = triggers.within(change);
      await refuseTooMany(store, userId, { limit: limits.userTriggers, more: 1 });
      if (kind === 'rabbitmq') await refuseTooManySources(store, userId, limits.userQueueSources);
      const created = await store.create(userId, trigger, { id, createdAt });
      if (created) change.note(eventOf('trigger.created', created, { kind }));
      return created;
    });
    if (!created) throw triggerNotFound();
    return created;
  }

  async update(author: FlowAuthor, id: string, body: TriggerChangesBody): Promise<TriggerRecord> {
    const trigger = await this.find(author.userId, id);
    checkBinding(body);
    const config = body.config && checkedConfig(trigger.kind, body.config, trigger.createdAt);
    if (config && trigger.kind === 'rabbitmq')
      await checkConnection(this.#options.variables, { userId: author.userId, config });
    const isFiring = config && trigger.state === 'active';
    const { flow_version_id: versionId } = body;
    const changes: TriggerChanges = {
      ...(body.name === undefined ? {} : { name: body.name }),
      ...(config ? { config } : {}),
      ...(isFiring ? nextTimes({ ...trigger, config }, this.#now(), 422) : {}),
      ...(body.session_policy ? { sessionPolicy: body.session_policy } : {}),
      ...(body.concurrency_limit ? { concurrencyLimit: body.concurrency_limit } : {}),
      ...(body.max_attempts ? { maximumAttempts: body.max_attempts } : {}),
      ...(versionId === undefined
        ? {}
        : { flowVersion: await this.#versionOf(author.userId, trigger.flowId, versionId) }),
    };
    if (Object.keys(changes).length === 0) return trigger;
    return this.#change(author, id, changes, 'trigger.updated', { changed: Object.keys(changes) });
  }

  async enable(author: FlowAuthor, id: string): Promise<TriggerRecord> {
    const trigger = await this.find(author.userId, id);
    if (trigger.state === 'active') return trigger;
    if (trigger.kind === 'rabbitmq') await checkConnection(this.#options.variables, trigger, 409);
    return this.#change(author, id, enabling(trigger, this.#now()), 'trigger.enabled');
  }

  async disable(author: FlowAuthor, id: string): Promise<TriggerRecord> {
    const trigger = await this.find(author.userId, id);
    if (trigger.state === 'paused') return trigger;
    return this.#change(author, id, { state: 'paused' }, 'trigger.disabled');
  }

  /** Pins the runs of a trigger to a version of its flow; null for the newest one. */
  async pin(author: FlowAuthor, id: string, versionId: string | null): Promise<TriggerRecord> {
    const { flowId } = await this.find(author.userId, id);
    const flowVersion = await this.#versionOf(author.userId, flowId, versionId);
    return this.#change(author, id, { flowVersion }, 'trigger.pinned', { version: flowVersion });
  }

  async remove({ userId, actor }: FlowAuthor, id: string): Promise<void> {
    const { triggers, audit } = this.#options;
    const removed = await audit.change(actor, async (change) => {
      const found = await triggers.within(change).remove(userId, id);
      if (found) change.note(eventOf('trigger.deleted', found));
      return found;
    });
    if (!removed) throw triggerNotFound();
  }

  /** Makes a new signing secret, which is readable this one time. */
  async rotateSecret({ userId, actor }: FlowAuthor, id: string): Promise<SigningSecret> {
    const { triggers, audit } = this.#options;
    const trigger = await this.find(userId, id);
    requireInboundWebhook(trigger);
    const made = await audit.change(actor, async (change) => {
      const made = await triggers.within(change).rotateSecret(userId, id);
      if (made) change.note(eventOf('trigger.secret_rotated', trigger));
      return made;
    });
    if (!made) throw triggerNotFound();
    return made;
  }

  /** Returns a trigger of the user. Throws not_found. */
  async find(userId: string, id: string): Promise<TriggerRecord> {
    const trigger = await this.#options.triggers.find(userId, id);
    if (!trigger) throw triggerNotFound();
    return trigger;
  }

  /** Starts a run with a test event. */
  async test(
    userId: string,
    id: string,
    payload: object,
    requestId: string | null,
  ): Promise<TriggerEventRecord> {
    const trigger = await this.find(userId, id);
    const text = JSON.stringify({ ...payload, test: true });
    const origin = { dedupeKey: `test:${randomUUID()}`, payload: text, replayOf: null };
    return this.#start(trigger, { ...origin, ...testInputs(trigger, text), requestId });
  }

  /** Starts a run with the payload of an earlier event. */
  async replay(
    userId: string,
    id: string,
    eventId: string,
    requestId: string | null,
  ): Promise<TriggerEventRecord> {
    const trigger = await this.find(userId, id);
    const event = await this.#options.triggers.event(userId, id, eventId);
    if (!event) throw new HttpError('not_found', 'Event not found');
    const { payload } = event;
    const dedupeKey = `replay:${eventId}:${randomUUID()}`;
    const inputs = replayInputs(trigger, payload);
    return this.#start(trigger, { dedupeKey, payload, ...inputs, replayOf: eventId, requestId });
  }

  /** The time of the database. */
  #now(): Date {
    return new Date(this.#options.clock.now());
  }

  async #start(
    trigger: TriggerRecord,
    origin: Pick<
      Parameters<typeof newTriggerEvent>[0],
      'dedupeKey' | 'payload' | 'delivery' | 'inputValue' | 'requestId'
    > & {
      readonly replayOf: string | null;
    },
  ): Promise<TriggerEventRecord> {
    const { cache, triggerEvents, publisher, backlogs, backlogLimits, settings } = this.#options;
    const refusal = backlogs.refusal(trigger.userId);
    if (refusal) {
      const headers = { 'retry-after': String(refusal.retryAfterSeconds) };
      throw new HttpError('too_many_waiting', refusal.text, { headers });
    }
    const flow = await cache.find(trigger.userId, trigger.flowId);
    if (!flow) throw triggerNotFound();
    const event = newTriggerEvent({
      id: uuidv7(),
      trigger,
      flow,
      ...origin,
      limitMilliseconds: settings.MILLRACE_BACKGROUND_RUN_DEADLINE_SECONDS * 1_000,
      maximumAttempts: fixedLimits.runAttempts,
    });
    const options = { publishedPerUser: settings.MILLRACE_USER_QUEUE_SHARE };
    const acceptance = await backlogLimits.store(
      flow,
      async () => (await triggerEvents.accept([event], options))[0],
      (accepted) => accepted?.isNew === true,
    );
    if (acceptance?.isLocked)
      throw new HttpError('database_unavailable', 'The trigger is locked at the moment. Try again soon.', {
        headers: { 'retry-after': '1' },
      });
    if (!acceptance || acceptance.runId === null)
      throw new HttpError('trigger_invalid', 'The trigger is paused.', { status: 409 });
    const { run } = event;
    if (acceptance.isInBacklog) backlogs.increment(run.userId);
    else void publisher.publishNew(run);
    const now = this.#now();
    return {
      id: event.id,
      triggerId: trigger.id,
      runId: run.id,
      dedupeKey: event.dedupeKey,
      payload: event.payload,
      replayOf: event.replayOf,
      createdAt: now,
      availableAt: now,
      updatedAt: now,
      status: 'accepted',
      retries: 0,
      sessionId: run.sessionId,
    };
  }

  async #change(
    { userId, actor }: FlowAuthor,
    id: string,
    changes: TriggerChanges,
    action: AuditEvent['action'],
    detail: NonNullable<AuditEvent['detail']> = {},
  ): Promise<TriggerRecord> {
    const { triggers, audit } = this.#options;
    const changed = await audit.change(actor, async (change) => {
      const changed = await triggers.within(change).update(userId, id, changes);
      if (changed) change.note(eventOf(action, changed, detail));
      return changed;
    });
    if (!changed) throw triggerNotFound();
    return changed;
  }

  /** Resolves to the version with this id. Throws not_found. */
  async #versionOf(userId: string, flowId: string, versionId: string | null): Promise<number | null> {
    if (versionId === null) return null;
    const wanted = normalizeUuid(versionId);
    for (let before: number | undefined; ;) {
      const page = await this.#options.flows.versions(userId, flowId, { limit: VERSIONS_AT_ONCE, before });
      const found = page.find(({ version }) => flowVersionId(flowId, version) === wanted);
      if (found) return found.version;
      before = page.at(-1)?.version;
      if (before === undefined)
        throw new HttpError('not_found', "Flow version not found for this trigger's flow.");
    }
  }
}

/** Returns the error of unknown and foreign triggers. */
export function triggerNotFound(): HttpError {
  return new HttpError('not_found', 'Trigger not found');
}

/** Returns the state of a new trigger. The others are what a trigger comes to. */
function newState({ state = 'pending' }: TriggerBody): TriggerRecord['state'] {
  if (state === 'pending' || state === 'active' || state === 'paused') return state;
  throw new HttpError('trigger_invalid', 'A new trigger is pending, active or paused.');
}

function kindOf(kind: string): TriggerKind {
  const known = triggerKinds.find((candidate) => candidate === kind);
  if (known !== undefined) return known;
  const text = `A '${kind}' trigger is created by adding its component to the flow, not through this API.`;
  throw new HttpError('trigger_invalid', text);
}

function eventOf(
  action: AuditEvent['action'],
  { id, name, flowId }: TriggerRecord,
  detail: NonNullable<AuditEvent['detail']> = {},
): AuditEvent {
  return { action, objectId: id, objectName: name, detail: { flow_id: flowId, ...detail } };
}
