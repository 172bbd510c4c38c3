import type { ModelUsage, RunUsage } from '@millrace/runs';
import type { Counter, Metrics } from '@millrace/service';
import { FlowSeries } from './flow-series';

/** Further models are counted together. */
const MAXIMUM_MODELS = 20;
const OTHERS = 'other';

/** One answer of a model. */
interface AnsweredCall {
  readonly provider: string;
  readonly model: string;
  /** Null when the provider does not report tokens. */
  readonly tokens: { readonly input: number; readonly output: number } | null;
  /** In US dollars; null when it is not known. */
  readonly cost: number | null;
}

type Totals = { -readonly [Member in keyof ModelUsage]: ModelUsage[Member] };

/** Adds up the answers of models. */
export class UsageTotals {
  readonly #byModel = new Map<string, Totals>();

  add({ provider, model, tokens, cost }: AnsweredCall): void {
    const totals = this.#totalsOf(provider, model);
    totals.calls += 1;
    totals.inputTokens += tokens?.input ?? 0;
    totals.outputTokens += tokens?.output ?? 0;
    totals.cost = addCost(totals.cost, cost);
    if (cost === null) totals.unpricedCalls += 1;
  }

  /** Returns the sums; null when no model answered. */
  sum(): RunUsage | null {
    const models = [...this.#byModel.values()];
    if (models.length === 0) return null;
    return {
      calls: models.reduce((sum, { calls }) => sum + calls, 0),
      inputTokens: models.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
      outputTokens: models.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
      cost: models.reduce<number | null>((sum, { cost }) => addCost(sum, cost), null),
      unpricedCalls: models.reduce((sum, { unpricedCalls }) => sum + unpricedCalls, 0),
      models,
    };
  }

  #totalsOf(provider: string, model: string): Totals {
    const key = `${provider}\n${model}`;
    const known = this.#byModel.get(key);
    if (known) return known;
    if (this.#byModel.size >= MAXIMUM_MODELS && key !== `\n${OTHERS}`) return this.#totalsOf('', OTHERS);
    const totals = {
      provider,
      model,
      calls: 0,
      inputTokens: 0,
      outputTokens: 0,
      cost: null,
      unpricedCalls: 0,
    };
    this.#byModel.set(key, totals);
    return totals;
  }
}

/** Returns the sum of what the attempts of a run used. */
export function addUsage(earlier: RunUsage, usage: RunUsage): RunUsage {
  const models = new Map<string, ModelUsage>();
  for (const model of [...earlier.models, ...usage.models]) {
    const key = `${model.provider}\n${model.model}`;
    models.set(key, addModel(models.get(key), model));
  }
  return {
    calls: earlier.calls + usage.calls,
    inputTokens: earlier.inputTokens + usage.inputTokens,
    outputTokens: earlier.outputTokens + usage.outputTokens,
    cost: addCost(earlier.cost, usage.cost),
    unpricedCalls: earlier.unpricedCalls + usage.unpricedCalls,
    models: [...models.values()].slice(0, MAXIMUM_MODELS + 1),
  };
}

function addModel(one: ModelUsage | undefined, other: ModelUsage): ModelUsage {
  if (one === undefined) return other;
  return {
    ...other,
    calls: one.calls + other.calls,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cost: addCost(one.cost, other.cost),
    unpricedCalls: one.unpricedCalls + other.unpricedCalls,
  };
}

/** Adds in steps of a millionth of a cent, so that sums have no binary fractions. */
function addCost(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.round((one + other) * 1e8) / 1e8;
}

/** No flow and no model is known at the start. */
const BY_MODEL = { labels: { flow_id: [], provider: [], model: [] } };

/** Counts what attempts use of models, by flow and model. */
export class UsageMetrics {
  readonly #calls: Counter;
  readonly #tokens: Counter;
  readonly #cost: Counter;
  readonly #unpriced: Counter;
  readonly #series = new FlowSeries();

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
      const series = { flow_id: this.#series.labelOf(flowId, model), provider, model };
      this.#calls.add(calls, series);
      this.#tokens.add(inputTokens, { ...series, direction: 'input' });
      this.#tokens.add(outputTokens, { ...series, direction: 'output' });
      if (cost !== null) this.#cost.add(cost, series);
      if (unpricedCalls > 0) this.#unpriced.add(unpricedCalls, series);
    }
  }
}
