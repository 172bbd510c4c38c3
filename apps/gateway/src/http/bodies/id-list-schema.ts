import type { RequestSchema } from '../validation/request-schema';

/** A body of ids, such as that of `POST /api/v1/flows/download/` and `DELETE /api/v1/flows/`. */
export const idListSchema: RequestSchema = {
  type: 'array',
  maxItems: 1000,
  items: { type: 'string', format: 'uuid' },
};
