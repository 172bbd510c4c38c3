import { AttributeSets } from './attribute-sets';
import type { Counter, MetricAttributes } from './metrics';

/** A counter that adds in plain numbers and is read when metrics are collected. */
export class RunningTotals implements Counter {
  readonly #sets = new AttributeSets(() => ({ total: 0 }));

  add(value: number, attributes: MetricAttributes = {}): void {
    this.#sets.stateOf(attributes).total += value;
  }

  /** Returns the total of each set of attributes. */
  read(): [number, MetricAttributes][] {
    return this.#sets.all().map(({ state, attributes }) => [state.total, attributes]);
  }
}
