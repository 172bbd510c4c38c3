import type { Metrics, Counter } from '@millrace/service';
import type {
  BusState,
  ConsumeOptions,
  Consumer,
  DeliveryHandler,
  MessageBus,
  OutgoingMessage,
  QueueState,
  QueueStatus,
  Topology,
  Verdict,
} from './message-bus';

const OUTCOMES = ['confirmed', 'unroutable', 'refused', 'unconfirmed', 'bus_unavailable', 'failed'];
const STATES: readonly BusState[] = ['connected', 'blocked', 'disconnected', 'unreachable', 'closed'];

/** Wraps a bus and counts its publishes, verdicts and state changes. */
export class MeasuredBus implements MessageBus {
  readonly #bus: MessageBus;
  readonly #published: Tally;
  readonly #settled: Tally;
  readonly #stateChanges: Tally;
  readonly #countPublished = () => this.#published.count('confirmed');
  readonly #countFailed = (error: unknown) => this.#published.count(codeOf(error));

  constructor(bus: MessageBus, metrics: Metrics) {
    this.#bus = bus;
    this.#published = new Tally(
      metrics.counter('millrace_bus_publishes', 'Messages published, by outcome', {
        labels: { outcome: OUTCOMES },
      }),
      'outcome',
    );
    this.#settled = new Tally(
      metrics.counter('millrace_bus_deliveries', 'Deliveries, by verdict', {
        labels: { verdict: ['done', 'retry', 'discard', 'failed'] },
      }),
      'verdict',
    );
    this.#stateChanges = new Tally(
      metrics.counter('millrace_bus_state_changes', 'Changes of the state of the bus, by new state', {
        labels: { state: STATES },
      }),
      'state',
    );
    metrics.gauge('millrace_bus_connected', '1 while messages can be published and consumed', () =>
      bus.state === 'connected' ? 1 : 0,
    );
    metrics.gauge('millrace_lane_consumers', '1 while this process consumes from the queue', () =>
      bus
        .queueStates()
        .filter(({ isConsuming }) => isConsuming !== null)
        .map(({ queue, isConsuming }) => [isConsuming ? 1 : 0, { queue }] as const),
    );
    metrics.gauge('millrace_lane_problems', '1 while the queue cannot be used by this process', () =>
      bus.queueStates().map(({ queue, problem }) => [problem === null ? 0 : 1, { queue }] as const),
    );
    bus.onStateChange((state) => this.#stateChanges.count(state));
  }

  get state(): BusState {
    return this.#bus.state;
  }

  provision(topology: Topology): Promise<void> {
    return this.#bus.provision(topology);
  }

  publish(message: OutgoingMessage): Promise<void> {
    const published = this.#bus.publish(message);
    published.then(this.#countPublished, this.#countFailed);
    return published;
  }

  consume(queue: string, options: ConsumeOptions, handler: DeliveryHandler): Promise<Consumer> {
    const countVerdict = (verdict: Verdict) => this.#settled.count(verdict);
    const countFailure = () => this.#settled.count('failed');
    return this.#bus.consume(queue, options, (delivery) => {
      const handled = handler(delivery);
      handled.then(countVerdict, countFailure);
      return handled;
    });
  }

  queueStatus(queue: string): Promise<QueueStatus | null> {
    return this.#bus.queueStatus(queue);
  }

  queueStates(): readonly QueueState[] {
    return this.#bus.queueStates();
  }

  onStateChange(listener: (state: BusState) => void): () => void {
    return this.#bus.onStateChange(listener);
  }

  async close(): Promise<void> {
    await this.#bus.close();
    for (const tally of [this.#published, this.#settled, this.#stateChanges]) tally.flush();
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'failed';
}

const FLUSH_INTERVAL_MILLISECONDS = 500;

/** Counts in plain numbers and updates the metric twice a second: looking up attributes per message is too costly. */
class Tally {
  readonly #counter: Counter;
  readonly #attribute: string;
  readonly #counts = new Map<string, number>();
  #isFlushDue = false;

  constructor(counter: Counter, attribute: string) {
    this.#counter = counter;
    this.#attribute = attribute;
  }

  count(value: string): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    setTimeout(() => this.flush(), FLUSH_INTERVAL_MILLISECONDS).unref();
  }

  flush(): void {
    this.#isFlushDue = false;
    for (const [value, count] of this.#counts) this.#counter.add(count, { [this.#attribute]: value });
    this.#counts.clear();
  }
}
