import { FLOW_HEADER } from '@millrace/messages';
import type { FlowEvent } from '@millrace/messages';
import { UnroutableError } from '@millrace/messaging';
import type { MessageBus } from '@millrace/messaging';
import { machineTime } from '@millrace/service';
import type { Logger } from '@millrace/service';

/** Gateways renew a watch three times within this period. */
const WATCHED_MILLISECONDS = 30_000;
const MAXIMUM_WATCHES = 10_000;
const MAXIMUM_SENDING = 1_000;
/** Larger events are not sent to watchers; they can read the run's record. */
const MAXIMUM_EVENT_BYTES = 262_144;

/** Reports an event of a run to the watchers of its flow. */
export type RunReport = (event: FlowEvent['event'], data: FlowEvent['data']) => void;

export interface WatchedFlowsOptions {
  readonly bus: MessageBus;
  readonly logger: Logger;
}

/** The watched flows and the gateways that watch them. Runs of other flows cost one map lookup. */
export class WatchedFlows {
  readonly #options: WatchedFlowsOptions;
  /** By flow: the expiry of the watch of each gateway's queue, in milliseconds since the epoch. */
  readonly #watches = new Map<string, Map<string, number>>();
  #sending = 0;

  constructor(options: WatchedFlowsOptions) {
    this.#options = options;
  }

  /** Adds or renews the watch of a gateway. */
  watch(
    { flowId, replyTo }: { readonly flowId: string; readonly replyTo: string },
    now = machineTime(),
  ): void {
    if (!this.#watches.has(flowId)) this.#evictOldest(now);
    const gateways = this.#watches.get(flowId) ?? new Map<string, number>();
    gateways.set(replyTo, now + WATCHED_MILLISECONDS);
    this.#watches.set(flowId, gateways);
  }

  /** Returns null when no gateway watches the flow. */
  report(flowId: string, runId: string): RunReport | null {
    if (this.#watching(flowId, machineTime()).length === 0) return null;
    return (event, data) => {
      const body = Buffer.from(JSON.stringify({ event, data: { ...data, run_id: runId } }));
      for (const replyTo of this.#watching(flowId, machineTime()))
        void this.#send(flowId, runId, replyTo, body);
    };
  }

  #watching(flowId: string, now: number): readonly string[] {
    const gateways = this.#watches.get(flowId);
    if (!gateways) return [];
    for (const [replyTo, until] of gateways) if (until <= now) gateways.delete(replyTo);
    if (gateways.size === 0) this.#watches.delete(flowId);
    return [...gateways.keys()];
  }

  /** Sends an event. Never rejects, because no run depends on its watchers. */
  async #send(flowId: string, runId: string, replyTo: string, body: Buffer): Promise<void> {
    const { bus, logger } = this.#options;
    if (body.length > MAXIMUM_EVENT_BYTES || this.#sending >= MAXIMUM_SENDING) {
      logger.debug({ flowId, runId, bytes: body.length }, 'event of a watched flow dropped');
      return;
    }
    this.#sending += 1;
    try {
      await bus.publish({
        exchange: '',
        routingKey: replyTo,
        body,
        persistent: false,
        mandatory: true,
        correlationId: runId,
        type: 'flow-event',
        headers: { [FLOW_HEADER]: flowId },
      });
    } catch (error) {
      if (error instanceof UnroutableError) this.#watches.get(flowId)?.delete(replyTo);
      else logger.warn({ error, flowId, runId }, 'could not notify a flow watcher');
    } finally {
      this.#sending -= 1;
    }
  }

  #evictOldest(now: number): void {
    if (this.#watches.size < MAXIMUM_WATCHES) return;
    for (const flowId of [...this.#watches.keys()]) this.#watching(flowId, now);
    const [oldest] = this.#watches.keys();
    if (this.#watches.size >= MAXIMUM_WATCHES && oldest !== undefined) this.#watches.delete(oldest);
  }
}
