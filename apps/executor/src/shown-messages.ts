import type { MessageRow, SessionHistory } from '@millrace/runs';
import { withDeadline } from '@millrace/service';
import type { Logger } from '@millrace/service';
import type { ExecutorParts } from './executor-parts';

/** What a run stored becomes visible before its caller has the answer. */
export function shownMessages(
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
        logger.error({ error, flowId }, 'messages could not be shown before their record');
      }
      // The commit comes first, then. An answer without its effects is better than none at all.
      const left = Math.max(0, deadline - Date.now());
      await withDeadline(recorded, left, 'the record came too late').catch(() => undefined);
    },
    async hideMessages({ userId, flowId }, messages) {
      const places = bySession(messages).map(([{ flowId: of, sessionId }]) => ({
        userId,
        flowId: of,
        sessionId,
      }));
      await history
        .forget(places)
        .catch((error: unknown) => logger.warn({ error, flowId }, 'hot copies of sessions were not dropped'));
    },
  };
}

type Rows = [MessageRow, ...MessageRow[]];

/** The messages of each session of each flow: a run may run others as parts of itself. */
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
