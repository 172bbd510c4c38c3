import type { RunMessages } from '@millrace/engine';
import type { MessageQuery, RunMoment } from '@millrace/flow';
import type { MessageRow, SessionHistory } from '@millrace/runs';
import { Message } from '@millrace/python-text';
import type { MessageFields, PythonObject } from '@millrace/python-text';
import { machineTime, withDeadline } from '@millrace/service';
import type { Logger } from '@millrace/service';

interface LoggedMessage {
  readonly message: Message;
  readonly row: MessageRow;
  readonly at: RunMoment;
}

/**
 * The messages of one attempt. They become visible to other runs only when the outcome of the attempt becomes that of
 * the run, so that a retried attempt does not store its messages twice. The attempt reads its own messages, if the
 * moment of the read sees the moment at which they were stored.
 */
export class RunMessageLog implements RunMessages {
  readonly #logged: LoggedMessage[];
  readonly #history: Pick<SessionHistory, 'recent'>;
  readonly #userId: string;
  readonly #flowId: string;
  readonly #onSharedHistory: ((flowId: string) => void) | undefined;

  constructor(
    history: Pick<SessionHistory, 'recent'>,
    userId: string,
    flowId: string,
    onSharedHistory?: (flowId: string) => void,
    parent?: RunMessageLog,
  ) {
    this.#history = history;
    this.#userId = userId;
    this.#flowId = flowId;
    this.#onSharedHistory = onSharedHistory;
    this.#logged = parent === undefined ? [] : parent.#logged;
  }

  /** All messages of the attempt, ordered by time. */
  get rows(): readonly MessageRow[] {
    return byTime(this.#logged).map(({ row }) => row);
  }

  /** Returns the messages of a sub-flow: stored with those of the attempt, read by that flow only. */
  ofPart(flowId: string): RunMessageLog {
    return new RunMessageLog(this.#history, this.#userId, flowId, this.#onSharedHistory, this);
  }

  async store(message: Message, at: RunMoment): Promise<void> {
    this.#logged.push({ message, row: toMessageRow(message, this.#userId, this.#flowId), at });
  }

  async read(query: MessageQuery, at: RunMoment): Promise<readonly Message[]> {
    if (query.sessionId === this.#flowId) this.#onSharedHistory?.(this.#flowId);
    const own = byTime(
      this.#logged.filter(({ row, at: stored }) => row.flowId === this.#flowId && at.sees(stored)),
    )
      .map(({ message }) => message)
      .filter((message) => matches(message, query));
    const stored = await this.#history.recent(this.#userId, this.#flowId, query.sessionId, {
      limit: query.limit,
      contextId: query.contextId,
      sender: query.sender,
      senderName: query.senderName,
    });
    const newest = [...stored.filter((row) => !row.error).map(fromMessageRow), ...own].slice(-query.limit);
    return query.order === 'ascending' ? newest : newest.reverse();
  }
}

/**
 * Returns messages as they were stored last, by their creation time, which can be before that of messages that were stored
 * earlier.
 */
function byTime(logged: readonly LoggedMessage[]): readonly LoggedMessage[] {
  const last = new Map(logged.map((one) => [one.row.id, one]));
  return [...last.values()].sort((one, other) => {
    const milliseconds = one.row.timestamp.getTime() - other.row.timestamp.getTime();
    if (milliseconds !== 0) return milliseconds;
    // Only the text contains the microseconds.
    const [first, second] = [one.message.fields.timestamp, other.message.fields.timestamp];
    return first === second ? 0 : first < second ? -1 : 1;
  });
}

function matches({ fields }: Message, query: MessageQuery): boolean {
  return (
    !fields.error &&
    fields.sessionId === query.sessionId &&
    (query.contextId === undefined || fields.contextId === query.contextId) &&
    (query.sender === undefined || fields.sender === query.sender) &&
    (query.senderName === undefined || fields.senderName === query.senderName)
  );
}

const TIMESTAMP = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+)? UTC$/;

/** Converts a stored message to its row; the message must have an id. */
function toMessageRow(message: Message, userId: string, flowId: string): MessageRow {
  const { fields } = message;
  return {
    id: fields.id ?? '',
    flowId: fields.flowId ?? flowId,
    userId,
    sessionId: fields.sessionId,
    contextId: fields.contextId ?? '',
    runId: fields.runId,
    timestamp: parseTimestamp(fields.timestamp),
    sender: fields.sender ?? '',
    senderName: fields.senderName ?? '',
    text: fields.text,
    files: [...fields.files],
    error: fields.error,
    edit: fields.edit,
    properties: fields.properties,
    category: fields.category,
    contentBlocks: [...fields.contentBlocks],
    duration: fields.duration,
    sessionMetadata: fields.sessionMetadata,
  };
}

