import { openBody } from '../../http/validation/body-schema';
import type { ValueOf } from '../../http/validation/body-schema';

export const responseBodySchema = openBody(
  'OpenResponseRequest',
  {
    /** The flow: its id or endpoint name. */
    model: { type: 'string' },
    input: { type: 'string' },
    stream: { 'x-flag': true, default: false },
    background: { 'x-flag': true, default: false },
    tools: { type: ['array', 'null'] },
    /** The session. */
    previous_response_id: { type: ['string', 'null'] },
    include: { type: ['array', 'null'], items: { type: 'string' } },
  },
  ['model', 'input'],
);

/** Body of `POST /api/v1/responses`; members of OpenAI without a meaning here are ignored. */
export type ResponseBody = ValueOf<typeof responseBodySchema>;
