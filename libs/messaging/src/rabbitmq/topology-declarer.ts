import { backoff } from '@millrace/service';
import type { Logger } from '@millrace/service';
import type { ChannelModel } from 'amqplib';
import { setTimeout as pause } from 'node:timers/promises';
import { TopologyMismatchError } from '../message-bus-errors';
import type { BindingDefinition, ExchangeDefinition, QueueDefinition, Topology } from '../message-bus';
import { queueOptions } from './queue-options';
import { withTemporaryChannel, replyCodeOf } from './temporary-channel';

const PRECONDITION_FAILED = 406;
const RESOURCE_LOCKED = 405;
const NOT_FOUND = 404;
const DOWN = /is down or inaccessible|node .* down/;
/** After a lost connection the broker needs a moment to release an exclusive queue from its old owner. */
const LOCKED_TRIES = 5;
const MAXIMUM_LOCKED_DELAY_MILLISECONDS = 500;

/** Declares topologies, stores them, and declares them again on a new connection or when parts are missing. */
export class TopologyDeclarer {
  readonly #logger: Logger;
  readonly #exchanges = new Map<string, ExchangeDefinition>();
  readonly #queues = new Map<string, QueueDefinition>();
  readonly #bindings = new Map<string, BindingDefinition>();
  /** Queues whose node is down and was logged as such. */
  readonly #queuesOnDownNodes = new Set<string>();
  /** Queues that are being redeclared. */
  readonly #restoring = new Map<string, Promise<void>>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Returns the definition of a queue that was declared here; undefined for others. */
  definitionOf(name: string): QueueDefinition | undefined {
    return this.#queues.get(name);
  }

