import type { Tweaks } from '@millrace/flow';
import type { RequestSchema } from '../../http/validation/request-schema';

/** Body of `POST /api/v2/workflows`; unknown members are rejected. */
export interface WorkflowBody {
  readonly flow_id: string;
  readonly input_value?: string;
  readonly tweaks?: Tweaks;
  readonly session_id?: string | null;
  readonly mode?: 'sync' | 'stream' | 'background';
  readonly stream_protocol?: string;
  readonly expose_graph_state?: boolean | null;
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly files?: readonly string[] | null;
  readonly start_component_id?: string | null;
  readonly stop_component_id?: string | null;
  readonly output_ids?: readonly string[] | null;
  readonly globals?: Readonly<Record<string, string>>;
  readonly idempotency_key?: string | null;
}

export const workflowBodySchema: RequestSchema = {
  title: 'WorkflowRequest',
  type: 'object',
  'x-model': true,
  additionalProperties: false,
  required: ['flow_id'],
  properties: {
    flow_id: { type: 'string' },
    input_value: { type: 'string', default: '' },
    tweaks: { type: 'object' },
    session_id: { type: ['string', 'null'] },
    mode: { enum: ['sync', 'stream', 'background'], 'x-enum': true, default: 'sync' },
    stream_protocol: { type: 'string', default: 'langflow', 'x-public': { enum: ['langflow', 'agui'] } },
    expose_graph_state: { type: ['boolean', 'null'] },
    data: { type: ['object', 'null'] },
    files: { type: ['array', 'null'], items: { type: 'string' } },
    start_component_id: { type: ['string', 'null'] },
    stop_component_id: { type: ['string', 'null'] },
    output_ids: { type: ['array', 'null'], items: { type: 'string' } },
    globals: { type: 'object', additionalProperties: { type: 'string' } },
    idempotency_key: { type: ['string', 'null'], maxLength: 255 },
  },
};

/** Body of `POST /api/v2/workflows/stop`. */
export interface WorkflowStopBody {
  readonly job_id: string;
}

export const workflowStopBodySchema: RequestSchema = {
  title: 'WorkflowStop',
  type: 'object',
  'x-model': true,
  required: ['job_id'],
  properties: {
    job_id: { type: 'string', format: 'uuid', 'x-error-text': 'Invalid job_id, must be a UUID' },
  },
};

/** Body of `POST /api/v2/workflows/{job_id}/resume`. */
export interface WorkflowResumeBody {
  readonly request_id: string;
  readonly decision?: Readonly<Record<string, unknown>> | null;
}

export const workflowResumeBodySchema: RequestSchema = {
  title: 'WorkflowResume',
  type: 'object',
  'x-model': true,
  required: ['request_id'],
  additionalProperties: false,
  properties: {
    request_id: { type: 'string' },
    // A member that is misspelled could approve calls that a person did not name.
    decision: {
      type: ['object', 'null'],
      additionalProperties: false,
      properties: { action_id: {}, values: {}, calls: {} },
    },
  },
};
