import { anyObject, closedObject, flag, listOf, orNull, text, integer, namedObject } from './json-schema';
import type { JsonSchema } from './json-schema';

const mapOf = (values: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: values });

/** The result of one vertex. */
const resultDataSchema = namedObject('ResultData', {
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
export const runAnswerSchema = namedObject('RunAnswer', {
  session_id: text,
  outputs: listOf(
    closedObject({
      inputs: closedObject({ input_value: text }, ['input_value']),
      outputs: listOf(resultDataSchema),
    }),
  ),
});
