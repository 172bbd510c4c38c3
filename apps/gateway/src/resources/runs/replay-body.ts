import type { RequestSchema } from '../../http/validation/request-schema';

/** Body of `POST /api/v1/runs/replay`. */
export interface ReplayBody {
  readonly runs: readonly string[];
  /** The version of the flow that the replays run; the current one unless given. */
  readonly version?: 'same' | 'current' | null;
}

export const replayBodySchema: RequestSchema = {
  title: 'ReplayRequest',
  type: 'object',
  'x-model': true,
  additionalProperties: false,
  required: ['runs'],
  properties: {
    runs: { type: 'array', minItems: 1, maxItems: 500, items: { type: 'string', format: 'uuid' } },
    version: { enum: ['same', 'current', null] },
  },
};
