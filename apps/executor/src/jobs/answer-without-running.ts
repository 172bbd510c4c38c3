import { AFTER_ALL_FRAMES } from '@millrace/contracts';
import type { RunEnd } from '@millrace/contracts';
import type { MessageBus } from '@millrace/messaging';
import type { Logger } from '@millrace/service';
import type { UnreachableReplyQueues } from '../replies/unreachable-reply-queues';
import { ReplyStream } from '../replies/reply-stream';

/** Higher than every attempt number whose frames the gateway may have received. */
const AFTER_ALL_ATTEMPTS = 1_000_000;

export interface AnswerParts {
  readonly bus: MessageBus;
  readonly logger: Logger;
  readonly unreachableQueues: UnreachableReplyQueues;
}

/** The caller of a run. */
export interface PendingCaller {
  readonly runId: string;
  readonly replyTo: string | undefined;
  /** The attempt that the answer belongs to, if there is one. */
  readonly attempt?: number;
}

/**
 * Sends the outcome of a run to its caller without executing it, because it has already ended or must not be executed.
 * The gateway accepts it regardless of the frames that it has received before. Never rejects.
 */
export async function answerWithoutRunning(
  { bus, logger, unreachableQueues }: AnswerParts,
  { runId, replyTo, attempt = AFTER_ALL_ATTEMPTS }: PendingCaller,
  status: RunEnd,
  body: string,
): Promise<void> {
  if (replyTo === undefined) return;
  await new ReplyStream({
    bus,
    logger,
    unreachableQueues,
    replyTo,
    runId,
    attempt,
    firstSequence: AFTER_ALL_FRAMES,
    onUnreachable: () => undefined,
  }).end(status, body);
}

/** Returns the stored outcome of a run as the body that its caller would have received. */
export function storedBody(
  status: RunEnd,
  resultText: string | null,
  failure: { readonly code: string } | null,
): string {
  return status === 'succeeded' ? (resultText ?? 'null') : JSON.stringify(failure);
}
