import { createHash } from 'node:crypto';
import type { MessageRow } from './message-row';

/**
 * The messages that the archive held when the session was first read, as one entry of its hot list; every other entry
 * is a message. A list without a seed holds only the newest part of its session.
 */
interface Seed {
  readonly seed: readonly MessageRow[];
  /** No older message exists. */
  readonly isWhole: boolean;
}

/** The parsed hot list of a session. */
export interface HotSession {
  /** By time, then in the order of arrival; without gaps up to the newest. */
  readonly rows: readonly MessageRow[];
  readonly hasSeed: boolean;
  /** No older message exists anywhere. */
  readonly isWhole: boolean;
}

const MAXIMUM_PLAIN_ID_LENGTH = 128;

/** Prefix of the keys of all hot lists. */
export const HOT_PREFIX = 'session:';

/** Returns the key of a session's hot list. */
export function hotKey(userId: string, flowId: string, sessionId: string): string {
  const name =
    sessionId.length <= MAXIMUM_PLAIN_ID_LENGTH
      ? `:${sessionId}`
      : `#${createHash('sha256').update(sessionId).digest('base64url')}`;
  return `${HOT_PREFIX}${userId}:${flowId}${name}`;
}

/** Returns the list entry of a message. */
export function hotEntry(row: MessageRow): string {
  return JSON.stringify(row);
}

/** Returns the list entry that holds the archive's messages. */
export function seedEntry(rows: readonly MessageRow[], isWhole: boolean): string {
  const seed: Seed = { seed: rows, isWhole };
  return JSON.stringify(seed);
}

/**
 * Reads a list that keeps its newest `maximumLength` entries. Seeds can stand anywhere in it and repeat messages; each
 * message counts once, at its time. A full list has lost its oldest entries, so a seed no longer makes it whole.
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
      for (const row of entry.seed) rows.set(row.id, withParsedDate(row));
    } else rows.set(entry.id, withParsedDate(entry));
  }
  return { rows: byTime([...rows.values()]), hasSeed, isWhole: isWhole && entries.length < maximumLength };
}

/** Sorts by time; messages of the same millisecond keep their order. */
export function byTime(rows: MessageRow[]): MessageRow[] {
  return rows.sort((left, right) => left.timestamp.getTime() - right.timestamp.getTime());
}

function withParsedDate(row: MessageRow): MessageRow {
  return { ...row, timestamp: new Date(row.timestamp) };
}
