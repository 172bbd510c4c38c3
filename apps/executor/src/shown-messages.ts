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
          [...bySession(messages)].map(([id, rows]) => history.append(userId, flowId, id, rows)),
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
      const places = [...bySession(messages).keys()].map((sessionId) => ({ userId, flowId, sessionId }));
      await history
        .forget(places)
        .catch((error: unknown) => logger.warn({ error, flowId }, 'hot copies of sessions were not dropped'));
    },
  };
}

function bySession(messages: readonly MessageRow[]): Map<string, MessageRow[]> {
  const sessions = new Map<string, MessageRow[]>();
  for (const message of messages) {
    const rows = sessions.get(message.sessionId);
    if (rows) rows.push(message);
    else sessions.set(message.sessionId, [message]);
  }
  return sessions;
}
