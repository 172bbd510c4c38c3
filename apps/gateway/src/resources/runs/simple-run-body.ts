import { openBody } from '../../http/validation/body-schema';
import type { ValueOf } from '../../http/validation/body-schema';
import { tweaksSchema } from './tweaks-schema';

export const simpleRunBodySchema = openBody('RunRequest', {
  input_value: { type: ['string', 'null'] },
  input_type: { enum: ['chat', 'text', 'any', null] },
  output_type: { enum: ['chat', 'text', 'any', 'debug', null] },
  output_component: { type: ['string', 'null'] },
  tweaks: tweaksSchema,
  session_id: { type: ['string', 'null'] },
  user_id: { type: ['string', 'null'] },
});

/** Body of `POST /api/v1/run/{flow}`; unknown members are ignored. */
export type SimpleRunBody = ValueOf<typeof simpleRunBodySchema>;
