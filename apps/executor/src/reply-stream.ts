import { setTimeout as sleep } from 'node:timers/promises';
import { ATTEMPT_HEADER, CACHE_HEADER, SEQUENCE_HEADER, STATUS_HEADER } from '@millrace/contracts';
import type { CacheUse, ReplyType, RunEnd } from '@millrace/contracts';
import { jsonDumpsCompactAscii } from '@millrace/flow';
import type { RunEvent } from '@millrace/flow';
import { RefusedError, UnroutableError } from '@millrace/messaging';
import type { MessageBus, OutgoingMessage } from '@millrace/messaging';
import { backoff } from '@millrace/service';
import type { Logger } from '@millrace/service';
import type { GoneGateways } from './gone-gateways';
import type { SentFrames } from './sent-frames';

/** Events that wait for the previous frame; beyond this the run waits, too. */
const MAXIMUM_BUFFERED_BYTES = 262_144;
/** A gateway or a connection that comes back within this time misses no frame. */
const PATIENCE_MILLISECONDS = 5_000;

export interface ReplyStreamOptions {
  readonly bus: MessageBus;
  readonly logger: Logger;
  readonly gone: GoneGateways;
  readonly replyTo: string;
  readonly runId: string;
  readonly attempt: number;
  /** The number of the first frame; 0 unless given. */
  readonly firstSequence?: number;
  /** Keeps what a stream tells, for a gateway that loses some of it. */
  readonly sent?: SentFrames | undefined;
  /** The gateway that waits is gone: nobody reads this run's replies any more. */
  onGone(): void;
}

/**
 * One attempt's way back to the gateway. The first event goes out at once; those that come while a frame is on its
 * way share the next one, so a slow broker makes frames larger instead of more numerous. A frame that cannot be
 * delivered is repeated for a while (the gateway knows repetitions by their number), so that a cut connection leaves no
 * gap; one that got lost after its delivery is sent again when the gateway asks for it.
 */
export class ReplyStream {
  readonly #options: ReplyStreamOptions;
  #lines: string[] = [];
  #bytes = 0;
  #sequence: number;
  #hasEvents = false;
  #sending: Promise<void> | null = null;

  constructor(options: ReplyStreamOptions) {
    this.#options = options;
    this.#sequence = options.firstSequence ?? 0;
  }

  /** Resolves at once while the buffer has room, else when the frames before have gone. */
  emit(event: RunEvent): void | Promise<void> {
    const line = `${jsonDumpsCompactAscii(event)}\n`;
    this.#lines.push(line);
    this.#bytes += line.length;
    this.#sending ??= this.#drain();
    return this.#bytes > MAXIMUM_BUFFERED_BYTES ? this.#sending : undefined;
  }

  /** Sends what is buffered, then the final frame: the whole answer for `succeeded`, else a RunFailure. Never rejects. */
  async end(status: RunEnd, body: string, cache?: CacheUse): Promise<void> {
    while (this.#sending) await this.#sending;
    const headers = { [STATUS_HEADER]: status, ...(cache === undefined ? {} : { [CACHE_HEADER]: cache }) };
    await this.#publish('final', Buffer.from(body), headers);
  }

  async #drain(): Promise<void> {
    while (this.#lines.length > 0) {
      const body = Buffer.from(this.#lines.join(''));
      this.#lines = [];
      this.#bytes = 0;
      await this.#publish('events', body, {});
    }
    this.#sending = null;
  }

  async #publish(type: ReplyType, body: Buffer, headers: Record<string, string>): Promise<void> {
    const { bus, gone, sent, replyTo, runId, attempt, logger, onGone } = this.#options;
    const message: OutgoingMessage = {
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
    if (this.#hasEvents) sent?.add(runId, attempt, message);
    const giveUpAt = Date.now() + (gone.has(replyTo) ? 0 : PATIENCE_MILLISECONDS);
    for (let tries = 0; ; tries += 1) {
      try {
        await bus.publish(message);
        gone.delete(replyTo);
        return;
      } catch (error) {
        const pause = backoff({ initialMilliseconds: 50, maximumMilliseconds: 500, attempt: tries });
        if (!(error instanceof RefusedError) && Date.now() + pause < giveUpAt && !gone.has(replyTo)) {
          await sleep(pause);
          continue;
        }
        // A reply is a hint: the record is what counts, and the gateway asks for it when its queue was away.
        logger.warn({ error, runId, attempt, type }, 'a reply could not be delivered');
        if (error instanceof UnroutableError) {
          gone.add(replyTo);
          onGone();
        }
        return;
      }
    }
  }
}
