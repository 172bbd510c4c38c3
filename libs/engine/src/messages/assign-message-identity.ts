import { randomUUID } from 'node:crypto';
import type { Message } from '@millrace/python-text';
import type { OngoingRun } from '../run/ongoing-run';

/**
 * Returns a message with the fields of every stored one: id, run, session, sender and timestamp. A message that was emitted
 * as a partial one keeps its id.
 */
export function assignMessageIdentity(run: OngoingRun, message: Message): Message {
  const { fields } = message;
  return message.with({
    id: run.takePartial(fields.id) ?? randomUUID(),
    runId: run.environment.runId,
    flowId: run.plan.flowId,
    sessionId: fields.sessionId || run.request.sessionId,
    sender: fields.sender ?? 'Machine',
    senderName: fields.senderName ?? 'AI',
    timestamp: fields.timestamp || run.timestamp(),
  });
}
