import { anyObject, closedObject, integer, listOf, orNull, text, uuid } from './answer-schema';

const number = { type: 'number' } as const;

const modelUsageSchema = closedObject({
  provider: text,
  model: text,
  calls: integer,
  input_tokens: integer,
  output_tokens: integer,
  cost_usd: orNull(number),
  unpriced_calls: integer,
});

/** What a run used of models; null when it called none. */
export const runUsageSchema = orNull(
  closedObject({
    model_calls: integer,
    input_tokens: integer,
    output_tokens: integer,
    total_tokens: integer,
    cost_usd: orNull(number),
    unpriced_calls: integer,
    models: listOf(modelUsageSchema),
  }),
);

/** What the vertices of a run did. */
export const runTraceSchema = closedObject({
  run_id: uuid,
  flow_id: uuid,
  session_id: text,
  status: text,
  attempt: integer,
  reason: { enum: ['failed', 'sampled', 'running'] },
  started_at: text,
  milliseconds: number,
  usage: runUsageSchema,
  vertices: listOf(
    closedObject({
      id: text,
      name: text,
      type: text,
      flow_id: uuid,
      state: { enum: ['succeeded', 'failed', 'unfinished', 'running'] },
      executions: integer,
      start_milliseconds: number,
      end_milliseconds: number,
      milliseconds: number,
      longest_milliseconds: number,
      input_bytes: orNull(integer),
      output_bytes: orNull(integer),
      tool_calls: integer,
      models: listOf(modelUsageSchema),
      error: orNull(text),
      inputs: orNull(anyObject),
      outputs: orNull(anyObject),
    }),
  ),
  omitted_executions: integer,
});

const langflowTraceMembers = {
  id: uuid,
  name: text,
  status: { enum: ['unset', 'ok', 'error'] },
  startTime: text,
  totalLatencyMs: integer,
  totalTokens: integer,
  flowId: uuid,
  sessionId: text,
  input: orNull(anyObject),
  output: orNull(anyObject),
};

/** A page of traces in Langflow's shape. */
export const langflowTracePageSchema = closedObject({
  traces: listOf(closedObject(langflowTraceMembers)),
  total: integer,
  pages: integer,
});

/** A trace in Langflow's shape. */
export const langflowTraceSchema = closedObject({
  ...langflowTraceMembers,
  endTime: text,
  spans: listOf(
    closedObject({
      id: uuid,
      name: text,
      type: { enum: ['agent', 'embedding', 'llm', 'chain'] },
      status: { enum: ['unset', 'ok', 'error'] },
      startTime: text,
      endTime: text,
      latencyMs: integer,
      inputs: orNull(anyObject),
      outputs: orNull(anyObject),
      error: orNull(text),
      modelName: orNull(text),
      tokenUsage: closedObject({ promptTokens: integer, completionTokens: integer, totalTokens: integer }),
      children: { ...listOf({}), maxItems: 0 },
    }),
  ),
});
