export type MetricAttributes = Readonly<Record<string, string | number | boolean>>;

/** A value, or several ones with their attributes. */
export type MetricValues = number | readonly (readonly [number, MetricAttributes])[];

export interface Counter {
  add(value: number, attributes?: MetricAttributes): void;
}

export interface CounterOptions {
  /**
   * The attributes and the values that they can have. The counter has each combination from the start, with the value 0:
   * for a reader, an increase from nothing to one is none. A further value is possible.
   */
  readonly labels?: Readonly<Record<string, readonly string[]>>;
}

export interface Histogram {
  record(value: number, attributes?: MetricAttributes): void;
}

export interface HistogramOptions {
  /** Unit such as "s" or "By"; becomes part of the exposed name. */
  readonly unit: string;
  /** Upper bounds of the buckets, ascending. */
  readonly boundaries: readonly number[];
}

/**
 * Metrics of a process. Names begin with `millrace_`, except those that every exporter gives to a process; attributes
 * must have few distinct values (never ids).
 */
export interface Metrics {
  counter(name: string, description: string, options?: CounterOptions): Counter;
  histogram(name: string, description: string, options: HistogramOptions): Histogram;
  /** Calls `read` at each collection. */
  gauge(name: string, description: string, read: () => MetricValues): void;
  /** A counter whose total `read` returns at each collection. */
  total(name: string, description: string, read: () => MetricValues): void;
  /** Returns all metrics in Prometheus's text format. */
  prometheusText(): Promise<string>;
  close(): Promise<void>;
}
