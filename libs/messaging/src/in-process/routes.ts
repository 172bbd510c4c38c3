import { TopologyMismatchError, UnroutableError } from '../message-bus-errors';
import type { BindingDefinition, ExchangeDefinition } from '../message-bus';

/** Exchanges and bindings, which determine the queues of a message. */
export class Routes {
  readonly #exchanges = new Map<string, ExchangeDefinition>();
  /** Exchange name, then routing key ('' for a fanout), to queue names. */
  readonly #bindings = new Map<string, Map<string, Set<string>>>();

  declareExchange(definition: ExchangeDefinition): void {
    const existing = this.#exchanges.get(definition.name);
    if (existing && existing.kind !== definition.kind) {
      throw new TopologyMismatchError(
        `exchange "${definition.name}" is ${existing.kind}, not ${definition.kind}`,
      );
    }
    this.#exchanges.set(definition.name, definition);
  }

  bind({ exchange, queue, routingKey }: BindingDefinition): void {
    const definition = this.#exchanges.get(exchange);
    if (!definition) {
      throw new TopologyMismatchError(
        `queue "${queue}" is bound to exchange "${exchange}", which is missing`,
      );
    }
    const keys = this.#bindings.get(exchange) ?? new Map<string, Set<string>>();
    const key = definition.kind === 'fanout' ? '' : routingKey;
    keys.set(key, (keys.get(key) ?? new Set()).add(queue));
    this.#bindings.set(exchange, keys);
  }

  /** Returns queue names; not for the default exchange ''. Throws UnroutableError for an unknown exchange. */
  queuesFor(exchange: string, routingKey: string): ReadonlySet<string> {
    const definition = this.#exchanges.get(exchange);
    if (!definition) throw new UnroutableError(`there is no exchange "${exchange}"`);
    return this.#bindings.get(exchange)?.get(definition.kind === 'fanout' ? '' : routingKey) ?? NO_QUEUES;
  }
}

const NO_QUEUES: ReadonlySet<string> = new Set();
