import type { IncomingMessage } from 'node:http';
import { clientAddresses } from '@millrace/http';
import type { HttpError } from '@millrace/http';
import type { FlowReference, RefusedDelivery, RefusedDeliveryStore } from '@millrace/runs';
import { machineTime } from '@millrace/service';
import type { Counter, Logger, Metrics } from '@millrace/service';

const INTERVAL_MILLISECONDS = 1_000;
/** Groups of one interval; further ones are left out. */
const MAXIMUM_GROUPS = 200;
const MAXIMUM_GROUPS_PER_FLOW = 10;
const MAXIMUM_TEXT = 500;

type Group = Omit<RefusedDelivery, 'id'>;
type Refusal = Pick<HttpError, 'code' | 'status' | 'message'>;

export interface RefusedDeliveriesOptions {
  readonly store: Pick<RefusedDeliveryStore, 'add'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * Stores which deliveries the webhook and the triggers of a flow refused, for its owner: without bodies, and equal ones of a second as one row,
 * so that a flood of them costs a few rows a second. Those of the last second are lost when the process crashes.
 */
export class RefusedDeliveries {
  readonly #options: RefusedDeliveriesOptions;
  readonly #omitted: Counter;
  #groups = new Map<string, Group>();
  #perFlow = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<void> = Promise.resolve();

  constructor(options: RefusedDeliveriesOptions) {
    this.#options = options;
    this.#omitted = options.metrics.counter(
      'millrace_refused_deliveries_omitted_total',
      'Refused webhooks that were not stored for the owner of the flow: too many at a time, or the database failed',
    );
  }

  /**
   * Counts a delivery to the flow that `find` resolves to, if there is one. What was refused because of an outage is not the
   * sender's mistake and is left out. Never rejects.
   */
  async add(
    find: () => Promise<FlowReference | null>,
    refusal: Refusal,
    request: IncomingMessage,
    requestId: string | null,
  ): Promise<void> {
    if (refusal.status >= 500) return;
    const { clientAddress } = clientAddresses(request);
    const flow = await find().catch(() => null);
    if (flow) this.#count(flow.id, refusal, { requestId, clientAddress });
  }

  #count(
    flowId: string,
    { code, status, message }: Refusal,
    last: Pick<Group, 'requestId' | 'clientAddress'>,
  ): void {
    const reason = message.slice(0, MAXIMUM_TEXT);
    const key = JSON.stringify([flowId, code, reason]);
    const group = this.#groups.get(key);
    const ofFlow = this.#perFlow.get(flowId) ?? 0;
    if (group === undefined && (this.#groups.size >= MAXIMUM_GROUPS || ofFlow >= MAXIMUM_GROUPS_PER_FLOW))
      return this.#omitted.add(1);
    if (group === undefined) this.#perFlow.set(flowId, ofFlow + 1);
    const [refusedAt, count] = [new Date(machineTime()), (group?.count ?? 0) + 1];
    this.#groups.set(key, { flowId, refusedAt, count, code, status, reason, ...last });
    this.#timer ??= setTimeout(() => this.#flush(), INTERVAL_MILLISECONDS);
  }

  /** Stores what has been counted. */
  close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#flush();
    return this.#storing;
  }

  #flush(): void {
    const groups = [...this.#groups.values()];
    this.#groups = new Map();
    this.#perFlow = new Map();
    this.#timer = undefined;
    this.#storing = this.#storing.then(() => this.#store(groups));
  }

  async #store(groups: readonly Group[]): Promise<void> {
    const { store, logger } = this.#options;
    try {
      await store.add(groups);
    } catch (error) {
      this.#omitted.add(groups.reduce((sum, { count }) => sum + count, 0));
      logger.warn({ error }, 'refused deliveries could not be stored for the owners of their flows');
    }
  }
}
