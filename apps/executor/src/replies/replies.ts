import type { RunRecords } from '@millrace/flow';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import {
  AFTER_ALL_FRAMES,
  ATTEMPT_HEADER,
  CACHE_HEADER,
  SEQUENCE_HEADER,
  STATUS_HEADER,
  RECORD_HEADER,
  TEXTS_HEADER,
  TIMING_HEADER,
  REPLY_BATCH,
  DeduplicatedText,
  writeReplyBatch,
  writeDeduplicatedText,
} from '@millrace/messages';
import type {
  BrokerNames,
  ControlMessage,
  RunEnd,
  CacheUse,
  ReplyType,
  BatchedReply,
  SUSPENDED,
} from '@millrace/messages';
import { RefusedError, UnroutableError, TurnBatches } from '@millrace/messaging';
import type { AfterTurn, MessageBus, OutgoingMessage } from '@millrace/messaging';
import { propagatesTraces, backoff, machineTime } from '@millrace/service';
import type { Logger } from '@millrace/service';
import { LRUCache } from 'lru-cache';
import { SentFrames } from './sent-frames';
import type { RunEvent } from '@millrace/flow';
import { jsonDumpsCompactAscii } from '@millrace/python-text';

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
  /** Undefined when the events are stored: they go to the queue shared by all gateways. */
  readonly replyTo: string | undefined;
  /** The gateway reads several replies in one message. */
  readonly batchedReplies: boolean;
  /** The gateway reads answers whose long texts stand once. */
  readonly deduplicatedTexts: boolean;
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

/** What is sent beside the answer. */
export interface AnswerDetails {
  readonly cache?: CacheUse | undefined;
  readonly timing?: string | null;
  /** What is kept of the run: with `messages` those of a session that the caller named. */
  readonly record?: RunRecords | 'messages';
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

