import { openBody } from '../../http/validation/body-schema';
import type { ValueOf } from '../../http/validation/body-schema';
import { tweaksSchema } from './tweaks-schema';

export const runInputsSchema = {
  type: ['array', 'null'],
  maxItems: 1000,
  items: {
    type: 'object',
    'x-model': true,
    additionalProperties: false,
    properties: {
      components: { type: ['array', 'null'], items: { type: 'string' }, default: [] },
      input_value: { type: ['string', 'null'] },
      /** Accepted and ignored, as in Langflow: the body's session is used. */
      session: { type: ['string', 'null'] },
      type: { enum: ['chat', 'text', 'any', null], default: 'any' },
      client_request_time: { 'x-integer': true },
    },
  },
} as const;

/** One input of an advanced run. */
export type RunInputBody = NonNullable<ValueOf<typeof runInputsSchema>>[number];

export const advancedRunBodySchema = openBody('AdvancedRunRequest', {
  inputs: runInputsSchema,
  outputs: { type: ['array', 'null'], items: { type: 'string' } },
  tweaks: tweaksSchema,
  stream: { 'x-flag': true, default: false },
  session_id: { type: ['string', 'null'] },
});

/** Body of `POST /api/v1/run/advanced/{flow}`. */
export type AdvancedRunBody = ValueOf<typeof advancedRunBodySchema>;

/** The members in the order in which they are reported missing for a body that is not an object. */
export const advancedRunMembers = ['inputs', 'outputs', 'tweaks', 'stream', 'session_id'] as const;
