import { createHash } from 'node:crypto';
import { KeyValueUnavailableError } from '@millrace/key-value';
import type { KeyValueStore } from '@millrace/key-value';
import type { Logger } from '@millrace/service';
import { longTextsOf } from './message-columns';
import type { MessageRow } from './message-row';
import type { MessageStore, SessionKey } from './message-store';

/** Archived messages that a hot list is seeded with, unless a reader asks for more. */
const SEED_MESSAGES = 100;

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

export interface SessionHistoryDependencies {
  readonly keyValue: KeyValueStore;
  readonly messages: MessageStore;
  /** Messages of a session kept hot; 1,000 unless given. */
  readonly keptMessages?: number;
  /** How long an unused session stays hot; a day unless given. */
  readonly ttlMilliseconds?: number;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Selects among the messages of a session. */
export interface RecentFilter {
  /** The newest ones, at most this many. */
  readonly limit: number;
  readonly contextId?: string | undefined;
  readonly sender?: string | undefined;
  readonly senderName?: string | undefined;
}

/**
 * Returns the newest messages of a session, without error messages, as the memory of components. A hot copy in the
 * key-value store serves most reads and has messages before the archive does; losing it costs time, never messages.
 * Every process that changes messages needs a SessionHistory: changes made through its MessageStore drop the hot
 * copies.
 */
export class SessionHistory {
  readonly #keyValue: KeyValueStore;
  readonly #messages: MessageStore;
  readonly #keptMessages: number;
  readonly #ttlMilliseconds: number;
  readonly #stale: StaleKeys;

  constructor(dependencies: SessionHistoryDependencies) {
    this.#keyValue = dependencies.keyValue;
    this.#messages = dependencies.messages;
    this.#keptMessages = dependencies.keptMessages ?? 1_000;
    this.#ttlMilliseconds = dependencies.ttlMilliseconds ?? DAY_MILLISECONDS;
    this.#stale = new StaleKeys(this.#keyValue, HOT_PREFIX, dependencies.logger);
    this.#messages.onChanged((sessionKeys) => this.invalidate(sessionKeys));
  }

