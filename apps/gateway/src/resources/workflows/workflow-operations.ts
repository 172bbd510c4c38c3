import { workflowBodySchema, workflowResumeBodySchema, workflowStopBodySchema } from './workflow-bodies';
import {
  openRequestsSchema,
  pendingRequestsSchema,
  workflowResumedSchema,
  workflowStatusSchema,
  workflowStoppedSchema,
} from './workflow-schemas';
import { json, jsonBody, queryParameter } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import { deadlineHeader, RUN_ERRORS } from '../runs/run-operations';

const stream = { type: 'string' };
const afterEvent = {
  'last-event-id': 'Id of the last event that the caller received; the events after it are sent.',
};

/** Documentation of the routes of `/api/v2/workflows`. */
export const workflowOperations = {
  run: {
    summary: 'Run a flow: wait for the result, run in the background, or stream events',
    headers: { ...deadlineHeader, ...afterEvent },
    body: jsonBody(workflowBodySchema),
    answers: {
      200: {
        description: 'The result of the run, the job, or the events',
        content: { 'application/json': workflowStatusSchema, 'text/event-stream': stream },
      },
    },
    errors: [...RUN_ERRORS, 'output_unknown'],
  },
  read: {
    summary: 'Read a run as a job, or its result when it has ended',
    query: { job_id: { ...queryParameter('uuid', 'The run'), required: true } },
    answers: { 200: json('The job or the result', workflowStatusSchema) },
    errors: ['not_found', 'invalid_value', 'job_failed', 'deadline_exceeded', 'object_store_unavailable'],
  },
  pending: {
    summary:
      'List what the suspended runs of a flow ask a person, the oldest request first, at most 1,000 and about 8 MiB; the header Link names the rest',
    query: { flow_id: { ...queryParameter('uuid', 'The flow'), required: true } },
    answers: { 200: json('The requests', pendingRequestsSchema) },
  },
  open: {
    summary:
      'List what suspended runs ask a person, the oldest request first; a page has at most about 8 MiB',
    query: {
      flow_id: queryParameter('uuid', 'Only runs of this flow'),
      run_id: queryParameter('uuid', 'Only this run'),
      limit: queryParameter('integer', 'Maximum number of requests: 1,000 by default and at most', {
        minimum: 1,
        maximum: 1_000,
      }),
      cursor: queryParameter('string', 'The next_cursor of an earlier answer with the same filter'),
      links: queryParameter('boolean', 'Whether each has links that answer it without a key'),
    },
    answers: { 200: json('The requests', openRequestsSchema) },
  },
  resume: {
    summary: 'Answer what a suspended run asks; the run goes on',
    body: jsonBody(workflowResumeBodySchema),
    answers: { 200: json('The run goes on', workflowResumedSchema) },
    errors: ['not_found', 'permission_denied', 'decision_refused', 'not_resumable'],
  },
  events: {
    summary: 'Stream the events of a run from a given one, during the run or later',
    query: {
      stream_protocol: queryParameter('string', 'The protocol of the events: `langflow` (default) or `agui`'),
      expose_graph_state: queryParameter('boolean', 'Whether vertices and logs are sent, too'),
    },
    headers: afterEvent,
    answers: { 200: { description: 'Server-sent events', content: { 'text/event-stream': stream } } },
    errors: ['not_found', 'too_many_runs', 'object_store_unavailable'],
  },
  stop: {
    summary: 'Stop a run',
    body: jsonBody(workflowStopBodySchema),
    answers: { 200: json('What was done', workflowStoppedSchema) },
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;
