import { AFTER_ALL_FRAMES } from '@millrace/messages';
import type { BrokerNames, ControlMessage, RunEnd } from '@millrace/messages';
import type { AfterTurn, MessageBus } from '@millrace/messaging';
import { propagatesTraces } from '@millrace/service';
import type { Logger } from '@millrace/service';
import { openReplyBatches } from './reply-batches';
import type { ReplyBatches } from './reply-batches';
import { ReplyStream, UnreachableReplyQueues } from './reply-stream';
import { SentFrames } from './sent-frames';

/** Higher than every attempt number whose frames the gateway may have received. */
const AFTER_ALL_ATTEMPTS = 1_000_000;

export interface RepliesDependencies {
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  readonly logger: Logger;
  /** Replaces the end of a turn of the event loop, where replies that are ready are sent; for tests. */
  readonly afterTurn?: AfterTurn | undefined;
}

/** The caller of an attempt. */
export interface AttemptCaller {
  readonly runId: string;
  readonly attempt: number;
  readonly replyTo: string | undefined;
  /** The gateway reads several replies in one message. */
  readonly batchedReplies: boolean;
  /** True when the events of the run are stored: without a reply queue, they go to the queue shared by all gateways. */
  readonly vertexEvents: boolean;
  /** Called when the gateway is unreachable, so that the replies of this run are no longer received. */
  onUnreachable(): void;
}

/** The caller of a run that is not executed. */
export interface PendingCaller {
  readonly runId: string;
  readonly replyTo: string | undefined;
  /** The attempt that the answer belongs to, if there is one. */
  readonly attempt?: number;
}

/** The replies of this executor to the gateways. */
export class Replies {
  readonly #dependencies: RepliesDependencies;
  readonly #unreachableQueues = new UnreachableReplyQueues();
  readonly #sentFrames = new SentFrames();
  readonly #batches: ReplyBatches;

  constructor(dependencies: RepliesDependencies) {
    this.#dependencies = dependencies;
    this.#batches = openReplyBatches(dependencies.bus, dependencies.afterTurn);
  }

  /** Opens the reply of an attempt; null when no queue receives it. */
  open(caller: AttemptCaller): ReplyStream | null {
    const { runId, attempt, batchedReplies, vertexEvents, onUnreachable } = caller;
    const { bus, names, logger } = this.#dependencies;
    // The message of a run that was published again has no reply queue.
    const replyTo = caller.replyTo ?? (vertexEvents ? names.runEvents : undefined);
    if (replyTo === undefined) return null;
    return new ReplyStream({
      // In a trace, each reply has a message with the span of its run.
      bus: batchedReplies && caller.replyTo !== undefined && !propagatesTraces() ? this.#batches : bus,
      logger,
      unreachableQueues: this.#unreachableQueues,
      // The event queue shared by all gateways is not lost with one gateway's connection.
      sentFrames: replyTo === names.runEvents ? undefined : this.#sentFrames,
      replyTo,
      runId,
      attempt,
      onUnreachable,
    });
  }

  /**
   * Sends the outcome of a run to its caller without executing it, because it has already ended or must not be
   * executed. The gateway accepts it regardless of the frames that it has received before. Never rejects.
   */
  async answer(
    { runId, replyTo, attempt = AFTER_ALL_ATTEMPTS }: PendingCaller,
    status: RunEnd,
    body: string,
  ): Promise<void> {
    if (replyTo === undefined) return;
    const { bus, logger } = this.#dependencies;
    await new ReplyStream({
      bus,
      logger,
      unreachableQueues: this.#unreachableQueues,
      replyTo,
      runId,
      attempt,
      firstSequence: AFTER_ALL_FRAMES,
      onUnreachable: () => undefined,
    }).end(status, body);
  }

  /**
   * Sends frames of a run again that a gateway misses, always to the original reply queue. The gateway reorders them
   * and asks again for frames that are still missing. Never rejects.
   */
  async resend({ runId, attempt, from }: Extract<ControlMessage, { kind: 'resend-frames' }>): Promise<void> {
    const { bus, logger } = this.#dependencies;
    const frames = this.#sentFrames.since(runId, attempt, from);
    if (frames.length === 0) return;
    const outcomes = await Promise.allSettled(frames.map((frame) => bus.publish(frame)));
    const failed = outcomes.filter(({ status }) => status === 'rejected').length;
    logger.info({ runId, attempt, from, frames: frames.length, failed }, 'frames of a run sent again');
  }
}

/** Returns the stored outcome of a run as the body that its caller would have received. */
export function storedBody(
  status: RunEnd,
  resultText: string | null,
  failure: { readonly code: string } | null,
): string {
  return status === 'succeeded' ? (resultText ?? 'null') : JSON.stringify(failure);
}
