import { closedObject, integer, listOf, text, namedObject } from '@millrace/messages';

const usageSchema = closedObject({
  prompt_tokens: integer,
  completion_tokens: integer,
  total_tokens: integer,
});

/** A whole answer in the shape of OpenAI's Chat Completions. */
export const chatAnswerSchema = namedObject(
  'ChatAnswer',
  {
    id: text,
    object: { const: 'chat.completion' },
    created: integer,
    model: text,
    choices: listOf(
      closedObject({
        index: integer,
        message: closedObject({ role: { const: 'assistant' }, content: text, refusal: { type: 'null' } }),
        logprobs: { type: 'null' },
        finish_reason: { const: 'stop' },
      }),
    ),
    usage: usageSchema,
  },
  ['usage'],
);

/** A flow as a model of OpenAI's interface. */
export const modelSchema = namedObject('Model', {
  id: text,
  object: { const: 'model' },
  created: integer,
  owned_by: text,
});
export const modelListSchema = namedObject('ModelList', {
  object: { const: 'list' },
  data: listOf(modelSchema),
});
