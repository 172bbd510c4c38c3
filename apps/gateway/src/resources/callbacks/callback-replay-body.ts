import { closedBody } from '../../http/validation/body-schema';
import type { ValueOf } from '../../http/validation/body-schema';

const MAXIMUM_IDS = 1_000;

export const callbackReplayBodySchema = closedBody(
  'CallbackReplay',
  {
    callbacks: {
      type: 'array',
      minItems: 1,
      maxItems: MAXIMUM_IDS,
      items: { type: 'string', format: 'uuid' },
    },
  },
  ['callbacks'],
);

/** Body of `POST /api/v1/callbacks/replay`. */
export type CallbackReplayBody = ValueOf<typeof callbackReplayBodySchema>;
