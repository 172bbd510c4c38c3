import type { RequestSchema } from '../../http/validation/request-schema';

/** Body of `PUT /api/v1/author-code/{sha256}`. */
export interface AuthorCodeDecisionBody {
  readonly status: 'approved' | 'refused';
}

export const authorCodeDecisionBodySchema: RequestSchema = {
  title: 'AuthorCodeDecision',
  type: 'object',
  'x-model': true,
  additionalProperties: false,
  required: ['status'],
  properties: { status: { enum: ['approved', 'refused'] } },
};
