import { FLOW_HEADER, flowEventsTopology } from '@millrace/messages';
import type { BrokerNames, FlowEvent } from '@millrace/messages';
import { HttpError } from '@millrace/http';
import type { Consumer, Delivery, MessageBus } from '@millrace/messaging';
import type { FlowReference } from '@millrace/runs';
import { SharedPlaces } from '@millrace/service';
import type { Logger } from '@millrace/service';
import type { ControlChannel } from '../../runs/control-channel';

/** Executors drop a watcher after three missed renewals. */
const RENEWAL_MILLISECONDS = 10_000;
const MAXIMUM_WATCHERS = 1_000;
const MAXIMUM_WATCHERS_OF_USER = 250;
const PREFETCH = 200;

/** Receives the events of a flow's background runs. */
export interface Watcher {
  event(event: FlowEvent): void;
  /** Ends the watcher because this gateway stops. */
  end(): void;
}

export interface FlowWatchOptions {
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  readonly instance: string;
  readonly logger: Logger;
  readonly control: Pick<ControlChannel, 'send'>;
}

/** Delivers the events of flows' background runs from all executors to the watchers at this gateway. */
export class FlowWatch {
  readonly #options: FlowWatchOptions;
  readonly #watchers = new Map<string, Set<Watcher>>();
  readonly #places = new SharedPlaces({ maximum: MAXIMUM_WATCHERS });
  #isEnded = false;
  #opening: Promise<Consumer> | null = null;
  #renewal: NodeJS.Timeout | undefined;

  constructor(options: FlowWatchOptions) {
    this.#options = options;
  }

  /**
   * Registers a watcher and announces it to the executors; events of later runs are delivered. Resolves to a function
   * that removes the watcher. Rejects with too_many_runs, shutting_down, or the broker's errors.
   */
  async watch(
    { id: flowId, userId }: Pick<FlowReference, 'id' | 'userId'>,
    watcher: Watcher,
  ): Promise<() => void> {
    if (this.#isEnded) throw tryAgain('shutting_down', 'The gateway is shutting down.');
    const freePlace = this.#places.take({ [userId]: MAXIMUM_WATCHERS_OF_USER });
    if (freePlace === null)
      throw tryAgain('too_many_runs', 'Too many watched flows at this gateway. Try again soon.');
    const watchers = this.#watchers.get(flowId) ?? new Set();
    this.#watchers.set(flowId, watchers.add(watcher));
    const leave = () => {
      if (!watchers.delete(watcher)) return;
      freePlace();
      if (watchers.size === 0 && this.#watchers.get(flowId) === watchers) this.#watchers.delete(flowId);
    };
    try {
      await this.#open();
      await this.#announce(flowId);
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  /** Ends all watchers and accepts no more, since their streams have no end and would delay the shutdown. */
  end(): void {
    this.#isEnded = true;
    clearInterval(this.#renewal);
    for (const watchers of this.#watchers.values()) for (const watcher of watchers) watcher.end();
  }

  async close(): Promise<void> {
    this.end();
    await (await this.#opening?.catch(() => null))?.close();
  }

  /** Declares the queue for the first watcher, since most gateways never have one. */
  async #open(): Promise<void> {
    this.#opening ??= this.#consume();
    try {
      await this.#opening;
    } catch (error) {
      this.#opening = null;
      throw error;
    }
    if (this.#isEnded) return;
    this.#renewal ??= setInterval(() => {
      for (const flowId of this.#watchers.keys()) void this.#announce(flowId);
    }, RENEWAL_MILLISECONDS);
  }

  async #consume(): Promise<Consumer> {
    const { bus, names, instance } = this.#options;
    await bus.provision(flowEventsTopology(names, instance));
    return bus.consume(names.flowEvents(instance), { prefetch: PREFETCH, noAck: true }, async (delivery) => {
      this.#receive(delivery);
      return 'done';
    });
  }

  #announce(flowId: string): Promise<void> {
    const { names, instance, control } = this.#options;
    return control.send({ kind: 'watch-flow', flowId, replyTo: names.flowEvents(instance) });
  }

  #receive({ headers, body }: Delivery): void {
    const watchers = this.#watchers.get(String(headers[FLOW_HEADER]));
    if (!watchers) return;
    try {
      const event = JSON.parse(body.toString()) as FlowEvent;
      for (const watcher of watchers) watcher.event(event);
    } catch (error) {
      this.#options.logger.error({ error }, 'an event of a watched flow could not be read');
    }
  }
}

function tryAgain(code: 'shutting_down' | 'too_many_runs', text: string): HttpError {
  return new HttpError(code, text, { headers: { 'retry-after': '1' } });
}
