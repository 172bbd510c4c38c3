import { closedBody, openBody } from '../../http/validation/body-schema';
import type { ValueOf } from '../../http/validation/body-schema';

export const workflowBodySchema = closedBody(
  'WorkflowRequest',
  {
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
  ['flow_id'],
);

/** Body of `POST /api/v2/workflows`; unknown members are rejected. */
export type WorkflowBody = ValueOf<typeof workflowBodySchema>;

export const workflowStopBodySchema = openBody(
  'WorkflowStop',
  {
    job_id: { type: 'string', format: 'uuid', 'x-error-text': 'Invalid job_id, must be a UUID' },
  },
  ['job_id'],
);

/** Body of `POST /api/v2/workflows/stop`. */
export type WorkflowStopBody = ValueOf<typeof workflowStopBodySchema>;

export const workflowResumeBodySchema = closedBody(
  'WorkflowResume',
  {
    request_id: { type: 'string' },
    // A member that is misspelled could approve calls that a person did not name.
    decision: {
      type: ['object', 'null'],
      additionalProperties: false,
      properties: { action_id: {}, values: {}, calls: {} },
    },
  },
  ['request_id'],
);

/** Body of `POST /api/v2/workflows/{job_id}/resume`. */
export type WorkflowResumeBody = ValueOf<typeof workflowResumeBodySchema>;
