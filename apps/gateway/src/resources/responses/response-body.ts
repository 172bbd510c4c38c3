import type { RequestSchema } from '../../http/validation/request-schema';

/** Body of `POST /api/v1/responses`; members of OpenAI without a meaning here are ignored. */
export interface ResponseBody {
  /** The flow: its id or endpoint name. */
  readonly model: string;
  readonly input: string;
  readonly stream?: boolean | string | number;
  readonly background?: boolean | string | number;
  readonly tools?: readonly unknown[] | null;
  /** The session. */
  readonly previous_response_id?: string | null;
  readonly include?: readonly string[] | null;
}

export const responseBodySchema: RequestSchema = {
  title: 'OpenResponseRequest',
  type: 'object',
  'x-model': true,
  required: ['model', 'input'],
  properties: {
    model: { type: 'string' },
    input: { type: 'string' },
    stream: { 'x-flag': true, default: false },
    background: { 'x-flag': true, default: false },
    tools: { type: ['array', 'null'] },
    previous_response_id: { type: ['string', 'null'] },
    include: { type: ['array', 'null'], items: { type: 'string' } },
  },
};
