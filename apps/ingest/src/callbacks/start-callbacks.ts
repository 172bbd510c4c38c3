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
  /** Refuses private addresses, unless MILLRACE_OUTGOING_ALLOW has them. */
  readonly fetch: OutgoingFetch;
  /** Finds the URL of a user's broker, which is in a variable of the user. */
  readonly urls: BrokerUrls;
  /** Opens a connection to a user's broker. */
  readonly openBroker: (url: string, connectionName: string) => Promise<ExternalBroker>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The maximum number of concurrent attempts to deliver to one receiver, and the timeout of each attempt. */
  readonly limits: Readonly<Record<'callbackConcurrency' | 'callbackTimeoutMilliseconds', number>>;
  /** The interval at which the sender reads due callbacks; one second unless given. */
  readonly callbackIntervalMilliseconds?: number;
}

/**
 * Registers the metrics of callbacks and starts the sender, which delivers due reports about the end of runs. `close`
 * aborts the attempts in flight; another ingest process, or this one after its next start, repeats them.
 */
export function startCallbacks(dependencies: CallbackDependencies): { close(): Promise<void> } {
  const { metrics, callbacks, secrets, fetch, logger, urls, openBroker, limits } = dependencies;
  const attempts = metrics.counter(
    'millrace_callback_attempts_total',
    'Attempts to deliver a callback, by outcome',
    {
      labels: { outcome: ['delivered', 'failed'] },
    },
  );
  const deadCallbacks = metrics.counter(
    'millrace_callbacks_dead_total',
    'Callbacks that are not retried any more',
  );
  const failedPublishes = metrics.counter(
    'millrace_queue_publishes_failed_total',
    'Failed attempts to publish a callback to an exchange',
  );
  const timeoutMilliseconds = limits.callbackTimeoutMilliseconds;
  const publishers = new BrokerPublishers({
    urls,
    openBroker,
    timeoutMilliseconds,
    onFailure: () => failedPublishes.add(1),
  });
  const sender = new CallbackSender({
    callbacks,
    secrets,
    fetch,
    brokers: publishers,
    logger,
    concurrency: limits.callbackConcurrency,
    timeoutMilliseconds,
    intervalMilliseconds: dependencies.callbackIntervalMilliseconds,
    onAttempt: (outcome) => attempts.add(1, { outcome }),
    onDead: (count) => deadCallbacks.add(count),
  });
  metrics.gauge(
    'millrace_callbacks_pending',
    'Callbacks that are not delivered yet; each ingest process has the same value',
    () => sender.count.pending,
  );
  metrics.gauge(
    'millrace_callbacks_oldest_seconds',
    'Age of the oldest callback that is not delivered yet, 0 if there is none; each ingest process has the same value',
    () => sender.count.oldestSeconds,
  );
  metrics.gauge(
    'millrace_callback_circuits_open',
    'Receivers with an open circuit breaker: this process pauses their callbacks',
    () => sender.openCircuits,
  );
  sender.start();
  return {
    async close() {
      await sender.close();
      await publishers.close();
    },
  };
}
