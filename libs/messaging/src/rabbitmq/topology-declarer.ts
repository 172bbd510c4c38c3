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
/** After a cut the broker needs a moment to see that an exclusive queue has lost its owner. */
const LOCKED_TRIES = 5;
const LONGEST_LOCKED_DELAY_MILLISECONDS = 500;

/** Declares topologies, remembers them, and declares them again on a new connection. */
export class TopologyDeclarer {
  readonly #logger: Logger;
  readonly #exchanges = new Map<string, ExchangeDefinition>();
  readonly #queues = new Map<string, QueueDefinition>();
  readonly #bindings = new Map<string, BindingDefinition>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /**
   * Declares all of it. What exists with other properties does not stop the rest; TopologyMismatchError then names
   * each of them, and they are not remembered.
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
    for (const queue of topology.queues) await attempt(this.#declareQueue(model, queue));
    for (const binding of topology.bindings) await attempt(this.#bind(model, binding));
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

  async #declareQueue(model: ChannelModel | null, queue: QueueDefinition): Promise<void> {
    const action = `declaring queue "${queue.name}"`;
    await refusalNamed(action, () =>
      whileLocked(() =>
        onScratchChannel(model, action, (channel) => channel.assertQueue(queue.name, queueOptions(queue))),
      ),
    );
    this.#queues.set(queue.name, queue);
  }

  async #bind(model: ChannelModel | null, binding: BindingDefinition): Promise<void> {
    const { exchange, queue, routingKey } = binding;
    const action = `binding queue "${queue}" to exchange "${exchange}"`;
    await refusalNamed(action, () =>
      onScratchChannel(model, action, (channel) => channel.bindQueue(queue, exchange, routingKey)),
    );
    this.#bindings.set(JSON.stringify([exchange, queue, routingKey]), binding);
  }
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
