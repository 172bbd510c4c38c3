import { anyObject, closedObject, flag, listOf, orNull, text, uuid, named } from '@millrace/messages';

const workflowFaultSchema = named(
  'WorkflowFault',
  closedObject({ error: text, code: text, details: closedObject({ flow_id: uuid, error_type: text }) }, [
    'details',
  ]),
);

/** A run that has not ended, or that was cancelled. */
const workflowJobSchema = named(
  'WorkflowJob',
  closedObject({
    job_id: uuid,
    flow_id: uuid,
    object: { const: 'job' },
    created_timestamp: text,
    status: { enum: ['queued', 'in_progress', 'cancelled'] },
    links: closedObject({ status: text, events: text, stop: text }),
    errors: listOf(workflowFaultSchema),
    globals: anyObject,
  }),
);

/** A run with its result. */
const workflowResponseSchema = named(
  'WorkflowResponse',
  closedObject(
    {
      flow_id: uuid,
      session_id: orNull(text),
      job_id: uuid,
      object: { const: 'response' },
      created_timestamp: text,
      status: { enum: ['completed', 'failed', 'cancelled'] },
      output: closedObject({
        reason: { enum: ['single', 'multiple', 'none', 'non_string', 'failed'] },
        text: orNull(text),
        source: orNull(text),
      }),
      errors: listOf(workflowFaultSchema),
      warnings: { type: 'array', maxItems: 0 },
      inputs: anyObject,
      globals: anyObject,
      outputs: {
        type: 'object',
        additionalProperties: closedObject({
          type: text,
          status: text,
          display_name: text,
          content: {},
          metadata: closedObject({ component_type: text, source: anyObject, file_path: text }, [
            'source',
            'file_path',
          ]),
        }),
      },
      human_request: { type: 'null' },
      has_errors: flag,
    },
    ['warnings'],
  ),
);

export const workflowStatusSchema = { anyOf: [workflowJobSchema, workflowResponseSchema] };

export const workflowStoppedSchema = named('WorkflowStopped', closedObject({ job_id: uuid, message: text }));
