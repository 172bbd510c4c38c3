import { closedBody } from '../../http/validation/body-schema';
import type { ValueOf } from '../../http/validation/body-schema';

export const authorCodeDecisionBodySchema = closedBody(
  'AuthorCodeDecision',
  { status: { enum: ['approved', 'refused'] } },
  ['status'],
);

/** Body of `PUT /api/v1/author-code/{sha256}`. */
export type AuthorCodeDecisionBody = ValueOf<typeof authorCodeDecisionBodySchema>;
