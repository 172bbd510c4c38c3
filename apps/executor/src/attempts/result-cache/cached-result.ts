import { randomUUID } from 'node:crypto';
import type { MessageRow } from '@millrace/runs';
import { timestamp } from '@millrace/python-text';
import type { AttemptOutcome } from '../attempt-outcome';
import { digestOf } from './result-key';
import type { RunFootprint, SessionRead } from './run-footprint';

/** A cached result in its stored form, ready for JSON.stringify. */
export interface CachedResult {
  /** The full key, because results with other keys can be stored in the same place. */
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly keptAt: number;
  /** Variables that the run read, with digests of their values. */
  readonly variables: readonly (readonly [name: string, digest: string])[];
  readonly reads: readonly SessionRead[];
  /** Values that are unique to the run that produced the result. */
  readonly own: { readonly runId: string; readonly stamps: readonly string[] };
  /** The RunResponse as JSON. */
  readonly body: string;
  readonly messages: readonly MessageRow[];
}

/** Ids and timestamps in the format of runs, anywhere in a text. */
const ID_OR_TIMESTAMP =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6} UTC/g;

/** Returns the result of a run in its stored form. `now` is in milliseconds since the epoch. */
export function cachedResult(
  { key, runId, now }: { readonly key: string; readonly runId: string; readonly now: number },
  { variables, reads, stamps }: RunFootprint,
  { body, messages }: AttemptOutcome,
): CachedResult {
  return {
    key,
    keptAt: now,
    variables: [...variables].map(([name, value]) => [name, variableDigest(key, name, value)]),
    reads,
    own: { runId, stamps: [...stamps] },
    body: body.toString(),
    messages,
  };
}

/**
 * Returns a digest of a variable's value that is specific to this key, so that equal secrets have different digests.
 */
export function variableDigest(key: string, name: string, value: string | undefined): string {
  return digestOf([key, name, value ?? null]);
}

/**
 * Returns the cached result as the outcome of another run. Values that are unique to the first run (its id, the ids of
 * its messages, its timestamps) are replaced everywhere by new ones. The rest is identical, byte for byte.
 */
export function outcomeFromCache(
  { own, body, messages }: CachedResult,
  runId: string,
  now: number,
): AttemptOutcome {
  const replacements = new Map([[own.runId, runId]]);
  for (const { id } of messages) replacements.set(id, randomUUID());
  // Within one millisecond, which is the precision of the time of a stored message.
  own.stamps.forEach((stamp, index) =>
    replacements.set(stamp, timestamp(now + Math.min(index, 999) / 1_000)),
  );
  const replaceMarks = (text: string): string =>
    text.replace(ID_OR_TIMESTAMP, (mark) => replacements.get(mark) ?? mark);
  const ownTimes = new Set(own.stamps.map(millisecondsOf));
  const rows = JSON.parse(replaceMarks(JSON.stringify(messages))) as readonly MessageRow[];
  return {
    status: 'succeeded',
    body: Buffer.from(replaceMarks(body)),
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
