import type { RunUsage } from '@millrace/runs';

/** Returns what a run used of models, as answers have it. */
export function usageView(usage: RunUsage | null): Record<string, unknown> | null {
  if (usage === null) return null;
  return {
    model_calls: usage.calls,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    cost_usd: usage.cost,
    unpriced_calls: usage.unpricedCalls,
    models: usage.models.map(modelUsageView),
  };
}

export function modelUsageView(usage: RunUsage['models'][number]): Record<string, unknown> {
  return {
    provider: usage.provider,
    model: usage.model,
    calls: usage.calls,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cost_usd: usage.cost,
    unpriced_calls: usage.unpricedCalls,
  };
}
