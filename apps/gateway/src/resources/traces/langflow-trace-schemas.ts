import {
  anyObject,
  closedObject,
  integer,
  listOf,
  orNull,
  text,
  uuid,
  namedObject,
} from '@millrace/messages';

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
export const langflowTracePageSchema = namedObject('TracePage', {
  traces: listOf(closedObject(langflowTraceMembers)),
  total: integer,
  pages: integer,
});

/** A trace in Langflow's shape. */
export const langflowTraceSchema = namedObject('Trace', {
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
