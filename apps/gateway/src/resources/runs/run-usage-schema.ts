import { integer, listOf, orNull, text, namedObject } from '@millrace/messages';

const number = { type: 'number' } as const;

/** What a run used of one model. */
export const modelUsageSchema = namedObject('ModelUsage', {
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
  namedObject('RunUsage', {
    model_calls: integer,
    input_tokens: integer,
    output_tokens: integer,
    total_tokens: integer,
    cost_usd: orNull(number),
    unpriced_calls: integer,
    models: listOf(modelUsageSchema),
  }),
);
