import type { ControlMessage } from '@millrace/contracts';
import type { MessageBus } from '@millrace/messaging';
import type { Logger } from '@millrace/service';
import type { SentFrames } from './sent-frames';

export interface ResendParts {
  readonly bus: MessageBus;
  readonly sentFrames: SentFrames;
  readonly logger: Logger;
}

/**
 * Sends frames of a run again that a gateway misses, always to the original reply queue. The gateway reorders them and
 * asks again for frames that are still missing. Never rejects.
 */
export async function resendFrames(
  { bus, sentFrames, logger }: ResendParts,
  { runId, attempt, from }: Extract<ControlMessage, { kind: 'resend-frames' }>,
): Promise<void> {
  const frames = sentFrames.since(runId, attempt, from);
  if (frames.length === 0) return;
  const outcomes = await Promise.allSettled(frames.map((frame) => bus.publish(frame)));
  const failed = outcomes.filter(({ status }) => status === 'rejected').length;
  logger.info({ runId, attempt, from, frames: frames.length, failed }, 'frames of a run sent again');
}
