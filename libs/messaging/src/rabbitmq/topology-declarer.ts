import type { Logger } from '@millrace/service';
import type { ChannelModel } from 'amqplib';
import { setTimeout as pause } from 'node:timers/promises';
import { backoffMilliseconds } from '../backoff';
import { TopologyMismatchError } from '../message-bus-errors';
import type { BindingDefinition, ExchangeDefinition, QueueDefinition, Topology } from '../message-bus';
import { queueOptions } from './queue-options';
import { onScratchChannel, replyCodeOf } from './scratch-channel';

const PRECONDITION_FAILED = 406;
const RESOURCE_LOCKED = 405;
const NOT_FOUND = 404;
const DOWN = /is down or inaccessible|node .* down/;
/** After a cut the broker needs a moment to see that an exclusive queue has lost its owner. */
const LOCKED_TRIES = 5;
const LONGEST_LOCKED_DELAY_MILLISECONDS = 500;

/** Declares topologies, remembers them, and declares them again on a new connection or when they are missing. */
export class TopologyDeclarer {
  readonly #logger: Logger;
  readonly #exchanges = new Map<string, ExchangeDefinition>();
  readonly #queues = new Map<string, QueueDefinition>();
  readonly #bindings = new Map<string, BindingDefinition>();
  /** Queues whose node is down, as the log says. */
  readonly #away = new Set<string>();
  /** Queues that are being declared again. */
  readonly #restoring = new Map<string, Promise<void>>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** The definition of a queue that was declared here; undefined for others. */
  definitionOf(name: string): QueueDefinition | undefined {
    return this.#queues.get(name);
  }

  /** The queue that takes messages of this kind, if it was declared here. */
  queueFor(exchange: string, routingKey: string): string | undefined {
    if (exchange === '') return this.#queues.has(routingKey) ? routingKey : undefined;
    for (const binding of this.#bindings.values())
      if (binding.exchange === exchange && binding.routingKey === routingKey) return binding.queue;
    return undefined;
  }

  /**
   * Declares all of it. What exists with other properties does not stop the rest; TopologyMismatchError then names
   * each of them, and they are not remembered. A queue whose node is down is remembered and declared later.
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
    const away = new Set<string>();
    const onAway = (name: string) => away.add(name);
    for (const queue of topology.queues) await attempt(this.#declareQueue(model, queue, onAway));
    for (const binding of topology.bindings) {
      if (away.has(binding.queue)) this.#remember(binding);
      else await attempt(this.#bind(model, binding));
    }
    const [first, ...others] = mismatches;
    if (!first) return;
    if (others.length === 0) throw first;
    throw new TopologyMismatchError(mismatches.map(({ message }) => message).join('; '));
  }

  /** Declares again what was declared before. Mismatches are logged: they are no reason to stay away. */
  async restore(model: ChannelModel): Promise<void> {
    await this.#redeclare(model, {
      exchanges: [...this.#exchanges.values()],
      queues: [...this.#queues.values()],
      bindings: [...this.#bindings.values()],
    });
  }

  /** Makes sure that a queue which was declared before is still there, with its bindings. */
  async ensureQueue(model: ChannelModel | null, name: string): Promise<void> {
    const queue = this.#queues.get(name);
    if (!queue) return;
    const bindings = [...this.#bindings.values()].filter((binding) => binding.queue === name);
    await this.#redeclare(model, { exchanges: [], queues: [queue], bindings });
  }

  /** Declares a queue again that a message did not find. False when it was not declared here. */
  async restoreQueueFor(
    model: ChannelModel | null,
    { exchange, routingKey }: { readonly exchange: string; readonly routingKey: string },
  ): Promise<boolean> {
    const queue = this.queueFor(exchange, routingKey);
    if (queue === undefined) return false;
    await this.#restoreQueue(model, queue);
    return true;
  }

  /** Looks for every shared queue and declares those again that are missing. */
  async restoreMissing(model: ChannelModel): Promise<void> {
    for (const { name, exclusive } of this.#queues.values()) {
      if (exclusive === true) continue;
      try {
        await onScratchChannel(model, `looking for queue "${name}"`, (channel) => channel.checkQueue(name));
      } catch (error) {
        if (replyCodeOf(error) !== NOT_FOUND || isOnNodeThatIsDown(error)) continue;
        await this.#restoreQueue(model, name);
      }
    }
  }

  /** Those who ask at the same time share one declaration. */
  #restoreQueue(model: ChannelModel | null, name: string): Promise<void> {
    let restoring = this.#restoring.get(name);
    if (!restoring) {
      this.#logger.warn({ queue: name }, 'a queue is missing on RabbitMQ; declaring it again');
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
      this.#logger.error({ error }, 'the topology on RabbitMQ is not what was declared before');
    }
  }

  async #declareExchange(model: ChannelModel | null, exchange: ExchangeDefinition): Promise<void> {
    const action = `declaring exchange "${exchange.name}"`;
    await refusalNamed(action, () =>
      onScratchChannel(model, action, (channel) =>
        channel.assertExchange(exchange.name, exchange.kind, { durable: true }),
      ),
    );
    this.#exchanges.set(exchange.name, exchange);
  }

  async #declareQueue(
    model: ChannelModel | null,
    queue: QueueDefinition,
    onAway: (name: string) => void,
  ): Promise<void> {
    const action = `declaring queue "${queue.name}"`;
    const declaring = whileLocked(() =>
      onScratchChannel(model, action, (channel) => channel.assertQueue(queue.name, queueOptions(queue))),
    ).catch((error: unknown) => {
      if (!isOnNodeThatIsDown(error)) throw error;
      if (!this.#away.has(queue.name))
        this.#logger.warn({ error, queue: queue.name }, 'the node of a queue is down; it cannot be used now');
      this.#away.add(queue.name);
      onAway(queue.name);
      return null;
    });
    await refusalNamed(action, async () => {
      if ((await declaring) !== null) this.#away.delete(queue.name);
    });
    this.#queues.set(queue.name, queue);
  }

  async #bind(model: ChannelModel | null, binding: BindingDefinition): Promise<void> {
    const { exchange, queue, routingKey } = binding;
    const action = `binding queue "${queue}" to exchange "${exchange}"`;
    await refusalNamed(action, () =>
      onScratchChannel(model, action, (channel) => channel.bindQueue(queue, exchange, routingKey)),
    );
    this.#remember(binding);
  }

  #remember(binding: BindingDefinition): void {
    const { exchange, queue, routingKey } = binding;
    this.#bindings.set(JSON.stringify([exchange, queue, routingKey]), binding);
  }
}

/** A classic queue lives on one node of a cluster and is refused so while that node is down. */
function isOnNodeThatIsDown(error: unknown): boolean {
  return replyCodeOf(error) === NOT_FOUND && error instanceof Error && DOWN.test(error.message);
}

async function refusalNamed(action: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const code = replyCodeOf(error);
    if (code !== PRECONDITION_FAILED && code !== NOT_FOUND) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new TopologyMismatchError(`${action}: ${reason}`, { cause: error });
  }
}

async function whileLocked(work: () => Promise<unknown>): Promise<unknown> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (replyCodeOf(error) !== RESOURCE_LOCKED || attempt >= LOCKED_TRIES) throw error;
      await pause(backoffMilliseconds(attempt, LONGEST_LOCKED_DELAY_MILLISECONDS));
    }
  }
}
