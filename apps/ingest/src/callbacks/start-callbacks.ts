import type { CallbackStore } from '@millrace/runs';
import type { Logger, Metrics, OutgoingFetch } from '@millrace/service';
import type { WebhookSecrets } from '../intake/webhooks/signatures/webhook-secrets';
import type { ExternalBroker } from '@millrace/messaging';
import type { BrokerUrls } from '../intake/queues/broker-urls';
import { BrokerPublishers } from './broker-publishers';
import { CallbackSender } from './callback-sender';

export interface CallbackDependencies {
  readonly callbacks: CallbackStore;
  readonly secrets: WebhookSecrets;
  /** Reaches public addresses and the allowed ones. */
  readonly fetch: OutgoingFetch;
  readonly urls: BrokerUrls;
  /** Opens a connection to a user's broker. */
  readonly openBroker: (url: string, connectionName: string) => Promise<ExternalBroker>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** How many callbacks are under way to one receiver, and how long it has to answer. */
  readonly limits: Readonly<Record<'callbackConcurrency' | 'callbackTimeoutMilliseconds', number>>;
  readonly callbackIntervalMilliseconds?: number;
}

/** Starts sending callbacks. */
export function startCallbacks(dependencies: CallbackDependencies): { close(): Promise<void> } {
  const { metrics, callbacks, secrets, fetch, logger, urls, openBroker, limits } = dependencies;
  const attempts = metrics.counter('millrace_callback_attempts_total', 'Attempts of callbacks, by outcome', {
    labels: { outcome: ['delivered', 'failed'] },
  });
  const dead = metrics.counter('millrace_callbacks_dead_total', 'Callbacks that were given up');
  const unpublished = metrics.counter(
    'millrace_queue_publishes_failed_total',
    'Attempts of callbacks to exchanges that failed',
  );
  const timeoutMilliseconds = limits.callbackTimeoutMilliseconds;
  const brokers = new BrokerPublishers({
    urls,
    openBroker,
    timeoutMilliseconds,
    onFailure: () => unpublished.add(1),
  });
  const sender = new CallbackSender({
    callbacks,
    secrets,
    fetch,
    brokers,
    logger,
    concurrency: limits.callbackConcurrency,
    timeoutMilliseconds,
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
  return {
    async close() {
      await sender.close();
      await brokers.close();
    },
  };
}
