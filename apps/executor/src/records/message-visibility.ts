import type { MessageRow, SessionHistory } from '@millrace/runs';
import { machineTime, withDeadline } from '@millrace/service';
import type { Logger } from '@millrace/service';
import type { ExecutorParts } from '../executor-parts';

/** Creates the functions that make the messages of a run visible before its caller receives the answer. */
export function messageVisibility(
  history: SessionHistory,
  logger: Logger,
): Pick<ExecutorParts, 'showMessages' | 'hideMessages'> {
  return {
    async showMessages({ userId, flowId, deadline }, messages, recorded) {
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
    },
    async hideMessages({ userId, flowId }, messages) {
      const places = bySession(messages).map(([{ flowId: of, sessionId }]) => ({
        userId,
        flowId: of,
        sessionId,
      }));
      await history
        .invalidate(places)
        .catch((error: unknown) =>
          logger.warn({ error, flowId }, 'could not drop the hot copies of sessions'),
        );
    },
  };
}

type Rows = [MessageRow, ...MessageRow[]];

/** Groups messages by flow and session; the sub-flows of a run have their own messages. */
function bySession(messages: readonly MessageRow[]): readonly Rows[] {
  const sessions = new Map<string, Rows>();
  for (const message of messages) {
    const key = `${message.flowId} ${message.sessionId}`;
    const rows = sessions.get(key);
    if (rows) rows.push(message);
    else sessions.set(key, [message]);
  }
  return [...sessions.values()];
}
