import { anyObject, closedObject, flag, listOf, orNull, text, uuid, namedObject } from '@millrace/messages';

const workflowFaultSchema = namedObject(
  'WorkflowFault',
  { error: text, code: text, details: closedObject({ flow_id: uuid, error_type: text }) },
  ['details'],
);

const optionsSchema = listOf(namedObject('HumanOption', { action_id: text, label: text }));

const askedMembers = {
  request_id: text,
  kind: { enum: ['node_input', 'tool_approval'] },
  prompt: text,
  options: optionsSchema,
  allowed_decisions: listOf(text),
};
const shownMembers = {
  ...askedMembers,
  action_requests: listOf(namedObject('ToolCallRequest', { name: text, args: anyObject, description: text })),
  timeout_seconds: { type: 'integer' },
  fallback_action: orNull(text),
  paused_at: text,
};

/** What a suspended run asks a person: an approval has calls of tools, another request its time-out. */
const humanRequestSchema = namedObject('HumanRequest', shownMembers, [
  'action_requests',
  'timeout_seconds',
  'fallback_action',
  'paused_at',
]);

export const pendingRequestsSchema = listOf(
  namedObject('PendingHumanRequest', {
    job_id: uuid,
    flow_id: uuid,
    session_id: orNull(text),
    created_at: text,
    ...askedMembers,
  }),
);

const linksSchema = closedObject({ form: text, actions: anyObject, expires_at: text });

const openRequestMembers = {
  links: linksSchema,
  run_id: uuid,
  flow_id: uuid,
  session_id: text,
  due_at: orNull(text),
  may_answer: flag,
  answered_by: listOf(text),
  ...shownMembers,
};

/** Requests that wait, of all flows of a user. */
export const openRequestsSchema = closedObject({
  requests: listOf(
    namedObject('OpenHumanRequest', openRequestMembers, [
      'action_requests',
      'timeout_seconds',
      'fallback_action',
      'answered_by',
      'links',
    ]),
  ),
  next_cursor: orNull(text),
});

export const workflowResumedSchema = namedObject('WorkflowResumed', {
  job_id: uuid,
  status: { const: 'resuming' },
  message: text,
});

/** A run that has not ended, or that was cancelled. */
const workflowJobSchema = namedObject('WorkflowJob', {
  job_id: uuid,
  flow_id: uuid,
  object: { const: 'job' },
  created_timestamp: text,
  status: { enum: ['queued', 'in_progress', 'suspended', 'cancelled'] },
  links: closedObject({ status: text, events: text, stop: text }),
  errors: listOf(workflowFaultSchema),
  globals: anyObject,
});

/** A run with its result. */
const workflowResponseSchema = namedObject(
  'WorkflowResponse',
  {
    flow_id: uuid,
    session_id: orNull(text),
    job_id: uuid,
    object: { const: 'response' },
    created_timestamp: text,
    status: { enum: ['completed', 'failed', 'cancelled', 'suspended'] },
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
    human_request: orNull(humanRequestSchema),
    has_errors: flag,
  },
  ['warnings'],
);

export const workflowStatusSchema = { anyOf: [workflowJobSchema, workflowResponseSchema] };

export const workflowStoppedSchema = namedObject('WorkflowStopped', { job_id: uuid, message: text });
