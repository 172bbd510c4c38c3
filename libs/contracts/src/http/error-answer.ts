import { closed, listOf, text } from './answer-schema';

/** One fault of a request, as FastAPI's clients read it. */
const faultSchema = closed(
  {
    type: text,
    loc: listOf({ type: ['string', 'integer'] }),
    msg: text,
    input: {},
    ctx: { type: 'object' },
  },
  ['ctx'],
);

/** A refusal of `/api/v2/workflows`, with a code in Langflow's words. */
const explainedSchema = {
  type: 'object',
  properties: { error: text, code: text, message: text },
  required: ['error', 'code', 'message'],
} as const;

/** Body of a refusal that has one reason. */
export const refusalSchema = closed({ detail: { anyOf: [text, explainedSchema] } });

/** Body of a 422: a text, or what is wrong with the request point by point. */
export const faultsSchema = closed({
  detail: { anyOf: [text, explainedSchema, { ...listOf(faultSchema), minItems: 1 }] },
});
