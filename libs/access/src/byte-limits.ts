import { HttpError } from '@millrace/http';
import type { Amount } from '@millrace/key-value';
import { actingUser } from '@millrace/runs';
import type { FlowReference, Limits, Principal } from '@millrace/runs';
import { machineTime } from '@millrace/service';
import { limitNames } from './limit-names';
import type { RequestScope } from './limit-names';

/** The bytes of a request. */
export interface SentBytes {
  readonly body?: number;
  readonly file?: number;
}

/** A request with the bytes that limits can apply to; nothing is known of others. */
export interface SendingRequest {
  readonly principal: Pick<Principal, 'keyId' | 'userId' | 'limits' | 'member'> | null;
  readonly flow: Pick<FlowReference, 'id' | 'projectId' | 'userId' | 'limits'> | null;
  readonly bytes?: SentBytes;
}

/** A limit of bytes a day that applies to a request. */
export interface AppliedAmount {
  readonly scope: RequestScope;
  readonly kind: keyof SentBytes;
  readonly amount: Amount;
}

/** Counts the bytes of a file that arrives. */
export interface FileBytes {
  /** Counts further bytes; undefined where no limit applies. Rejects with rate_limited, and counts none of these then. */
  add(bytes: number): Promise<void> | undefined;
  /** Forgets all bytes that were counted, of a file that is not stored. */
  giveBack(): void;
}

/**
 * The part of a limit that gateways, and as much again ingest services, grant while the key-value store is away: with all that was
 * granted before at most twice the limit.
 */
export const AMOUNT_WHILE_AWAY = 0.5;

const DAY_SECONDS = 86_400;
const DAY_MILLISECONDS = DAY_SECONDS * 1_000;
const MEMBERS = { body: 'bodyBytesPerDay', file: 'fileBytesPerDay' } as const;
const KINDS = ['body', 'file'] as const;
const TEXTS = { body: 'bytes in bodies', file: 'bytes in files' } as const;

/** Returns the limits of bytes a day that apply to a request. */
export function amountsOf({ principal, flow, bytes }: SendingRequest): readonly AppliedAmount[] {
  if (bytes === undefined) return [];
  const owner = principal?.userId ?? flow?.userId ?? '';
  const [ofKey, ofFlow] = [principal?.limits ?? {}, flow?.limits ?? {}];
  const day = new Date(machineTime()).toISOString().slice(0, 10);
  const found: AppliedAmount[] = [];
  const add = (scope: RequestScope, id: string, limits: Limits | undefined) => {
    if (limits === undefined) return;
    for (const kind of KINDS) {
      const [amount, maximum] = [bytes[kind] ?? 0, limits[MEMBERS[kind]]];
      if (amount === 0 || maximum === undefined) continue;
      const user = scope === 'key' && principal ? actingUser(principal) : owner;
      const key = `limit:{${user}}:${kind}:${scope}:${id}:${day}`;
      found.push({ scope, kind, amount: { key, amount, maximum, ttlMilliseconds: DAY_MILLISECONDS } });
    }
  };
  add('key', principal?.keyId ?? '', ofKey.key);
  add('user', owner, ofKey.user ?? ofFlow.user);
  add('project', flow?.projectId ?? '', ofFlow.project);
  add('flow', flow?.id ?? '', ofFlow.flow);
  return found;
}

/** Returns what undoes the count of an amount; the limit of the day has no part in it. */
export function givenBack({ amount }: AppliedAmount): Amount {
  return { ...amount, amount: -amount.amount, maximum: Number.MAX_SAFE_INTEGER };
}

/** Returns the headers that say what is left of a limit. */
export function amountHeaders({ scope, kind, amount: { maximum } }: AppliedAmount, left: number) {
  return {
    'ratelimit-policy': `"${scope}_${kind}";q=${maximum};w=${DAY_SECONDS};qu="content-bytes"`,
    ratelimit: `"${scope}_${kind}";r=${left};t=${secondsLeft(machineTime())}`,
  };
}

/** Returns the error for bytes beyond a limit. */
export function tooManyBytes(applied: AppliedAmount, now: number): HttpError {
  const { scope, kind, amount } = applied;
  const seconds = secondsLeft(now);
  const end = new Date(Math.ceil((now + 1) / DAY_MILLISECONDS) * DAY_MILLISECONDS).toISOString().slice(0, 19);
  const text = `Too many ${TEXTS[kind]}: the limit of this ${limitNames[scope]} is ${amount.maximum} per day, until ${end}Z.`;
  const headers = { 'retry-after': String(seconds), ...amountHeaders(applied, 0) };
  return new HttpError('rate_limited', text, { headers });
}

/** Until the end of the day in UTC. */
function secondsLeft(now: number): number {
  return Math.ceil((DAY_MILLISECONDS - (now % DAY_MILLISECONDS)) / 1_000);
}