  /**
   * Makes messages of an ended run readable at once. False when the store is unavailable: the caller must then commit
   * them to the archive before it announces them.
   */
  async append(
    userId: string,
    flowId: string,
    sessionId: string,
    rows: readonly MessageRow[],
  ): Promise<boolean> {
    if (rows.length === 0) return true;
    const key = hotKey(userId, flowId, sessionId);
    if (this.#stale.has(key)) return false;
    try {
      await this.#append(key, rows.map(hotEntry));
      return true;
    } catch (error) {
      this.#markStale(error, key);
      return false;
    }
  }

  /**
   * Adds committed messages to the hot copy if there is one. For runs of a flow that reads no session: a reader that finds no hot
   * copy begins one before it reads the archive, so that it misses none of these messages.
   */
  async appendIfRead(
    userId: string,
    flowId: string,
    sessionId: string,
    rows: readonly MessageRow[],
  ): Promise<void> {
    const key = hotKey(userId, flowId, sessionId);
    if (rows.length === 0 || this.#stale.has(key)) return;
    try {
      if ((await this.#keyValue.length(key)) > 0) await this.#append(key, rows.map(hotEntry));
    } catch (error) {
      this.#markStale(error, key);
    }
  }

  /** Returns the newest messages, oldest first. */
  async recent(
    userId: string,
    flowId: string,
    sessionId: string,
    filter: RecentFilter,
  ): Promise<MessageRow[]> {
    const sessionKey = { userId, flowId, sessionId };
    const hot = await this.#hot(hotKey(userId, flowId, sessionId), filter);
    const known = matching(hot?.rows ?? [], filter);
    const isEnough = known.length >= filter.limit && filter.limit < this.#keptMessages;
    if (hot !== null && (hot.isWhole || isEnough)) return newest(known, filter.limit);
    if (hot?.hasSeed === false) await this.#seed(sessionKey, hot, filter.limit);
    const archived = await this.#archived(sessionKey, filter, filter.limit);
    return newest(merged(archived, known), filter.limit);
  }

  /** Drops the hot copies of these sessions. */
  async invalidate(sessionKeys: readonly SessionKey[]): Promise<void> {
    const keys = sessionKeys.map(({ userId, flowId, sessionId }) => hotKey(userId, flowId, sessionId));
    if (keys.length === 0) return;
    try {
      await this.#keyValue.delete(keys);
    } catch (error) {
      for (const key of keys) this.#markStale(error, key);
    }
  }

  /** Drops the hot copies of a flow's sessions; must be called before the flow is deleted. */
  async invalidateFlow(userId: string, flowId: string): Promise<void> {
    const sessions = await this.#messages.sessions({ userId, flowId });
    await this.invalidate(sessions.map((sessionId) => ({ userId, flowId, sessionId })));
  }

  /** Stops the cleanup after outages. Idempotent. */
  close(): void {
    this.#stale.close();
  }

  #append(key: string, entries: readonly (string | Buffer)[]): Promise<void> {
    return this.#keyValue.append(key, entries, {
      maximumLength: this.#keptMessages,
      ttlMilliseconds: this.#ttlMilliseconds,
    });
  }

  /** Reads as much of the hot list as the filter needs; null when the list is unavailable or stale. */
  async #hot(key: string, filter: RecentFilter): Promise<HotSession | null> {
    if (this.#stale.has(key)) return null;
    try {
      const entries = await this.#keyValue.range(key, -Math.max(filter.limit, 1), -1);
      const end = readHotSession(entries, this.#keptMessages);
      if (entries.length < filter.limit) return end;
      if (!end.hasSeed && matching(end.rows, filter).length >= filter.limit) return end;
      return readHotSession(await this.#keyValue.range(key, 0, -1), this.#keptMessages);
    } catch (error) {
      if (!(error instanceof KeyValueUnavailableError)) throw error;
      return null;
    }
  }

  /** Adds the archived messages to a hot list without a seed, so that the next read needs no archive. */
  async #seed(sessionKey: SessionKey, hot: HotSession, limit: number): Promise<void> {
    const count = Math.min(Math.max(limit, SEED_MESSAGES), this.#keptMessages);
    const key = hotKey(sessionKey.userId, sessionKey.flowId, sessionKey.sessionId);
    try {
      // From here on, appendIfRead adds what is committed.
      if (hot.rows.length === 0) await this.#append(key, [JSON.stringify(BEGINNING)]);
      const rows = await this.#archived(sessionKey, {}, count + 1);
      await this.#append(key, [seedEntry(rows.slice(-count), rows.length <= count)]);
    } catch (error) {
      this.#markStale(error, key);
    }
  }

  /** Returns the newest archived messages, oldest first. */
  async #archived(
    sessionKey: SessionKey,
    filter: Partial<RecentFilter>,
    limit: number,
  ): Promise<MessageRow[]> {
    const rows = await this.#messages.list({
      ...sessionKey,
      contextId: filter.contextId,
      sender: filter.sender,
      senderName: filter.senderName,
      errors: false,
      order: 'descending',
      limit,
    });
    return rows.reverse();
  }

  /** Marks a list as stale: whether the store took the last entry is unknown, so the list must be deleted first. */
  #markStale(error: unknown, key: string): void {
    if (!(error instanceof KeyValueUnavailableError)) throw error;
    this.#stale.add(key);
  }
}

function matching(
  rows: readonly MessageRow[],
  { contextId, sender, senderName }: RecentFilter,
): MessageRow[] {
  return rows.filter(
    (row) =>
      !row.error &&
      (contextId === undefined || row.contextId === contextId) &&
      (sender === undefined || row.sender === sender) &&
      (senderName === undefined || row.senderName === senderName),
  );
}

/** Merges archived and hot messages without duplicates. */
function merged(archived: readonly MessageRow[], hot: readonly MessageRow[]): MessageRow[] {
  return byTime([...new Map([...archived, ...hot].map((row) => [row.id, row])).values()]);
}

function newest(rows: MessageRow[], limit: number): MessageRow[] {
  return limit > 0 ? rows.slice(-limit) : [];
}

/**
 * The messages that the archive held when the session was first read, as one entry of its hot list; every other entry
 * is a message. A list without a seed holds only the newest part of its session.
 */
interface Seed {
  readonly seed: readonly MessageRow[];
  /** No older message exists. */
  readonly isWhole: boolean;
}

/** Begins a list whose seed is still to come. */
const BEGINNING: Seed = { seed: [], isWhole: false };

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
const HOT_PREFIX = 'session:';

