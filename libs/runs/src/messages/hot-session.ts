import { createHash } from 'node:crypto';
import type { MessageRow } from './message-row';

/**
 * What the archive held when somebody first read the session, as one entry of its hot list; every other entry is a
 * message. A list without a seed is only the newest part of its session.
 */
interface Seed {
  readonly seed: readonly MessageRow[];
  /** Nothing older exists. */
  readonly isWhole: boolean;
}

/** What a hot list says of its session. */
export interface HotSession {
  /** By time, then as they came; without gaps up to the newest. */
  readonly rows: readonly MessageRow[];
  readonly hasSeed: boolean;
  /** No older message exists anywhere. */
  readonly isWhole: boolean;
}

const LONGEST_PLAIN_ID = 128;

/** What the keys of all hot lists begin with. */
export const HOT_PREFIX = 'session:';

/** The key of a session's hot list. */
export function hotKey(userId: string, flowId: string, sessionId: string): string {
  const name =
    sessionId.length <= LONGEST_PLAIN_ID
      ? `:${sessionId}`
      : `#${createHash('sha256').update(sessionId).digest('base64url')}`;
  return `${HOT_PREFIX}${userId}:${flowId}${name}`;
}

/** The entry of a message. */
export function hotEntry(row: MessageRow): string {
  return JSON.stringify(row);
}

/** The entry of what the archive held. */
export function seedEntry(rows: readonly MessageRow[], isWhole: boolean): string {
  const seed: Seed = { seed: rows, isWhole };
  return JSON.stringify(seed);
}

/**
 * Reads a list that keeps its newest `maximumLength` entries. Seeds may stand anywhere in it and repeat messages:
 * each counts once, at its time. A full list has lost its oldest entries, so a seed no longer makes it whole.
 */
export function readHotSession(entries: readonly string[], maximumLength: number): HotSession {
  const rows = new Map<string, MessageRow>();
  let hasSeed = false;
  let isWhole = false;
  for (const text of entries) {
    const entry = JSON.parse(text) as MessageRow | Seed;
    if ('seed' in entry) {
      hasSeed = true;
      isWhole ||= entry.isWhole;
      for (const row of entry.seed) rows.set(row.id, revived(row));
    } else rows.set(entry.id, revived(entry));
  }
  return { rows: byTime([...rows.values()]), hasSeed, isWhole: isWhole && entries.length < maximumLength };
}

/** Sorts by time; what is of the same millisecond stays as it stands. */
export function byTime(rows: MessageRow[]): MessageRow[] {
  return rows.sort((left, right) => left.timestamp.getTime() - right.timestamp.getTime());
}

function revived(row: MessageRow): MessageRow {
  return { ...row, timestamp: new Date(row.timestamp) };
}
