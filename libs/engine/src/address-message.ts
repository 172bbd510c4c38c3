import { randomUUID } from 'node:crypto';
import type { Message } from '@millrace/flow';
import type { OngoingRun } from './ongoing-run';

/** Gives a message what every stored one has: an id, its run, its session, its sender and its time. */
export function addressMessage(run: OngoingRun, message: Message): Message {
  const { fields } = message;
  return message.with({
    id: randomUUID(),
    runId: run.environment.runId,
    flowId: run.plan.flowId,
    sessionId: fields.sessionId || run.request.sessionId,
    sender: fields.sender ?? 'Machine',
    senderName: fields.senderName ?? 'AI',
    timestamp: fields.timestamp || run.timestamp(),
  });
}
