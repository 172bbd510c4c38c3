import { anyObject, closed, flag, listOf, orNull, text, uuid, whole } from './answer-schema';
import type { AnswerSchema } from './answer-schema';

const mapOf = (values: AnswerSchema): AnswerSchema => ({ type: 'object', additionalProperties: values });

/** What one vertex gave. */
const resultDataSchema = closed({
  results: anyObject,
  artifacts: anyObject,
  outputs: mapOf(closed({ message: {}, type: text })),
  logs: mapOf(listOf({})),
  messages: listOf(anyObject),
  timedelta: orNull({ type: 'number' }),
  duration: orNull(text),
  component_display_name: text,
  component_id: text,
  used_frozen_result: flag,
  token_usage: orNull(
    closed({ input_tokens: orNull(whole), output_tokens: orNull(whole), total_tokens: orNull(whole) }),
  ),
});

/** The whole answer of a run: a list for each input, a result for each selected vertex. */
export const runAnswerSchema = closed({
  session_id: text,
  outputs: listOf(
    closed({ inputs: closed({ input_value: text }, ['input_value']), outputs: listOf(resultDataSchema) }),
  ),
});

/** What is answered when a run goes on without its caller. */
export const startedRunSchema = closed({ message: text, status: text, run_id: uuid });

/** What Slack's `url_verification` is answered with. */
export const webhookChallengeSchema = closed({ challenge: text });

/** One event of a streamed run. */
export const runEventSchema = closed({ event: text, data: anyObject });
