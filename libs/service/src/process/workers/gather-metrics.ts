import type { Worker } from 'node:cluster';
import type { Logger } from '../../logging/logger';
import type { Metrics } from '../../metrics/metrics';
import { withDeadline } from '../../time/with-deadline';
import { mergeMetrics } from './merge-metrics';
import type { MessageToSupervisor } from './worker-messages';
import { tellWorker } from './tell-worker';

const ANSWER_WITHIN_MILLISECONDS = 2_000;

export interface GatherMetricsOptions {
  /** Of the supervisor itself. */
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Those that live, by the label their samples get. */
  workers(): ReadonlyMap<string, Worker>;
}

/** Asks all worker processes for their metrics; one that does not answer in time is left out, with a line in the log. */
export class GatherMetrics {
  readonly #options: GatherMetricsOptions;
  readonly #asked = new Map<string, (text: string) => void>();
  #questions = 0;
  #gathering: Promise<string> | undefined;

  constructor(options: GatherMetricsOptions) {
    this.#options = options;
  }

  /** Takes what a worker said, when it is about metrics. */
  take(worker: Worker, message: MessageToSupervisor): void {
    if (message.kind === 'metrics') this.#asked.get(`${worker.id} ${message.question}`)?.(message.text);
    if (message.kind === 'all-metrics-wanted')
      void this.#all().then((text) =>
        tellWorker(worker, { kind: 'all-metrics', question: message.question, text }),
      );
  }

  /** Those who ask meanwhile share the answer. */
  #all(): Promise<string> {
    this.#gathering ??= this.#gather().finally(() => {
      this.#gathering = undefined;
    });
    return this.#gathering;
  }

  async #gather(): Promise<string> {
    const { metrics, workers } = this.#options;
    const texts = [...workers()].map(async ([label, worker]) => [label, await this.#ask(worker)] as const);
    return mergeMetrics(
      new Map([['supervisor', await metrics.prometheusText()], ...(await Promise.all(texts))]),
    );
  }

  async #ask(worker: Worker): Promise<string> {
    const question = (this.#questions += 1);
    const key = `${worker.id} ${question}`;
    const answer = new Promise<string>((resolve) => this.#asked.set(key, resolve));
    tellWorker(worker, { kind: 'tell-metrics', question });
    try {
      return await withDeadline(answer, ANSWER_WITHIN_MILLISECONDS, 'no metrics in time');
    } catch (error) {
      this.#options.logger.warn(
        { error, pid: worker.process.pid },
        'a worker process did not tell its metrics',
      );
      return '';
    } finally {
      this.#asked.delete(key);
    }
  }
}
