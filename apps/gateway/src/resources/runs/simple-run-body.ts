import type { InputType, OutputType, Tweaks } from '@millrace/flow';
import type { RequestSchema } from '../../http/validation/request-schema';
import { tweaksSchema } from './tweaks-schema';

/** Body of `POST /api/v1/run/{flow}`; unknown members are ignored. */
export interface SimpleRunBody {
  readonly input_value?: string | null;
  readonly input_type?: InputType | null;
  readonly output_type?: OutputType | null;
  readonly output_component?: string | null;
  readonly tweaks?: Tweaks | null;
  readonly session_id?: string | null;
  readonly user_id?: string | null;
}

export const simpleRunBodySchema: RequestSchema = {
  title: 'RunRequest',
  type: 'object',
  'x-model': true,
  properties: {
    input_value: { type: ['string', 'null'] },
    input_type: { enum: ['chat', 'text', 'any', null] },
    output_type: { enum: ['chat', 'text', 'any', 'debug', null] },
    output_component: { type: ['string', 'null'] },
    tweaks: tweaksSchema,
    session_id: { type: ['string', 'null'] },
    user_id: { type: ['string', 'null'] },
  },
};
