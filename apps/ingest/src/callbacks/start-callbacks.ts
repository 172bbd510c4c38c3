import type { CallbackStore } from '@millrace/runs';
import type { Logger, Metrics, OutgoingFetch } from '@millrace/service';
import type { WebhookSecrets } from '../signatures/webhook-secrets';
import { CallbackSender } from './callback-sender';

const DEFAULT_CONCURRENCY = 16;
const DEFAULT_TIMEOUT_MILLISECONDS = 15_000;

export interface CallbackDependencies {
  readonly callbacks: CallbackStore;
  readonly secrets: WebhookSecrets;
  /** Reaches public addresses and the allowed ones. */
  readonly fetch: OutgoingFetch;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly callbackConcurrency?: number;
  readonly callbackTimeoutMilliseconds?: number;
  readonly callbackIntervalMilliseconds?: number;
}

/** Starts sending callbacks. */
export function startCallbacks(dependencies: CallbackDependencies): CallbackSender {
  const { metrics, callbacks, secrets, fetch, logger } = dependencies;
  const attempts = metrics.counter('millrace_callback_attempts_total', 'Attempts of callbacks, by outcome', {
    labels: { outcome: ['delivered', 'failed'] },
  });
  const dead = metrics.counter('millrace_callbacks_dead_total', 'Callbacks that were given up');
  const sender = new CallbackSender({
    ...{ callbacks, secrets, fetch, logger },
    concurrency: dependencies.callbackConcurrency ?? DEFAULT_CONCURRENCY,
    timeoutMilliseconds: dependencies.callbackTimeoutMilliseconds ?? DEFAULT_TIMEOUT_MILLISECONDS,
    intervalMilliseconds: dependencies.callbackIntervalMilliseconds,
    onAttempt: (outcome) => attempts.add(1, { outcome }),
    onDead: (count) => dead.add(count),
  });
  metrics.gauge(
    'millrace_callbacks_pending',
    'Callbacks that are not delivered yet; each ingest process has the same value',
    () => sender.count.pending,
  );
  metrics.gauge(
    'millrace_callbacks_oldest_seconds',
    'Age of the oldest callback that is not delivered yet; 0 without one; each ingest process has the same value',
    () => sender.count.oldestSeconds,
  );
  metrics.gauge(
    'millrace_callback_circuits_open',
    'Receivers to which this process sends no callbacks for now',
    () => sender.openCircuits,
  );
  sender.start();
  return sender;
}