  /** Returns the queue for this exchange and routing key, if it was declared here. */
  queueFor(exchange: string, routingKey: string): string | undefined {
    if (exchange === '') return this.#queues.has(routingKey) ? routingKey : undefined;
    for (const binding of this.#bindings.values())
      if (binding.exchange === exchange && binding.routingKey === routingKey) return binding.queue;
    return undefined;
  }

  /**
   * Declares all parts. A part that exists with other properties does not stop the rest; TopologyMismatchError then
   * names each such part, and they are not stored. A queue whose node is down is stored and declared later.
   */
  async declare(model: ChannelModel | null, topology: Topology): Promise<void> {
    const mismatches: TopologyMismatchError[] = [];
    const attempt = async (work: Promise<void>) => {
      await work.catch((error: unknown) => {
        if (!(error instanceof TopologyMismatchError)) throw error;
        mismatches.push(error);
      });
    };
    for (const exchange of topology.exchanges) await attempt(this.#declareExchange(model, exchange));
    const unavailable = new Set<string>();
    const onUnavailable = (name: string) => unavailable.add(name);
    for (const queue of topology.queues) await attempt(this.#declareQueue(model, queue, onUnavailable));
    for (const binding of topology.bindings) {
      if (unavailable.has(binding.queue)) this.#storeBinding(binding);
      else await attempt(this.#bind(model, binding));
    }
    const [first, ...others] = mismatches;
    if (!first) return;
    if (others.length === 0) throw first;
    throw new TopologyMismatchError(mismatches.map(({ message }) => message).join('; '));
  }

  /** Declares the stored topology again. Mismatches are logged: they must not prevent the connection. */
  async restore(model: ChannelModel): Promise<void> {
    await this.#redeclare(model, {
      exchanges: [...this.#exchanges.values()],
      queues: [...this.#queues.values()],
      bindings: [...this.#bindings.values()],
    });
  }

  /** Ensures that a queue still exists, with its bindings, if it was declared here. */
  async ensureQueue(model: ChannelModel | null, name: string): Promise<void> {
    const queue = this.#queues.get(name);
    const queues = queue === undefined ? [] : [queue];
    const bindings = [...this.#bindings.values()].filter((binding) => binding.queue === name);
    await this.#redeclare(model, { exchanges: [], queues, bindings });
  }

  /** Declares the missing queue of a message again. False when it was not declared here. */
  async restoreQueueFor(
    model: ChannelModel | null,
    { exchange, routingKey }: { readonly exchange: string; readonly routingKey: string },
  ): Promise<boolean> {
    const queue = this.queueFor(exchange, routingKey);
    if (queue === undefined) return false;
    await this.#restoreQueue(model, queue);
    return true;
  }

  /** Checks every shared queue and declares missing ones again. */
  async restoreMissing(model: ChannelModel): Promise<void> {
    for (const { name, exclusive } of this.#queues.values()) {
      if (exclusive === true) continue;
      try {
        await withTemporaryChannel(model, `looking for queue "${name}"`, (channel) =>
          channel.checkQueue(name),
        );
      } catch (error) {
        if (replyCodeOf(error) !== NOT_FOUND || isOnNodeThatIsDown(error)) continue;
        await this.#restoreQueue(model, name);
      }
    }
  }

  /** Concurrent calls share one declaration. */
  #restoreQueue(model: ChannelModel | null, name: string): Promise<void> {
    let restoring = this.#restoring.get(name);
    if (!restoring) {
      this.#logger.warn({ queue: name }, 'queue is missing on RabbitMQ; declaring it again');
      restoring = this.ensureQueue(model, name).finally(() => this.#restoring.delete(name));
      this.#restoring.set(name, restoring);
    }
    return restoring;
  }

  async #redeclare(model: ChannelModel | null, topology: Topology): Promise<void> {
    try {
      await this.declare(model, topology);
    } catch (error) {
      if (!(error instanceof TopologyMismatchError)) throw error;
      this.#logger.error({ error }, 'the topology on RabbitMQ differs from what was declared');
    }
  }

  async #declareExchange(model: ChannelModel | null, exchange: ExchangeDefinition): Promise<void> {
    const action = `declaring exchange "${exchange.name}"`;
    await translateRefusal(action, () =>
      withTemporaryChannel(model, action, (channel) =>
        channel.assertExchange(exchange.name, exchange.kind, { durable: true }),
      ),
    );
    this.#exchanges.set(exchange.name, exchange);
  }

  async #declareQueue(
    model: ChannelModel | null,
    queue: QueueDefinition,
    onUnavailable: (name: string) => void,
  ): Promise<void> {
    const action = `declaring queue "${queue.name}"`;
    const declaring = retryWhileLocked(() =>
      withTemporaryChannel(model, action, (channel) => channel.assertQueue(queue.name, queueOptions(queue))),
    ).catch((error: unknown) => {
      if (!isOnNodeThatIsDown(error)) throw error;
      if (!this.#queuesOnDownNodes.has(queue.name))
        this.#logger.warn(
          { error, queue: queue.name },
          'the node of a queue is down; the queue cannot be used now',
        );
      this.#queuesOnDownNodes.add(queue.name);
      onUnavailable(queue.name);
      return null;
    });
    await translateRefusal(action, async () => {
      if ((await declaring) !== null) this.#queuesOnDownNodes.delete(queue.name);
    });
    this.#queues.set(queue.name, queue);
  }

  async #bind(model: ChannelModel | null, binding: BindingDefinition): Promise<void> {
    const { exchange, queue, routingKey } = binding;
    const action = `binding queue "${queue}" to exchange "${exchange}"`;
    await translateRefusal(action, () =>
      withTemporaryChannel(model, action, (channel) => channel.bindQueue(queue, exchange, routingKey)),
    );
    this.#storeBinding(binding);
  }

  #storeBinding(binding: BindingDefinition): void {
    const { exchange, queue, routingKey } = binding;
    this.#bindings.set(JSON.stringify([exchange, queue, routingKey]), binding);
  }
}

/** A classic queue is on one node of a cluster, and RabbitMQ refuses it with this error while that node is down. */
function isOnNodeThatIsDown(error: unknown): boolean {
  return replyCodeOf(error) === NOT_FOUND && error instanceof Error && DOWN.test(error.message);
}

async function translateRefusal(action: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const code = replyCodeOf(error);
    if (code !== PRECONDITION_FAILED && code !== NOT_FOUND) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new TopologyMismatchError(`${action}: ${reason}`, { cause: error });
  }
}

async function retryWhileLocked(work: () => Promise<unknown>): Promise<unknown> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (replyCodeOf(error) !== RESOURCE_LOCKED || attempt >= LOCKED_TRIES) throw error;
      await pause(
        backoff({
          initialMilliseconds: 100,
          maximumMilliseconds: MAXIMUM_LOCKED_DELAY_MILLISECONDS,
          attempt,
        }),
      );
    }
  }
}
