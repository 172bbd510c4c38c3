import { FLOW_HEADER } from '@millrace/contracts';
import type { FlowEvent } from '@millrace/contracts';
import { UnroutableError } from '@millrace/messaging';
import type { MessageBus } from '@millrace/messaging';
import type { Logger } from '@millrace/service';

/** Gateways say three times as often that they still watch. */
const WATCHED_MILLISECONDS = 30_000;
const MAXIMUM_WATCHES = 10_000;
const MAXIMUM_SENDING = 1_000;
/** A watcher need not see everything: what is larger is for those who read the run's record. */
const LARGEST_EVENT_BYTES = 262_144;

/** Tells those who watch a flow what happens to one of its runs. */
export type RunReport = (event: FlowEvent['event'], data: FlowEvent['data']) => void;

export interface WatchedFlowsOptions {
  readonly bus: MessageBus;
  readonly logger: Logger;
}

/** Which flows somebody watches, at which gateway. Runs of all other flows pay one look into a map. */
export class WatchedFlows {
  readonly #options: WatchedFlowsOptions;
  /** By flow: until when each gateway's queue is to be told, in milliseconds since the epoch. */
  readonly #watches = new Map<string, Map<string, number>>();
  #sending = 0;

  constructor(options: WatchedFlowsOptions) {
    this.#options = options;
  }

  /** A gateway watches a flow, or still does. */
  watch({ flowId, replyTo }: { readonly flowId: string; readonly replyTo: string }, now = Date.now()): void {
    if (!this.#watches.has(flowId)) this.#makeRoom(now);
    const gateways = this.#watches.get(flowId) ?? new Map<string, number>();
    gateways.set(replyTo, now + WATCHED_MILLISECONDS);
    this.#watches.set(flowId, gateways);
  }

  /** Null when nobody watches the flow. */
  report(flowId: string, runId: string): RunReport | null {
    if (this.#watching(flowId, Date.now()).length === 0) return null;
    return (event, data) => {
      const body = Buffer.from(JSON.stringify({ event, data: { ...data, run_id: runId } }));
      for (const replyTo of this.#watching(flowId, Date.now())) void this.#send(flowId, runId, replyTo, body);
    };
  }

  #watching(flowId: string, now: number): readonly string[] {
    const gateways = this.#watches.get(flowId);
    if (!gateways) return [];
    for (const [replyTo, until] of gateways) if (until <= now) gateways.delete(replyTo);
    if (gateways.size === 0) this.#watches.delete(flowId);
    return [...gateways.keys()];
  }

  /** Never rejects: nobody waits for what is only shown. */
  async #send(flowId: string, runId: string, replyTo: string, body: Buffer): Promise<void> {
    const { bus, logger } = this.#options;
    if (body.length > LARGEST_EVENT_BYTES || this.#sending >= MAXIMUM_SENDING) {
      logger.debug({ flowId, runId, bytes: body.length }, 'an event of a watched flow was left out');
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
      else logger.warn({ error, flowId, runId }, 'who watches a flow was not told of a run');
    } finally {
      this.#sending -= 1;
    }
  }

  #makeRoom(now: number): void {
    if (this.#watches.size < MAXIMUM_WATCHES) return;
    for (const flowId of [...this.#watches.keys()]) this.#watching(flowId, now);
    const [oldest] = this.#watches.keys();
    if (this.#watches.size >= MAXIMUM_WATCHES && oldest !== undefined) this.#watches.delete(oldest);
  }
}
