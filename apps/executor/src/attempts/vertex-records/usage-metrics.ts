import type { RunUsage } from '@millrace/runs';
import type { Counter, Metrics } from '@millrace/service';

/** No flow and no model is known at the start. */
const BY_MODEL = { labels: { flow_id: [], provider: [], model: [] } };

/** Further combinations of flow and model are counted as flow `other`. */
const MAXIMUM_SERIES = 1_000;
const OTHERS = 'other';

/** Counts what attempts use of models, by flow and model. */
export class UsageMetrics {
  readonly #calls: Counter;
  readonly #tokens: Counter;
  readonly #cost: Counter;
  readonly #unpriced: Counter;
  readonly #series = new Set<string>();

  constructor(metrics: Metrics) {
    this.#calls = metrics.counter(
      'millrace_model_calls_total',
      'Calls that models answered, by flow and model',
      BY_MODEL,
    );
    this.#tokens = metrics.counter(
      'millrace_model_tokens_total',
      'Tokens of model calls, by flow, model and direction (input, output)',
      BY_MODEL,
    );
    this.#cost = metrics.counter(
      'millrace_model_cost_dollars_total',
      'Cost of model calls whose price is known, in US dollars, by flow and model',
      BY_MODEL,
    );
    this.#unpriced = metrics.counter(
      'millrace_model_unpriced_calls_total',
      'Calls of models without a known price or a report of tokens, by flow and model',
      BY_MODEL,
    );
  }

  /** Counts one attempt; its calls were paid for, whatever becomes of the attempt. */
  count(flowId: string, { models }: RunUsage): void {
    for (const { provider, model, calls, inputTokens, outputTokens, cost, unpricedCalls } of models) {
      const series = { flow_id: this.#flowOf(flowId, model), provider, model };
      this.#calls.add(calls, series);
      this.#tokens.add(inputTokens, { ...series, direction: 'input' });
      this.#tokens.add(outputTokens, { ...series, direction: 'output' });
      if (cost !== null) this.#cost.add(cost, series);
      if (unpricedCalls > 0) this.#unpriced.add(unpricedCalls, series);
    }
  }

  #flowOf(flowId: string, model: string): string {
    const key = `${flowId} ${model}`;
    if (this.#series.has(key)) return flowId;
    if (this.#series.size >= MAXIMUM_SERIES) return OTHERS;
    this.#series.add(key);
    return flowId;
  }
}
