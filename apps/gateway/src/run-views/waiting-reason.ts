import { MAXIMUM_PLACE } from '@millrace/runs';
import type { WaitingFacts } from '@millrace/runs';
import type { ConnectedExecutors } from '../runs/executor-pools';

/** Why a run waits. No further words are added without a new release. */
export const waitingReasons = [
  'person',
  'flow_paused',
  'next_attempt',
  'no_executor',
  'flow_limit',
  'trigger_limit',
  'user_share',
  'executors_busy',
  'delivery',
  'callback',
] as const;

/** What a run waits for, in the shape of answers. */
export interface WaitingReason {
  readonly reason: (typeof waitingReasons)[number];
  /** One sentence for people. */
  readonly text: string;
  /** When the wait ends by itself, at the latest; null when that is not known. */
  readonly at: Date | null;
  /** How many can run at a time. */
  readonly limit: number | null;
  /** The place of the run in its line, from 1; null without a line, and beyond MAXIMUM_PLACE. */
  readonly place: number | null;
  /** The next attempt, and how many there are. */
  readonly attempt: number | null;
  readonly attempts: number | null;
}

type Described = Pick<WaitingReason, 'reason' | 'text'> & Partial<WaitingReason>;

/**
 * Returns why a run waits; null for one that runs, or that has ended and reported its end. What keeps a run longest comes first.
 * `executors` is null while they are not known.
 */
export function waitingReason(
  facts: WaitingFacts,
  executors: ConnectedExecutors | null,
  now: Date,
): WaitingReason | null {
  const found = describe(facts, executors, now);
  return found && { at: null, limit: null, place: null, attempt: null, attempts: null, ...found };
}

function describe(facts: WaitingFacts, executors: ConnectedExecutors | null, now: Date): Described | null {
  const { status, pool, question, pauseReason, pause, callback, nextSweepAt } = facts;
  if (status === 'suspended')
    return { reason: 'person', text: 'It waits for the answer of a person.', at: question?.dueAt ?? null };
  if (callback) return callbackReason(callback, now);
  if (status !== 'accepted' && status !== 'queued') return null;
  if (pauseReason !== null) return { reason: 'flow_paused', text: `The flow is paused: ${pauseReason}` };
  if (pause) {
    const { attempt, attempts, cause } = pause;
    const after = cause === 'failed' ? 'the last one failed' : 'the executor of the last one was lost';
    const text = `Attempt ${attempt} of ${attempts} begins after a pause, since ${after}.`;
    return { reason: 'next_attempt', text, at: nextSweepAt, attempt, attempts };
  }
  if (executors?.slots === 0)
    return { reason: 'no_executor', text: `No executor of pool ${pool} is connected.` };
  return limitReason(facts) ?? deliveryReason(facts, executors);
}

/** The limit that keeps a run in the backlog. */
function limitReason({
  isInBacklog,
  place,
  flowLimit,
  triggerLimit,
  userShare,
  pool,
}: WaitingFacts): Described | null {
  if (!isInBacklog) return null;
  const line =
    place === null ? `more than ${MAXIMUM_PLACE} are before it` : `it is ${ordinal(place)} in line`;
  if (flowLimit !== null)
    return {
      reason: 'flow_limit',
      text: `The flow allows ${flowLimit} at a time; ${line}.`,
      limit: flowLimit,
      place,
    };
  if (triggerLimit !== null)
    return {
      reason: 'trigger_limit',
      text: `The trigger allows ${triggerLimit} at a time; of the flow, ${line}.`,
      limit: triggerLimit,
      place,
    };
  if (userShare !== null)
    return {
      reason: 'user_share',
      text: `The user has ${userShare} published runs in pool ${pool}, which is the share of each; of the flow, ${line}.`,
      limit: userShare,
      place,
    };
  return null;
}

/** What a run waits for that no limit keeps. */
function deliveryReason(
  { status, pool, nextSweepAt }: Pick<WaitingFacts, 'status' | 'pool' | 'nextSweepAt'>,
  executors: ConnectedExecutors | null,
): Described {
  if (executors && executors.busy >= executors.slots) {
    const text = `All ${executors.slots} slots of pool ${pool} are in use.`;
    return { reason: 'executors_busy', text, limit: executors.slots };
  }
  if (status === 'queued')
    return { reason: 'delivery', text: `It is published; an executor of pool ${pool} takes it next.` };
  return { reason: 'delivery', text: 'Its message is being published.', at: nextSweepAt };
}

function callbackReason({ dueAt, attempts }: NonNullable<WaitingFacts['callback']>, now: Date): Described {
  const times = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  const text =
    dueAt > now
      ? `A callback is sent after a pause; ${times} so far.`
      : `A callback is overdue after ${times}: its receiver is busy, or sending to it pauses since it failed.`;
  return { reason: 'callback', text, at: dueAt };
}

/** Returns why a run waits that has no record yet, since its caller waits for it; null when an executor has it. */
export function interactiveReason(
  { pool, attempt }: { readonly pool: string; readonly attempt: number },
  executors: ConnectedExecutors | null,
): WaitingReason | null {
  if (attempt > 0) return null;
  return waitingReason({ ...UNRECORDED, pool }, executors, new Date(0));
}

const UNRECORDED = {
  id: '',
  status: 'queued',
  isInBacklog: false,
  place: null,
  pauseReason: null,
  flowLimit: null,
  triggerLimit: null,
  userShare: null,
  nextSweepAt: null,
  pause: null,
  question: null,
  callback: null,
} as const;

/** `1st`, `2nd`, `11th`. */
function ordinal(place: number): string {
  const tens = place % 100;
  const ending = tens > 10 && tens < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][place % 10] ?? 'th');
  return `${place}${ending}`;
}
