import { randomUUID } from 'node:crypto';
import { timestamp } from '@millrace/flow';
import type { MessageRow } from '@millrace/runs';
import type { AttemptOutcome } from '../attempt';
import { digestOf } from './result-key';
import type { RunFootprint, SessionRead } from './run-footprint';

/** A result as it is kept; ready for JSON.stringify. */
export interface KeptResult {
  /** The whole key: the place it is kept at is shared with others. */
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly keptAt: number;
  /** Variables that the run looked up, with what stands for their values. */
  readonly variables: readonly (readonly [name: string, digest: string])[];
  readonly reads: readonly SessionRead[];
  /** What belongs to the run that made it. */
  readonly own: { readonly runId: string; readonly stamps: readonly string[] };
  /** The RunResponse as JSON. */
  readonly body: string;
  readonly messages: readonly MessageRow[];
}

/** Ids and timestamps as runs make them, wherever they stand in a text. */
const MARK = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6} UTC/g;

export function keptResult(
  { key, runId, now }: { readonly key: string; readonly runId: string; readonly now: number },
  { variables, reads, stamps }: RunFootprint,
  { body, messages }: AttemptOutcome,
): KeptResult {
  return {
    key,
    keptAt: now,
    variables: [...variables].map(([name, value]) => [name, variableDigest(key, name, value)]),
    reads,
    own: { runId, stamps: [...stamps] },
    body,
    messages,
  };
}

/** Stands for a variable's value among the results of this key only: equal secrets do not look alike. */
export function variableDigest(key: string, name: string, value: string | undefined): string {
  return digestOf([key, name, value ?? null]);
}

/**
 * The outcome of another run with the same result: what belonged to the first one (its id, the ids of its messages, the
 * times it took down) is made anew, wherever it stands. All else is the same to the letter.
 */
export function outcomeAgain(
  { own, body, messages }: KeptResult,
  runId: string,
  now: number,
): AttemptOutcome {
  const fresh = new Map([[own.runId, runId]]);
  for (const { id } of messages) fresh.set(id, randomUUID());
  // Within one millisecond, which is as much as a stored message tells of its time.
  own.stamps.forEach((stamp, index) => fresh.set(stamp, timestamp(now + Math.min(index, 999) / 1_000)));
  const anew = (text: string): string => text.replace(MARK, (mark) => fresh.get(mark) ?? mark);
  const ownTimes = new Set(own.stamps.map(millisecondsOf));
  const rows = JSON.parse(anew(JSON.stringify(messages))) as readonly MessageRow[];
  return {
    status: 'succeeded',
    body: anew(body),
    failure: null,
    messages: rows.map((row) => {
      const time = new Date(row.timestamp);
      return { ...row, timestamp: ownTimes.has(time.getTime()) ? new Date(now) : time };
    }),
    byOutage: false,
    cache: 'hit',
  };
}

function millisecondsOf(stamp: string): number {
  return Date.parse(`${stamp.slice(0, 23).replace(' ', 'T')}Z`);
}
