import cluster from 'node:cluster';
import type { Metrics } from '../../metrics/metrics';
import { withDeadline } from '../../time/with-deadline';
import { sendToSupervisor } from './worker-messages';
import type { MessageToWorker } from './worker-messages';

/** Longer than the supervisor's timeout for its workers. */
const ANSWER_WITHIN_MILLISECONDS = 4_000;

/**
 * Wraps the metrics of a process. In a worker process that shares a port with others, the text contains the metrics of
 * all workers, each sample with a label `worker`. Elsewhere returns the metrics unchanged.
 */
export function shareMetrics(metrics: Metrics): Metrics {
  if (!cluster.isWorker) return metrics;
  const pendingRequests = new Map<number, (text: string) => void>();
  let requestCount = 0;
  process.on('message', (message: MessageToWorker) => {
    if (message.kind === 'all-metrics') pendingRequests.get(message.question)?.(message.text);
    if (message.kind === 'tell-metrics') void sendMetrics(metrics, message.question);
  });
  return {
    ...metrics,
    async prometheusText() {
      const question = (requestCount += 1);
      const answer = new Promise<string>((resolve) => pendingRequests.set(question, resolve));
      sendToSupervisor({ kind: 'all-metrics-wanted', question });
      try {
        return await withDeadline(answer, ANSWER_WITHIN_MILLISECONDS, 'the supervisor did not answer');
      } catch {
        // Without a supervisor this process reports only its own metrics; it stops soon.
        return metrics.prometheusText();
      } finally {
        pendingRequests.delete(question);
      }
    },
  };
}

async function sendMetrics(metrics: Metrics, question: number): Promise<void> {
  const text = await metrics.prometheusText().catch(() => '');
  sendToSupervisor({ kind: 'metrics', question, text });
}
