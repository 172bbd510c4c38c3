import { AFTER_ALL_FRAMES } from '@millrace/contracts';
import type { RunEnd } from '@millrace/contracts';
import type { MessageBus } from '@millrace/messaging';
import type { Logger } from '@millrace/service';
import type { GoneGateways } from './gone-gateways';
import { ReplyStream } from './reply-stream';

/** Above every attempt whose frames the gateway may have seen. */
const AFTER_ALL_ATTEMPTS = 1_000_000;

export interface AnswerParts {
  readonly bus: MessageBus;
  readonly logger: Logger;
  readonly gone: GoneGateways;
}

/** Whoever waits for a run. */
export interface Waiting {
  readonly runId: string;
  readonly replyTo: string | undefined;
  /** The attempt the answer belongs to, when there is one. */
  readonly attempt?: number;
}

/**
 * Gives the end of a run to whoever waits for it, without running it: it is over already, or is not to be run. The
 * gateway takes it whatever it heard of the run before. Never rejects.
 */
export async function answerWithoutRunning(
  { bus, logger, gone }: AnswerParts,
  { runId, replyTo, attempt = AFTER_ALL_ATTEMPTS }: Waiting,
  status: RunEnd,
  body: string,
): Promise<void> {
  if (replyTo === undefined) return;
  await new ReplyStream({
    bus,
    logger,
    gone,
    replyTo,
    runId,
    attempt,
    firstSequence: AFTER_ALL_FRAMES,
    onGone: () => undefined,
  }).end(status, body);
}

/** A stored end of a run, as its caller would have got it. */
export function storedBody(
  status: RunEnd,
  resultText: string | null,
  failure: { readonly code: string } | null,
): string {
  return status === 'succeeded' ? (resultText ?? 'null') : JSON.stringify(failure);
}
