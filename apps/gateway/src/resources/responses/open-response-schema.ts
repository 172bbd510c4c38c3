import {
  anyObject,
  closedObject,
  flag,
  listOf,
  orNull,
  text,
  integer,
  namedObject,
} from '@millrace/messages';

const messageSchema = namedObject('OpenResponseMessage', {
  type: { const: 'message' },
  id: text,
  status: text,
  role: { const: 'assistant' },
  content: listOf(closedObject({ type: { const: 'output_text' }, text, annotations: listOf({}) })),
});

const functionCallSchema = namedObject(
  'OpenResponseFunctionCall',
  { type: { const: 'function_call' }, id: text, status: text, name: text, arguments: text, error: text },
  ['error'],
);

const toolCallSchema = namedObject(
  'OpenResponseToolCall',
  {
    type: { const: 'tool_call' },
    id: text,
    status: text,
    queries: listOf({}),
    tool_name: text,
    results: {},
    error: text,
  },
  ['error'],
);

const responseSchema = namedObject('OpenResponse', {
  id: text,
  object: { const: 'response' },
  created_at: integer,
  status: text,
  error: { type: 'null' },
  incomplete_details: { type: 'null' },
  instructions: { type: 'null' },
  max_output_tokens: { type: 'null' },
  model: text,
  output: listOf({ anyOf: [messageSchema, functionCallSchema, toolCallSchema] }),
  parallel_tool_calls: flag,
  previous_response_id: orNull(text),
  reasoning: anyObject,
  store: flag,
  temperature: { type: 'number' },
  text: anyObject,
  tool_choice: text,
  tools: listOf({}),
  top_p: { type: 'number' },
  truncation: text,
  usage: orNull(anyObject),
  user: { type: 'null' },
  metadata: anyObject,
});

const failureSchema = namedObject('OpenResponseFailure', {
  error: closedObject({ message: text, type: text, code: text }, ['code']),
});

/** A response in OpenAI's shape, or an error: with status 200, as in Langflow. */
export const openResponseSchema = { anyOf: [responseSchema, failureSchema] };
