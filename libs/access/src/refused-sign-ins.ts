import type { IncomingMessage } from 'node:http';
import { clientAddresses } from '@millrace/http';
import { actingUser } from '@millrace/runs';
import type { ActedEvent, AuditActor, AuditLog, Principal } from '@millrace/runs';
import { machineTime } from '@millrace/service';
import type { Counter, Logger, Metrics } from '@millrace/service';

const WINDOW_MILLISECONDS = 60_000;
/** Groups of one window; refusals that belong to none of them are counted together. */
const MAXIMUM_GROUPS = 1_000;
/** The largest groups of a window have entries; all others share one. */
const MAXIMUM_ENTRIES = 10;

/** A sign-in that was refused. Never contains the key. */
export interface RefusedSignIn {
  /** The code of the error. */
  readonly code: string;
  readonly request: IncomingMessage;
  /** The owner of a valid key that lacks a scope. */
  readonly principal?: Pick<Principal, 'userId' | 'keyId' | 'member'> | undefined;
  /** The flow of a webhook. */
  readonly flowId?: string | undefined;
}

export interface RefusedSignInsOptions {
  readonly audit: Pick<AuditLog, 'record'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly windowMilliseconds?: number;
}

/** Refusals with one code, from one address, of one key and flow. */
interface Group {
  readonly code: string;
  readonly actor: AuditActor;
  readonly flowId: string | null;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

/**
 * Counts refused sign-ins and records the counts in the audit log once a minute, so that a flood of bad keys costs at
 * most 11 entries a minute and process. Counts that cannot be stored are added to those of the next minute; counts since
 * the last entry are lost when the process crashes.
 */
export class RefusedSignIns {
  readonly #options: RefusedSignInsOptions;
  readonly #refused: Counter;
  #groups = new Map<string, Group>();
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<void> = Promise.resolve();

  constructor(options: RefusedSignInsOptions) {
    this.#options = options;
    this.#refused = options.metrics.counter(
      'millrace_sign_ins_refused_total',
      'Requests whose API key, scope or signature was refused, by code',
    );
  }

  count({ code, request, principal, flowId }: RefusedSignIn): void {
    this.#refused.add(1, { code });
    const actor: AuditActor = {
      kind: principal === undefined ? 'unknown' : 'key',
      userId: principal === undefined ? null : actingUser(principal),
      keyId: principal?.keyId ?? null,
      requestId: null,
      ...clientAddresses(request),
    };
    const now = machineTime();
    this.#add({ code, actor, flowId: flowId ?? null, count: 1, firstAt: now, lastAt: now });
    this.#schedule();
  }

  /** Stores the counts so far. Never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#storing = this.#storing.then(() => this.#store());
    return this.#storing;
  }

  close(): Promise<void> {
    return this.flush();
  }

  #schedule(): void {
    const milliseconds = this.#options.windowMilliseconds ?? WINDOW_MILLISECONDS;
    this.#timer ??= setTimeout(() => void this.flush(), milliseconds).unref();
  }

  #add(group: Group): void {
    const key = keyOf(group);
    const isNew = !this.#groups.has(key);
    if (isNew && this.#groups.size >= MAXIMUM_GROUPS)
      return this.#merge('', { ...group, actor: unknown, flowId: null });
    this.#merge(key, group);
  }

  #merge(key: string, group: Group): void {
    const before = this.#groups.get(key);
    this.#groups.set(key, before === undefined ? group : sum(before, group));
  }

  async #store(): Promise<void> {
    const groups = [...this.#groups.values()];
    if (groups.length === 0) return;
    this.#groups = new Map();
    try {
      await this.#options.audit.record(eventsOf(groups));
    } catch (error) {
      this.#options.logger.warn({ error, groups: groups.length }, 'refused sign-ins could not be recorded');
      for (const group of groups) this.#add(group);
      this.#schedule();
    }
  }
}

const unknown: AuditActor = {
  kind: 'unknown',
  userId: null,
  keyId: null,
  requestId: null,
  clientAddress: null,
  forwardedFor: null,
};

function keyOf({ code, actor, flowId }: Group): string {
  return [code, actor.clientAddress, actor.forwardedFor, actor.keyId, flowId].join(' ');
}

function sum(left: Group, right: Group): Group {
  return {
    ...left,
    code: left.code === right.code ? left.code : 'several',
    count: left.count + right.count,
    firstAt: Math.min(left.firstAt, right.firstAt),
    lastAt: Math.max(left.lastAt, right.lastAt),
  };
}

function eventsOf(groups: readonly Group[]): ActedEvent[] {
  const sorted = [...groups].sort((left, right) => right.count - left.count);
  const rest = sorted.slice(MAXIMUM_ENTRIES);
  const events = sorted.slice(0, MAXIMUM_ENTRIES).map((group) => eventOf(group, {}));
  const [first, ...others] = rest;
  if (first === undefined) return events;
  const together = others.reduce(sum, { ...first, actor: unknown, flowId: null });
  return [...events, eventOf(together, { groups: rest.length })];
}

function eventOf(
  { code, actor, flowId, count, firstAt, lastAt }: Group,
  detail: Readonly<Record<string, number>>,
): ActedEvent {
  return {
    action: 'sign_in.refused',
    actor,
    objectId: flowId,
    detail: {
      ...detail,
      reason: code,
      attempts: count,
      first_at: new Date(firstAt).toISOString(),
      last_at: new Date(lastAt).toISOString(),
    },
  };
}
