/** Further combinations are counted as this flow. */
const OTHERS = 'other';
const MAXIMUM_SERIES = 1_000;

/** Bounds how many flows a metric names. */
export class FlowSeries {
  readonly #series = new Set<string>();

  /** Returns the flow as the value of a label; `detail` is the value of a further label that multiplies the series. */
  labelOf(flowId: string, detail = ''): string {
    const key = `${flowId} ${detail}`;
    if (this.#series.has(key)) return flowId;
    if (this.#series.size >= MAXIMUM_SERIES) return OTHERS;
    this.#series.add(key);
    return flowId;
  }
}
