import { closedObject, listOf, text } from './answer-schema';

/** One validation error of a request, in FastAPI's shape. */
const faultSchema = closedObject(
  {
    type: text,
    loc: listOf({ type: ['string', 'integer'] }),
    msg: text,
    input: {},
    ctx: { type: 'object' },
  },
  ['ctx'],
);

/** An error of `/api/v2/workflows`, with Langflow's codes. */
const explainedSchema = {
  type: 'object',
  properties: { error: text, code: text, message: text },
  required: ['error', 'code', 'message'],
} as const;

/** Body of an error with one reason. */
export const refusalSchema = closedObject({ detail: { anyOf: [text, explainedSchema] } });

/** Body of a 422: a text, or a list of validation errors. */
export const faultsSchema = closedObject({
  detail: { anyOf: [text, explainedSchema, { ...listOf(faultSchema), minItems: 1 }] },
});