/** Returns the key of a session's hot list. */
function hotKey(userId: string, flowId: string, sessionId: string): string {
  const name =
    sessionId.length <= MAXIMUM_PLAIN_ID_LENGTH
      ? `:${sessionId}`
      : `#${createHash('sha256').update(sessionId).digest('base64url')}`;
  return `${HOT_PREFIX}${userId}:${flowId}${name}`;
}

/** Returns the list entry of a message. */
function hotEntry(row: MessageRow): string | Buffer {
  return longTextsOf(row)?.write(row)?.toBuffer() ?? JSON.stringify(row);
}

/** Returns the list entry that holds the archive's messages. */
function seedEntry(rows: readonly MessageRow[], isWhole: boolean): string {
  const seed: Seed = { seed: rows, isWhole };
  return JSON.stringify(seed);
}

/**
 * Reads a list that keeps its newest `maximumLength` entries. Seeds can stand anywhere in it and repeat messages; each
 * message counts once, at its time. A full list has lost its oldest entries, so a seed no longer makes it whole.
 */
function readHotSession(entries: readonly string[], maximumLength: number): HotSession {
  const rows = new Map<string, MessageRow>();
  let hasSeed = false;
  let isWhole = false;
  for (const text of entries) {
    const entry = JSON.parse(text) as MessageRow | Seed;
    if ('seed' in entry) {
      hasSeed ||= entry.isWhole || entry.seed.length > 0;
      isWhole ||= entry.isWhole;
      for (const row of entry.seed) rows.set(row.id, withParsedDate(row));
    } else rows.set(entry.id, withParsedDate(entry));
  }
  return { rows: byTime([...rows.values()]), hasSeed, isWhole: isWhole && entries.length < maximumLength };
}

/** Sorts by time; messages of the same millisecond keep their order. */
function byTime(rows: MessageRow[]): MessageRow[] {
  return rows.sort((left, right) => left.timestamp.getTime() - right.timestamp.getTime());
}

function withParsedDate(row: MessageRow): MessageRow {
  return { ...row, timestamp: new Date(row.timestamp) };
}

const MAXIMUM_KEYS = 100_000;
const KEYS_AT_ONCE = 1_000;
const MAXIMUM_ROUNDS = 100;
const RETRY_MILLISECONDS = 500;

/**
 * Keys whose values missed a change while the store was unavailable. They are deleted as soon as the store answers
 * again; until then they must not be used.
 */
class StaleKeys {
  readonly #keyValue: KeyValueStore;
  readonly #prefix: string;
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #keys = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #areAllStale = false;
  #closed = false;

  /** `prefix` is the common prefix of all keys of this kind. */
  constructor(keyValue: KeyValueStore, prefix: string, logger: Pick<Logger, 'warn'>) {
    this.#keyValue = keyValue;
    this.#prefix = prefix;
    this.#logger = logger;
  }

  /** True for every key once there are too many to track. */
  has(key: string): boolean {
    return this.#areAllStale || this.#keys.has(key);
  }

  add(key: string): void {
    if (this.#keys.size === 0) {
      this.#logger.warn({ key }, 'key-value store unavailable; reading sessions from the database');
    }
    if (this.#keys.size < MAXIMUM_KEYS) this.#keys.add(key);
    else this.#areAllStale = true;
    this.#schedule();
  }

  /** Stops without deleting the remaining keys. Idempotent. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (!this.#closed) this.#timer ??= setTimeout(() => void this.#clean(), RETRY_MILLISECONDS).unref();
  }

  async #clean(): Promise<void> {
    try {
      if (this.#areAllStale) await this.#deleteAll();
      while (this.#keys.size > 0) await this.#deleteBatch([...this.#keys].slice(0, KEYS_AT_ONCE));
      this.#areAllStale = false;
    } catch {
      // Still unavailable: a retry is scheduled below, without limit.
    }
    this.#timer = undefined;
    if (this.#keys.size > 0 || this.#areAllStale) this.#schedule();
  }

  async #deleteBatch(keys: readonly string[]): Promise<void> {
    await this.#keyValue.delete(keys);
    for (const key of keys) this.#keys.delete(key);
  }

  async #deleteAll(): Promise<void> {
    for (let round = 1; round <= MAXIMUM_ROUNDS; round += 1) {
      const keys = await this.#keyValue.keys(this.#prefix, KEYS_AT_ONCE);
      if (keys.length > 0) await this.#keyValue.delete(keys);
      if (keys.length < KEYS_AT_ONCE) return;
    }
  }
}