/** Converts a row to the message that components read. */
export function fromMessageRow(row: MessageRow): Message {
  return new Message({
    text: row.text,
    sender: row.sender,
    senderName: row.senderName,
    files: row.files,
    sessionId: row.sessionId,
    contextId: row.contextId ?? '',
    flowId: row.flowId,
    runId: row.runId,
    timestamp: formatTimestamp(row.timestamp),
    error: row.error,
    edit: row.edit,
    properties: row.properties as MessageFields['properties'],
    category: row.category as MessageFields['category'],
    contentBlocks: row.contentBlocks,
    duration: row.duration,
    sessionMetadata: row.sessionMetadata as PythonObject | null,
    id: row.id,
  });
}

function parseTimestamp(timestamp: string): Date {
  const parts = TIMESTAMP.exec(timestamp);
  return parts
    ? new Date(`${parts[1]}T${parts[2]}${(parts[3] ?? '.000').slice(0, 4)}Z`)
    : new Date(machineTime());
}

function formatTimestamp(timestamp: Date): string {
  return `${timestamp.toISOString().replace('T', ' ').replace('Z', '')}000 UTC`;
}

/**
 * Returns whether a run that starts after the answer can read the messages: `readsSession` is false when no component of the
 * flow reads any. The flows of a run have their own readers.
 */
export function isReadLater(
  { readsSession, messages }: { readonly readsSession?: boolean; readonly messages: readonly MessageRow[] },
  flowId: string,
): boolean {
  return readsSession !== false || messages.some((message) => message.flowId !== flowId);
}

/** The run that stored messages. */
interface MessageOwner {
  readonly userId: string;
  readonly flowId: string;
}

interface MessageVisibilityDependencies {
  readonly history: SessionHistory;
  readonly logger: Logger;
}

/** Makes the messages of a run visible before its caller receives the answer. */
export class MessageVisibility {
  readonly #dependencies: MessageVisibilityDependencies;

  constructor(dependencies: MessageVisibilityDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Resolves when a read after the answer will see these messages: in the hot copy, or else in the database, once
   * `recorded` has resolved. Waits at most until the deadline (milliseconds since the epoch), and never rejects.
   */
  async show(
    { userId, flowId, deadline }: MessageOwner & { readonly deadline: number },
    messages: readonly MessageRow[],
    recorded: Promise<unknown>,
  ): Promise<void> {
    const { history, logger } = this.#dependencies;
    try {
      const shown = await Promise.all(
        bySession(messages).map((rows) => history.append(userId, rows[0].flowId, rows[0].sessionId, rows)),
      );
      if (!shown.includes(false)) return;
    } catch (error) {
      logger.error(
        { error, flowId },
        'could not add messages to the hot copy; the answer waits for their record',
      );
    }
    // Then wait for the commit, but not past the deadline: an answer without visible messages is better than none.
    const left = Math.max(0, deadline - machineTime());
    await withDeadline(recorded, left, 'the record was not stored before the deadline').catch(
      () => undefined,
    );
  }

  /** Makes committed messages readable for runs of another version of their flow. Never rejects. */
  async follow({ userId, flowId }: MessageOwner, messages: readonly MessageRow[]): Promise<void> {
    const { history, logger } = this.#dependencies;
    const followed = bySession(messages).map((rows) =>
      history.appendIfRead(userId, rows[0].flowId, rows[0].sessionId, rows),
    );
    await Promise.all(followed).catch((error: unknown) =>
      logger.error({ error, flowId }, 'could not add messages to the hot copy'),
    );
  }

  /** Removes messages that were shown too early from the hot copies. Never rejects. */
  async hide({ userId, flowId }: MessageOwner, messages: readonly MessageRow[]): Promise<void> {
    const { history, logger } = this.#dependencies;
    const places = bySession(messages).map(([{ flowId: of, sessionId }]) => ({
      userId,
      flowId: of,
      sessionId,
    }));
    await history
      .invalidate(places)
      .catch((error: unknown) => logger.warn({ error, flowId }, 'could not drop the hot copies of sessions'));
  }
}

type Rows = [MessageRow, ...MessageRow[]];

/** Groups messages by flow and session; the sub-flows of a run have their own messages. */
function bySession(messages: readonly MessageRow[]): readonly Rows[] {
  const [first, ...others] = messages;
  if (first === undefined) return [];
  // Nearly all runs have one session.
  if (others.every(({ flowId, sessionId }) => flowId === first.flowId && sessionId === first.sessionId))
    return [[first, ...others]];
  const sessions = new Map<string, Rows>();
  for (const message of messages) {
    const key = `${message.flowId} ${message.sessionId}`;
    const rows = sessions.get(key);
    if (rows) rows.push(message);
    else sessions.set(key, [message]);
  }
  return [...sessions.values()];
}
