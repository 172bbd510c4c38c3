import type { RequestSchema } from '../../http/validation/request-schema';

/** Body of `DELETE /api/v1/monitor/messages/sessions`: ids of sessions, 500 at most. */
export const sessionListSchema: RequestSchema = { type: 'array', items: { type: 'string' } };
