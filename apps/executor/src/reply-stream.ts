import { ATTEMPT_HEADER, SEQUENCE_HEADER, STATUS_HEADER } from '@millrace/contracts';
import type { ReplyType, RunEnd } from '@millrace/contracts';
import { jsonDumpsCompactAscii } from '@millrace/flow';
import type { RunEvent } from '@millrace/flow';
import { UnroutableError } from '@millrace/messaging';
import type { MessageBus } from '@millrace/messaging';
import type { Logger } from '@millrace/service';

/** Events that wait for the previous frame; beyond this the run waits, too. */
const MAXIMUM_BUFFERED_BYTES = 262_144;

export interface ReplyStreamOptions {
  readonly bus: MessageBus;
  readonly logger: Logger;
  readonly replyTo: string;
  readonly runId: string;
  readonly attempt: number;
  /** The gateway that waits is gone: nobody reads this run's replies any more. */
  onUnroutable(): void;
}

/**
 * One attempt's way back to the gateway. The first event goes out at once; those that come while a frame is on its
 * way share the next one, so a slow broker makes frames larger instead of more numerous.
 */
export class ReplyStream {
  readonly #options: ReplyStreamOptions;
  #lines: string[] = [];
  #bytes = 0;
  #sequence = 0;
  #sending: Promise<void> | null = null;

  constructor(options: ReplyStreamOptions) {
    this.#options = options;
  }

  /** Resolves at once while the buffer has room, else when the frames before have gone. */
  emit(event: RunEvent): void | Promise<void> {
    const line = `${jsonDumpsCompactAscii(event)}\n`;
    this.#lines.push(line);
    this.#bytes += line.length;
    this.#sending ??= this.#drain();
    return this.#bytes > MAXIMUM_BUFFERED_BYTES ? this.#sending : undefined;
  }

  /** Sends what is buffered, then the final frame: the whole answer for `succeeded`, else a RunFailure. */
  async end(status: RunEnd, body: string): Promise<void> {
    while (this.#sending) await this.#sending;
    await this.#publish('final', Buffer.from(body), { [STATUS_HEADER]: status });
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
    const { bus, replyTo, runId, attempt, logger, onUnroutable } = this.#options;
    try {
      await bus.publish({
        exchange: '',
        routingKey: replyTo,
        body,
        persistent: false,
        mandatory: true,
        correlationId: runId,
        type,
        headers: { ...headers, [ATTEMPT_HEADER]: attempt, [SEQUENCE_HEADER]: this.#sequence++ },
      });
    } catch (error) {
      // A reply is a hint: the record is what counts, and the gateway asks for it when its queue was away.
      logger.warn({ error, runId, attempt, type }, 'a reply could not be delivered');
      if (error instanceof UnroutableError) onUnroutable();
    }
  }
}
