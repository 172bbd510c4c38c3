import type { InputType, Tweaks } from '@millrace/flow';
import type { RequestSchema } from '../../http/validation/request-schema';
import { tweaksSchema } from './tweaks-schema';

/** One input of an advanced run. */
export interface RunInputBody {
  readonly components?: readonly string[] | null;
  readonly input_value?: string | null;
  /** Accepted and ignored, as in Langflow: the body's session is used. */
  readonly session?: string | null;
  readonly type?: InputType | null;
  readonly client_request_time?: number | string | boolean | null;
}

/** Body of `POST /api/v1/run/advanced/{flow}`. */
export interface AdvancedRunBody {
  readonly inputs?: readonly RunInputBody[] | null;
  readonly outputs?: readonly string[] | null;
  readonly tweaks?: Tweaks | null;
  readonly stream?: boolean | string | number;
  readonly session_id?: string | null;
}

export const runInputsSchema: RequestSchema = {
  type: ['array', 'null'],
  maxItems: 1000,
  items: {
    type: 'object',
    'x-model': true,
    additionalProperties: false,
    properties: {
      components: { type: ['array', 'null'], items: { type: 'string' }, default: [] },
      input_value: { type: ['string', 'null'] },
      session: { type: ['string', 'null'] },
      type: { enum: ['chat', 'text', 'any', null], default: 'any' },
      client_request_time: { 'x-integer': true },
    },
  },
};

export const advancedRunBodySchema: RequestSchema = {
  title: 'AdvancedRunRequest',
  type: 'object',
  'x-model': true,
  properties: {
    inputs: runInputsSchema,
    outputs: { type: ['array', 'null'], items: { type: 'string' } },
    tweaks: tweaksSchema,
    stream: { 'x-flag': true, default: false },
    session_id: { type: ['string', 'null'] },
  },
};

/** The members in the order in which they are reported missing for a body that is not an object. */
export const advancedRunMembers = ['inputs', 'outputs', 'tweaks', 'stream', 'session_id'] as const;
