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

/** Body of a refusal that has one reason. */
export const refusalSchema = closed({ detail: text });

/** Body of a 422: a text, or what is wrong with the request point by point. */
export const faultsSchema = closed({
  detail: { anyOf: [text, { ...listOf(faultSchema), minItems: 1 }] },
});
