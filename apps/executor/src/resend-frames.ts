import type { ControlMessage } from '@millrace/contracts';
import type { MessageBus } from '@millrace/messaging';
import type { Logger } from '@millrace/service';
import type { SentFrames } from './sent-frames';

export interface ResendParts {
  readonly bus: MessageBus;
  readonly sent: SentFrames;
  readonly logger: Logger;
}

/**
 * A gateway misses frames of a run: they go where they went before, whoever asks. The gateway puts them in their places
 * and asks again for those that are missing still. Never rejects.
 */
export async function resendFrames(
  { bus, sent, logger }: ResendParts,
  { runId, attempt, from }: Extract<ControlMessage, { kind: 'resend-frames' }>,
): Promise<void> {
  const frames = sent.since(runId, attempt, from);
  if (frames.length === 0) return;
  const outcomes = await Promise.allSettled(frames.map((frame) => bus.publish(frame)));
  const failed = outcomes.filter(({ status }) => status === 'rejected').length;
  logger.info({ runId, attempt, from, frames: frames.length, failed }, 'frames of a run were sent again');
}
