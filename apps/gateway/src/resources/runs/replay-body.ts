import { closedBody } from '../../http/validation/body-schema';
import type { ValueOf } from '../../http/validation/body-schema';

export const replayBodySchema = closedBody(
  'ReplayRequest',
  {
    runs: { type: 'array', minItems: 1, maxItems: 500, items: { type: 'string', format: 'uuid' } },
    /** The version of the flow that the replays run; the current one unless given. */
    version: { enum: ['same', 'current', null] },
  },
  ['runs'],
);

/** Body of `POST /api/v1/runs/replay`. */
export type ReplayBody = ValueOf<typeof replayBodySchema>;