  /** Opens the reply of an attempt. */
  open(caller: AttemptCaller): ReplyStream {
    const { runId, attempt, batchedReplies, deduplicatedTexts, onUnreachable } = caller;
    const { bus, names, logger } = this.#dependencies;
    const replyTo = caller.replyTo ?? names.runEvents;
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
      // The events of a run without a reply queue are stored as they are.
      deduplicatedTexts: deduplicatedTexts && caller.replyTo !== undefined,
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

/** Maximum buffer of events that wait for the previous frame; beyond it, the run waits. */
const MAXIMUM_BUFFERED_BYTES = 262_144;
/** Maximum size of a frame with several events: brokers refuse larger ones, and a reader could not take them at once. */
const MAXIMUM_FRAME_BYTES = 524_288;
/** A gateway or a connection that returns within this time misses no frame. */
const DELIVERY_TIMEOUT_MILLISECONDS = 5_000;

export interface ReplyStreamOptions {
  /** Where the frames are published: alone, or together with those of other runs. */
  readonly bus: Pick<MessageBus, 'publish'> | ReplyBatches;
  readonly logger: Logger;
  readonly unreachableQueues: UnreachableReplyQueues;
  readonly replyTo: string;
  readonly runId: string;
  readonly attempt: number;
  /** Whether long texts of the answer are sent once. Default: false. */
  readonly deduplicatedTexts?: boolean;
  /** The number of the first frame. Default: 0. */
  readonly firstSequence?: number;
  /** Keeps the frames of streamed runs, for a gateway that loses some of them. */
  readonly sentFrames?: SentFrames | undefined;
  /** Called when the gateway is unreachable, so that the replies of this run are no longer received. */
  onUnreachable(): void;
}

/**
 * Sends the reply of one attempt to the gateway. The first event is sent at once; events that arrive while a frame is
 * being sent share the next frame, so a slow broker makes frames larger instead of more numerous. A frame that cannot
 * be delivered is repeated for a while (the gateway detects duplicates by their number), so that a broken connection
 * leaves no gap; a frame that is lost after its delivery is sent again when the gateway asks for it.
 */
export class ReplyStream {
  readonly #options: ReplyStreamOptions;
  #lines: string[] = [];
  #bytes = 0;
  #sequence: number;
  #hasEvents = false;
  #sending: Promise<void> | null = null;
  #hasToken = false;

  constructor(options: ReplyStreamOptions) {
    this.#options = options;
    this.#sequence = options.firstSequence ?? 0;
  }

  /**
   * Resolves at once while the buffer has room, else when the earlier frames have been sent. After the first token it resolves
   * in the next turn of the event loop: a model can send many tokens in one packet, and the first one would wait in the
   * socket's buffer until all are processed.
   */
  emit(event: RunEvent): void | Promise<void> {
    const line = `${jsonDumpsCompactAscii(event)}\n`;
    this.#lines.push(line);
    this.#bytes += line.length;
    this.#sending ??= this.#drain();
    if (this.#bytes > MAXIMUM_BUFFERED_BYTES) return this.#sending;
    if (this.#hasToken || event.event !== 'token') return undefined;
    this.#hasToken = true;
    return nextTurn();
  }

  /**
   * Sends what is buffered, then the final frame: the whole answer for `succeeded`, else a RunFailure. Never rejects.
   */
  async end(
    status: RunEnd | typeof SUSPENDED,
    answer: string | Buffer | DeduplicatedText,
    { cache, timing, record }: AnswerDetails = {},
  ): Promise<void> {
    while (this.#sending) await this.#sending;
    const { layout, body } = this.#written(answer);
    const headers = {
      [STATUS_HEADER]: status,
      ...(layout === null ? {} : { [TEXTS_HEADER]: layout }),
      ...(cache === undefined ? {} : { [CACHE_HEADER]: cache }),
      ...(timing ? { [TIMING_HEADER]: timing } : {}),
      ...(record === undefined || record === 'full' ? {} : { [RECORD_HEADER]: record }),
    };
    await this.#publish('final', body, headers);
  }

  #written(answer: string | Buffer | DeduplicatedText): { layout: string | null; body: Buffer } {
    if (!(answer instanceof DeduplicatedText)) {
      return { layout: null, body: typeof answer === 'string' ? Buffer.from(answer) : answer };
    }
    const { deduplicatedTexts = false } = this.#options;
    return deduplicatedTexts ? writeDeduplicatedText(answer) : { layout: null, body: answer.toBuffer() };
  }

  async #drain(): Promise<void> {
    while (this.#lines.length > 0) {
      const lines = this.#takeFrame();
      await this.#publish('events', Buffer.from(lines.join('')), {});
      // The gateway passes each frame on before it gets the next one.
      if (this.#lines.length > 0) await nextTurn();
    }
    this.#sending = null;
  }

  /** Takes events for one frame: at least one, further ones up to the limit. */
  #takeFrame(): readonly string[] {
    let [count, bytes] = [0, 0];
    for (const { length } of this.#lines) {
      if (count > 0 && bytes + length > MAXIMUM_FRAME_BYTES) break;
      bytes += length;
      count += 1;
    }
    this.#bytes -= bytes;
    return this.#lines.splice(0, count);
  }

  async #publish(type: ReplyType, body: Buffer, headers: Record<string, string>): Promise<void> {
    const { bus, unreachableQueues, sentFrames, replyTo, runId, attempt, logger, onUnreachable } =
      this.#options;
    const message: ReplyMessage = {
      exchange: '',
      routingKey: replyTo,
      body,
      persistent: false,
      mandatory: true,
      correlationId: runId,
      type,
      headers: { ...headers, [ATTEMPT_HEADER]: attempt, [SEQUENCE_HEADER]: this.#sequence++ },
    };
    this.#hasEvents ||= type === 'events';
    if (this.#hasEvents) sentFrames?.add(runId, attempt, message);
    const giveUpAt = machineTime() + (unreachableQueues.has(replyTo) ? 0 : DELIVERY_TIMEOUT_MILLISECONDS);
    for (let tries = 0; ; tries += 1) {
      try {
        await bus.publish(message);
        unreachableQueues.delete(replyTo);
        return;
      } catch (error) {
        const pause = backoff({ initialMilliseconds: 50, maximumMilliseconds: 500, attempt: tries });
        if (
          !(error instanceof RefusedError) &&
          machineTime() + pause < giveUpAt &&
          !unreachableQueues.has(replyTo)
        ) {
          await sleep(pause);
          continue;
        }
        // A lost reply is not an error: the gateway reads the record when its queue was unavailable.
        logger.warn({ error, runId, attempt, type }, 'could not deliver a reply');
        if (error instanceof UnroutableError) {
          unreachableQueues.add(replyTo);
          onUnreachable();
        }
        return;
      }
    }
  }
}

/** Reply queues that were missing for longer than a reconnect takes; frames to them are sent once, without retries. */
export class UnreachableReplyQueues {
  readonly #queues = new LRUCache<string, true>({ maxSize: 1_000, sizeCalculation: () => 1, ttl: 30_000 });

  add(replyTo: string): void {
    this.#queues.set(replyTo, true);
  }

  has(replyTo: string): boolean {
    return this.#queues.has(replyTo);
  }

  delete(replyTo: string): void {
    this.#queues.delete(replyTo);
  }
}

const MAXIMUM_REPLY_BYTES = 65_536;
const MAXIMUM_BATCH_BYTES = 262_144;
const MAXIMUM_BATCH_REPLIES = 64;

/** A reply as the message that carries it alone. */
export type ReplyMessage = OutgoingMessage &
  Omit<BatchedReply, 'headers'> &
  Required<Pick<OutgoingMessage, 'headers'>>;

export type ReplyBatches = TurnBatches<ReplyMessage>;

/** Returns the batches of replies that become ready in one turn of the event loop, for one gateway. */
export function openReplyBatches(
  bus: Pick<MessageBus, 'publish'>,
  // Replies become ready together when one read brings the responses of many commands or calls.
  afterTurn: AfterTurn = process.nextTick,
): ReplyBatches {
  return new TurnBatches({
    bus,
    maximumMessageBytes: MAXIMUM_REPLY_BYTES,
    maximumBatchBytes: MAXIMUM_BATCH_BYTES,
    maximumBatchMessages: MAXIMUM_BATCH_REPLIES,
    join: (replies) => ({
      exchange: replies[0].exchange,
      routingKey: replies[0].routingKey,
      body: writeReplyBatch(replies),
      persistent: false,
      mandatory: true,
      type: REPLY_BATCH,
    }),
    afterTurn,
  });
}
