import { AttributeSets } from './attribute-sets';
import type { AttributeSet } from './attribute-sets';
import type { Histogram, HistogramOptions, MetricAttributes } from './metrics';
import { machineTime } from '../time/machine-time';

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
