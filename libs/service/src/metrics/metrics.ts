export type MetricAttributes = Readonly<Record<string, string | number | boolean>>;

export interface Counter {
  add(value: number, attributes?: MetricAttributes): void;
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

/** Metrics of a process. Names begin with `millrace_`; attributes must have few distinct values (never ids). */
export interface Metrics {
  counter(name: string, description: string): Counter;
  histogram(name: string, description: string, options: HistogramOptions): Histogram;
  /** Calls `read` at each collection; several values are returned as pairs with their attributes. */
  gauge(
    name: string,
    description: string,
    read: () => number | readonly (readonly [number, MetricAttributes])[],
  ): void;
  /** Returns all metrics in Prometheus's text format. */
  prometheusText(): Promise<string>;
  close(): Promise<void>;
}
