import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import {
  ATTEMPT_HEADER,
  CACHE_HEADER,
  SEQUENCE_HEADER,
  STATUS_HEADER,
  TIMING_HEADER,
} from '@millrace/messages';
import type { CacheUse, ReplyType, RunEnd } from '@millrace/messages';
import type { RunEvent } from '@millrace/flow';
import { RefusedError, UnroutableError } from '@millrace/messaging';
import type { MessageBus } from '@millrace/messaging';
import { backoff, machineTime } from '@millrace/service';
import type { Logger } from '@millrace/service';
import { jsonDumpsCompactAscii } from '@millrace/python-text';
import type { ReplyBatches, ReplyMessage } from './reply-batches';
import type { SentFrames } from './sent-frames';

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
    status: RunEnd,
    body: string | Buffer,
    { cache, timing }: { readonly cache?: CacheUse | undefined; readonly timing?: string | null } = {},
  ): Promise<void> {
    while (this.#sending) await this.#sending;
    const headers = {
      [STATUS_HEADER]: status,
      ...(cache === undefined ? {} : { [CACHE_HEADER]: cache }),
      ...(timing ? { [TIMING_HEADER]: timing } : {}),
    };
    await this.#publish('final', typeof body === 'string' ? Buffer.from(body) : body, headers);
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
