import { setTimeout as sleep } from 'node:timers/promises';
import type { ComponentRegistry } from '@millrace/flow';
import type { KeyValueStore } from '@millrace/key-value';
import type { FlowStore } from '@millrace/runs';
import type { Counter, Logger } from '@millrace/service';
import { needsPython } from './inspect-flow';

const INTERVAL_MILLISECONDS = 60_000;
const BATCH_FLOWS = 20;
/** Maximum number of batches in one pass; the next pass continues. */
const MAXIMUM_BATCHES = 500;
const BATCH_PAUSE_MILLISECONDS = 20;
const LOCK_KEY = 'flow-classifier';
/** A gateway that stops during a pass holds the others up for at most this time. */
const LOCK_MILLISECONDS = 50_000;

export interface FlowClassifierOptions {
  readonly flows: Pick<FlowStore, 'unclassified' | 'classify'>;
  readonly registry: ComponentRegistry;
  readonly keyValue: Pick<KeyValueStore, 'set' | 'delete'>;
  readonly logger: Logger;
  /** Counts flows by outcome. */
  readonly classified: Counter;
}

/**
 * Determines whether the flows need Python that an earlier release stored. One gateway does so at a time, in small
 * batches, at its start and once a minute: gateways of the earlier release can store further flows.
 */
export class FlowClassifier {
  readonly #options: FlowClassifierOptions;
  #timer: NodeJS.Timeout | undefined;
  #pass: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: FlowClassifierOptions) {
    this.#options = options;
  }

  start(): void {
    this.#pass = this.#run().finally(() => {
      if (this.#isClosed) return;
      this.#timer = setTimeout(() => this.start(), INTERVAL_MILLISECONDS);
      this.#timer.unref();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#pass;
  }

  async #run(): Promise<void> {
    const { keyValue, logger, classified } = this.#options;
    try {
      const lock = { ttlMilliseconds: LOCK_MILLISECONDS, onlyIfAbsent: true };
      if (!(await keyValue.set(LOCK_KEY, '', lock))) return;
      const flows = await this.#classifyBatches();
      if (flows > 0) logger.info({ flows }, 'flows of an earlier release checked for Python');
      await keyValue.delete([LOCK_KEY]);
    } catch (error) {
      classified.add(1, { outcome: 'failed' });
      logger.warn(
        { error },
        'flows of an earlier release could not be checked for Python; retried in a minute',
      );
    }
  }

  async #classifyBatches(): Promise<number> {
    const { flows, registry, classified } = this.#options;
    let count = 0;
    for (let batch = 0; batch < MAXIMUM_BATCHES && !this.#isClosed; batch += 1) {
      const found = await flows.unclassified(BATCH_FLOWS);
      for (const flow of found) {
        const isNeeded = needsPython(flow.document, registry);
        await flows.classify(flow, isNeeded);
        classified.add(1, { outcome: isNeeded ? 'python' : 'native' });
      }
      count += found.length;
      if (found.length < BATCH_FLOWS) break;
      await sleep(BATCH_PAUSE_MILLISECONDS);
    }
    return count;
  }
}
