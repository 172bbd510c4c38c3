import { anyObject, closedObject, flag, listOf, orNull, text, uuid, integer } from './answer-schema';
import type { AnswerSchema } from './answer-schema';

const mapOf = (values: AnswerSchema): AnswerSchema => ({ type: 'object', additionalProperties: values });

/** The result of one vertex. */
const resultDataSchema = closedObject({
  results: anyObject,
  artifacts: anyObject,
  outputs: mapOf(closedObject({ message: {}, type: text })),
  logs: mapOf(listOf({})),
  messages: listOf(anyObject),
  timedelta: orNull({ type: 'number' }),
  duration: orNull(text),
  component_display_name: text,
  component_id: text,
  used_frozen_result: flag,
  token_usage: orNull(
    closedObject({
      input_tokens: orNull(integer),
      output_tokens: orNull(integer),
      total_tokens: orNull(integer),
    }),
  ),
});

/** The response of a run: a list for each input, with a result for each selected vertex. */
export const runAnswerSchema = closedObject({
  session_id: text,
  outputs: listOf(
    closedObject({
      inputs: closedObject({ input_value: text }, ['input_value']),
      outputs: listOf(resultDataSchema),
    }),
  ),
});

/** The response for a run that continues without its caller. */
export const startedRunSchema = closedObject({ message: text, status: text, run_id: uuid });

/** One event of a streamed run. */
export const runEventSchema = closedObject({ event: text, data: anyObject });
