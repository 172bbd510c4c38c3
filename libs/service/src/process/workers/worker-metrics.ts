import type { Worker } from 'node:cluster';
import type { Logger } from '../../logging/logger';
import type { Metrics } from '../../metrics/metrics';
import { withDeadline } from '../../time/with-deadline';
import { mergeMetrics } from './merge-metrics';
import type { MessageToSupervisor } from './worker-messages';
import { sendToWorker } from './send-to-worker';

const ANSWER_WITHIN_MILLISECONDS = 2_000;

export interface WorkerMetricsOptions {
  /** Metrics of the supervisor. */
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Returns the running workers by the label of their samples. */
  workers(): ReadonlyMap<string, Worker>;
}

/** Requests the metrics of all worker processes; omits one that does not answer in time, and logs that. */
export class WorkerMetrics {
  readonly #options: WorkerMetricsOptions;
  readonly #pendingRequests = new Map<string, (text: string) => void>();
  #requestCount = 0;
  #collecting: Promise<string> | undefined;

  constructor(options: WorkerMetricsOptions) {
    this.#options = options;
  }

  /** Handles a worker's message if it concerns metrics. */
  handleMessage(worker: Worker, message: MessageToSupervisor): void {
    if (message.kind === 'metrics')
      this.#pendingRequests.get(`${worker.id} ${message.question}`)?.(message.text);
    if (message.kind === 'all-metrics-wanted')
      void this.#collectShared().then((text) =>
        sendToWorker(worker, { kind: 'all-metrics', question: message.question, text }),
      );
  }

  /** Concurrent requests share the answer. */
  #collectShared(): Promise<string> {
    this.#collecting ??= this.#collect().finally(() => {
      this.#collecting = undefined;
    });
    return this.#collecting;
  }

  async #collect(): Promise<string> {
    const { metrics, workers } = this.#options;
    const texts = [...workers()].map(
      async ([label, worker]) => [label, await this.#request(worker)] as const,
    );
    return mergeMetrics(
      new Map([['supervisor', await metrics.prometheusText()], ...(await Promise.all(texts))]),
    );
  }

  async #request(worker: Worker): Promise<string> {
    const question = (this.#requestCount += 1);
    const key = `${worker.id} ${question}`;
    const answer = new Promise<string>((resolve) => this.#pendingRequests.set(key, resolve));
    sendToWorker(worker, { kind: 'tell-metrics', question });
    try {
      return await withDeadline(answer, ANSWER_WITHIN_MILLISECONDS, 'no metrics in time');
    } catch (error) {
      this.#options.logger.warn(
        { error, pid: worker.process.pid },
        'a worker process did not report its metrics',
      );
      return '';
    } finally {
      this.#pendingRequests.delete(key);
    }
  }
}
