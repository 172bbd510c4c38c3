import type { RequestSchema } from '../../http/validation/request-schema';

const MAXIMUM_IDS = 1_000;

/** Body of `POST /api/v1/callbacks/replay`. */
export interface CallbackReplayBody {
  readonly callbacks: readonly string[];
}

export const callbackReplayBodySchema: RequestSchema = {
  title: 'CallbackReplay',
  type: 'object',
  'x-model': true,
  required: ['callbacks'],
  additionalProperties: false,
  properties: {
    callbacks: {
      type: 'array',
      minItems: 1,
      maxItems: MAXIMUM_IDS,
      items: { type: 'string', format: 'uuid' },
    },
  },
};
