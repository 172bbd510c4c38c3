import cluster from 'node:cluster';
import type { Metrics } from '../../metrics/metrics';
import { withDeadline } from '../../time/with-deadline';
import { tellSupervisor } from './worker-messages';
import type { MessageToWorker } from './worker-messages';

/** Longer than a supervisor waits for its workers. */
const ANSWER_WITHIN_MILLISECONDS = 4_000;

/**
 * The metrics of a process, which is asked for those of all workers when it is one of several that share a port: then
 * the text is that of all of them, each sample with a label `worker`. Elsewhere the metrics as they are.
 */
export function shareMetrics(metrics: Metrics): Metrics {
  if (!cluster.isWorker) return metrics;
  const asked = new Map<number, (text: string) => void>();
  let questions = 0;
  process.on('message', (message: MessageToWorker) => {
    if (message.kind === 'all-metrics') asked.get(message.question)?.(message.text);
    if (message.kind === 'tell-metrics') void tell(metrics, message.question);
  });
  return {
    ...metrics,
    async prometheusText() {
      const question = (questions += 1);
      const answer = new Promise<string>((resolve) => asked.set(question, resolve));
      tellSupervisor({ kind: 'all-metrics-wanted', question });
      try {
        return await withDeadline(answer, ANSWER_WITHIN_MILLISECONDS, 'the supervisor did not answer');
      } catch {
        // Without a supervisor this process is the last one, and goes soon.
        return metrics.prometheusText();
      } finally {
        asked.delete(question);
      }
    },
  };
}

async function tell(metrics: Metrics, question: number): Promise<void> {
  const text = await metrics.prometheusText().catch(() => '');
  tellSupervisor({ kind: 'metrics', question, text });
}
