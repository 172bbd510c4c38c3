import type { RequestSchema } from '../../http/validation/request-schema';

/** Body of `POST /api/v1/erasures`: a session, or all sessions of an end user. */
export interface ErasureBody {
  readonly session_id?: string | null;
  /** The sessions whose ids are `<end user>::<session>`. */
  readonly end_user_id?: string | null;
}

export const erasureBodySchema: RequestSchema = {
  title: 'ErasureRequest',
  type: 'object',
  'x-model': true,
  additionalProperties: false,
  properties: {
    session_id: { type: ['string', 'null'], maxLength: 10_000 },
    end_user_id: { type: ['string', 'null'], maxLength: 1_000 },
  },
};
