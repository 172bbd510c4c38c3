export type MetricAttributes = Readonly<Record<string, string | number | boolean>>;

export interface Counter {
  add(value: number, attributes?: MetricAttributes): void;
}

export interface Histogram {
  record(value: number, attributes?: MetricAttributes): void;
}

export interface HistogramOptions {
  /** Such as "s" or "By"; becomes part of the exposed name. */
  readonly unit: string;
  /** Upper bounds of the buckets, ascending. */
  readonly boundaries: readonly number[];
}

/** Counts what a process does. Names begin with `millrace_`; attributes must have few values (never ids). */
export interface Metrics {
  counter(name: string, description: string): Counter;
  histogram(name: string, description: string, options: HistogramOptions): Histogram;
  /** `read` is called when somebody collects; several values come as pairs with their attributes. */
  gauge(
    name: string,
    description: string,
    read: () => number | readonly (readonly [number, MetricAttributes])[],
  ): void;
  /** Everything so far in Prometheus's text format. */
  prometheusText(): Promise<string>;
  close(): Promise<void>;
}
