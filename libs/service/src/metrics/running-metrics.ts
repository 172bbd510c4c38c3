import type { Counter, MetricAttributes, Histogram, HistogramOptions } from './metrics';
import { machineTime } from '../time/machine-time';

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

/** The values of one set of attributes since `startedAt`, in milliseconds since the epoch. */
export interface Distribution {
  /** Values by bucket; the last bucket has those above all boundaries. */
  readonly counts: Float64Array;
  readonly startedAt: number;
  count: number;
  sum: number;
  minimum: number;
  maximum: number;
}

/** A histogram that counts in plain numbers and is read when metrics are collected. */
export class RunningHistogram implements Histogram {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  readonly boundaries: readonly number[];
  readonly #sets: AttributeSets<Distribution>;

  constructor(name: string, description: string, { unit, boundaries }: HistogramOptions) {
    this.name = name;
    this.description = description;
    this.unit = unit;
    this.boundaries = boundaries;
    this.#sets = new AttributeSets(() => ({
      counts: new Float64Array(boundaries.length + 1),
      startedAt: machineTime(),
      count: 0,
      sum: 0,
      minimum: Infinity,
      maximum: -Infinity,
    }));
  }

  /** Ignores values below zero and those that are no numbers, as OpenTelemetry does. */
  record(value: number, attributes: MetricAttributes = {}): void {
    if (!(value >= 0)) return;
    const distribution = this.#sets.stateOf(attributes);
    const bucket = this.#bucketOf(value);
    distribution.counts[bucket] = (distribution.counts[bucket] ?? 0) + 1;
    distribution.count += 1;
    distribution.sum += value;
    if (value < distribution.minimum) distribution.minimum = value;
    if (value > distribution.maximum) distribution.maximum = value;
  }

  read(): readonly AttributeSet<Distribution>[] {
    return this.#sets.all();
  }

  /** A boundary belongs to the bucket below it. */
  #bucketOf(value: number): number {
    const { boundaries } = this;
    let bucket = 0;
    while (bucket < boundaries.length && value > (boundaries[bucket] as number)) bucket += 1;
    return bucket;
  }
}

/** OpenTelemetry's limit of attribute sets of a metric, and the attribute under which it adds up the others. */
const MAXIMUM_SETS = 2_000;
const OVERFLOW: MetricAttributes = { 'otel.metric.overflow': true };

export interface AttributeSet<State> {
  readonly attributes: MetricAttributes;
  readonly state: State;
}

/** A place in the tree of attributes: each level is a name or a value. */
interface Branch<State> {
  readonly next: Map<string | number | boolean, Branch<State>>;
  set: AttributeSet<State> | null;
}

/**
 * The state of a metric by attributes. OpenTelemetry's own instruments sort and write the attributes at each call, which
 * takes ten times as long as this search.
 */
class AttributeSets<State> {
  readonly #create: () => State;
  /** By names and values, in the order in which they were given. */
  readonly #tree: Branch<State> = { next: new Map(), set: null };
  /** By sorted attributes. */
  readonly #sets = new Map<string, AttributeSet<State>>();

  constructor(create: () => State) {
    this.#create = create;
  }

  /** Returns the state of these attributes, whatever their order; that of all further sets beyond 2,000. */
  stateOf(attributes: MetricAttributes): State {
    let branch: Branch<State> | undefined = this.#tree;
    for (const name in attributes)
      branch = branch?.next.get(name)?.next.get(attributes[name] as string | number | boolean);
    return (branch?.set ?? this.#setOf(attributes)).state;
  }

  all(): readonly AttributeSet<State>[] {
    return [...this.#sets.values()];
  }

  #setOf(attributes: MetricAttributes): AttributeSet<State> {
    const sorted = sortedText(attributes);
    let set = this.#sets.get(sorted);
    // The last set is that of all others.
    if (set === undefined && this.#sets.size >= MAXIMUM_SETS - 1)
      return this.#sets.get(sortedText(OVERFLOW)) ?? this.#addSet(OVERFLOW);
    set ??= this.#addSet(attributes);
    this.#branchOf(attributes).set = set;
    return set;
  }

  #addSet(attributes: MetricAttributes): AttributeSet<State> {
    const set = { attributes: { ...attributes }, state: this.#create() };
    this.#sets.set(sortedText(attributes), set);
    return set;
  }

  #branchOf(attributes: MetricAttributes): Branch<State> {
    let branch = this.#tree;
    for (const level of Object.entries(attributes).flat()) {
      const next = branch.next.get(level) ?? { next: new Map(), set: null };
      branch.next.set(level, next);
      branch = next;
    }
    return branch;
  }
}

function sortedText(attributes: MetricAttributes): string {
  return JSON.stringify(Object.entries(attributes).sort(([one], [other]) => (one < other ? -1 : 1)));
}
