import type { ControlMessage } from '@millrace/contracts';
import { readControlMessage } from '@millrace/contracts';
import type { Delivery, MessageBus, Verdict } from '@millrace/messaging';
import type { Logger } from '@millrace/service';
import type { CancelledRuns } from './cancelled-runs';
import { resendFrames } from './resend-frames';
import type { DeliveriesInHand } from './deliveries-in-hand';
import type { Peers } from './peers';
import type { RunningAttempts } from './running-attempts';
import type { SentFrames } from './sent-frames';
import type { Takeover } from './takeover';
import type { WatchedFlows } from './watched-flows';

export interface ControlDependencies {
  readonly running: RunningAttempts;
  readonly cancelled: CancelledRuns;
  readonly takeover: Takeover;
  readonly peers: Peers;
  readonly inHand: Pick<DeliveriesInHand, 'has'>;
  readonly watched: WatchedFlows;
  readonly bus: MessageBus;
  readonly sent: SentFrames;
  readonly logger: Logger;
}

/** What an executor does with a message of the control exchange; those for others are passed over. */
export async function handleControlMessage(
  { running, cancelled, takeover, peers, inHand, watched, bus, sent, logger }: ControlDependencies,
  delivery: Delivery,
): Promise<Verdict> {
  const message: ControlMessage | null = readControlMessage(delivery.body.toString());
  if (message === null) {
    logger.warn({ bytes: delivery.body.length }, 'a control message could not be understood');
    return 'discard';
  }
  if (message.kind === 'cancel') {
    if (!running.abort(message.runId, 'cancelled')) cancelled.add(message.runId);
  } else if (message.kind === 'who-runs') {
    const { runId } = message;
    await takeover.answer(message, { attempt: running.get(runId)?.attempt, isInHand: inHand.has(runId) });
  } else if (message.kind === 'i-run') {
    takeover.answered(message);
  } else if (message.kind === 'are-you-there') {
    await takeover.answerPing(message);
  } else if (message.kind === 'i-am-here') {
    peers.answered(message);
  } else if (message.kind === 'resend-frames') {
    void resendFrames({ bus, sent, logger }, message);
  } else if (message.kind === 'watch-flow') {
    watched.watch(message);
  }
  return 'done';
}
