import type { Tweaks } from '@millrace/flow';
import type { RequestSchema } from './request-schema';

/** Body of `POST /api/v2/workflows`; unknown members are refused. */
export interface WorkflowBody {
  readonly flow_id: string;
  readonly input_value?: string | null;
  readonly tweaks?: Tweaks | null;
  readonly session_id?: string | null;
  readonly mode?: 'sync' | 'stream' | 'background';
  readonly stream_protocol?: 'langflow' | 'agui';
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly files?: readonly string[] | null;
  readonly start_component_id?: string | null;
  readonly stop_component_id?: string | null;
  readonly output_ids?: readonly string[] | null;
  readonly globals?: Readonly<Record<string, string>> | null;
  readonly idempotency_key?: string | null;
}

export const workflowBodySchema: RequestSchema = {
  type: 'object',
  'x-model': true,
  additionalProperties: false,
  required: ['flow_id'],
  properties: {
    flow_id: { type: 'string', format: 'uuid' },
    input_value: { type: ['string', 'null'] },
    tweaks: { type: ['object', 'null'] },
    session_id: { type: ['string', 'null'] },
    mode: { enum: ['sync', 'stream', 'background'], 'x-enum': true },
    stream_protocol: { enum: ['langflow', 'agui'], 'x-enum': true },
    data: { type: ['object', 'null'] },
    files: { type: ['array', 'null'], items: { type: 'string' } },
    start_component_id: { type: ['string', 'null'] },
    stop_component_id: { type: ['string', 'null'] },
    output_ids: { type: ['array', 'null'], items: { type: 'string' } },
    globals: { type: ['object', 'null'], additionalProperties: { type: 'string' } },
    idempotency_key: { type: ['string', 'null'], maxLength: 255 },
  },
};

/** Body of `POST /api/v2/workflows/stop`. */
export interface WorkflowStopBody {
  readonly job_id: string;
}

export const workflowStopBodySchema: RequestSchema = {
  type: 'object',
  'x-model': true,
  required: ['job_id'],
  properties: { job_id: { type: 'string', format: 'uuid' } },
};
