import { closedBody } from '../../http/validation/body-schema';
import type { ValueOf } from '../../http/validation/body-schema';

export const erasureBodySchema = closedBody('ErasureRequest', {
  session_id: { type: ['string', 'null'], maxLength: 10_000 },
  /** The sessions whose ids are `<end user>::<session>`. */
  end_user_id: { type: ['string', 'null'], maxLength: 1_000 },
});

/** Body of `POST /api/v1/erasures`: a session, or all sessions of an end user. */
export type ErasureBody = ValueOf<typeof erasureBodySchema>;
