import { setTimeout as sleep } from 'node:timers/promises';
import { ATTEMPT_HEADER, runEventsTopology, SEQUENCE_HEADER } from '@millrace/messages';
import type { BrokerNames } from '@millrace/messages';
import type { Consumer, Delivery, MessageBus, Verdict } from '@millrace/messaging';
import type { Logger } from '@millrace/service';
import type { FollowedRuns } from './followed-runs';
import type { RunFrameLog } from './run-frame-log';

const PREFETCH = 200;
const TRIES = 20;
const PAUSE_MILLISECONDS = 100;

export interface EventIntakeOptions {
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  readonly log: RunFrameLog;
  readonly followed: FollowedRuns;
  readonly logger: Logger;
}

/**
 * Moves the frames of followed runs from the queue that all gateways share to the log that all of them read. A frame is
 * acknowledged when it is in the log, so frames in flight at a gateway that crashes are redelivered to another one.
 */
export class EventIntake {
  readonly #options: EventIntakeOptions;
  #consumer: Consumer | null = null;

  constructor(options: EventIntakeOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const { bus, names } = this.#options;
    await bus.provision(runEventsTopology(names));
    this.#consumer = await bus.consume(names.runEvents, { prefetch: PREFETCH }, (delivery) =>
      this.#receive(delivery),
    );
  }

  async close(): Promise<void> {
    await this.#consumer?.close();
  }

  async #receive({ type, correlationId: runId, headers, body }: Delivery): Promise<Verdict> {
    const isFinal = type === 'final';
    if (runId === undefined || (type !== 'events' && !isFinal)) return 'done';
    const { log, followed, logger } = this.#options;
    const frame = {
      attempt: Number(headers[ATTEMPT_HEADER]),
      sequence: Number(headers[SEQUENCE_HEADER]),
      isFinal,
      // The ending of the run is in its record.
      lines: isFinal ? '' : body.toString(),
    };
    for (let tries = 1; ; tries += 1) {
      try {
        await log.append(runId, frame);
        break;
      } catch (error) {
        if (tries === TRIES) {
          logger.warn({ error, runId }, 'key-value store unavailable; events of a followed run were dropped');
          break;
        }
        await sleep(PAUSE_MILLISECONDS);
      }
    }
    followed.wake(runId);
    return 'done';
  }
}
