import type { MessageRow, SessionHistory } from '@millrace/runs';
import { machineTime, withDeadline } from '@millrace/service';
import type { Logger } from '@millrace/service';

/** The run that stored messages. */
export interface MessageOwner {
  readonly userId: string;
  readonly flowId: string;
}

export interface MessageVisibilityDependencies {
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
