import { anyObject, closedObject, integer, listOf, orNull, text, uuid, named } from '@millrace/messages';
import { modelUsageSchema, runUsageSchema } from '../runs/run-usage-schema';

const number = { type: 'number' } as const;

/** What the vertices of a run did. */
export const runTraceSchema = named(
  'RunTrace',
  closedObject({
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
  }),
);
