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
import { modelUsageSchema, runUsageSchema } from '../runs/run-usage-schema';

const number = { type: 'number' } as const;

const tracedMessage = closedObject({
  role: { enum: ['system', 'user', 'assistant', 'tool'] },
  content: text,
  tool_calls: listOf(closedObject({ name: text, arguments: text })),
});

/** A call of a model or a tool by a vertex. */
const callSchema = closedObject({
  kind: { enum: ['model', 'tool'] },
  name: text,
  provider: orNull(text),
  state: { enum: ['succeeded', 'failed', 'unfinished', 'running'] },
  start_milliseconds: number,
  end_milliseconds: number,
  input_tokens: orNull(integer),
  output_tokens: orNull(integer),
  cost_usd: orNull(number),
  error: orNull(text),
  earlier_messages: integer,
  messages: orNull(listOf(tracedMessage)),
  answer: orNull(tracedMessage),
  arguments: {},
  result: orNull(text),
});

/** What the vertices of a run did. */
export const runTraceSchema = namedObject('RunTrace', {
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
      calls: listOf(callSchema),
      error: orNull(text),
      inputs: orNull(anyObject),
      outputs: orNull(anyObject),
    }),
  ),
  omitted_executions: integer,
});
