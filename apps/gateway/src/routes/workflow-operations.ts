import {
  workflowBodySchema,
  workflowStatusSchema,
  workflowStopBodySchema,
  workflowStoppedSchema,
} from '@millrace/contracts';
import { json, jsonBody, queryParameter } from '../openapi/operation';
import type { Operation } from '../openapi/operation';
import { RUN_ERRORS } from './run-operations';

const stream = { type: 'string' };
const afterEvent = { 'last-event-id': 'Id of the last event the caller has: those after it are sent.' };

/** What the routes of `/api/v2/workflows` promise. */
export const workflowOperations = {
  run: {
    summary: 'Run a flow: whole, in the background, or as server-sent events',
    headers: afterEvent,
    body: jsonBody(workflowBodySchema),
    answers: {
      200: {
        description: 'The answer of the run, the job, or the events',
        content: { 'application/json': workflowStatusSchema, 'text/event-stream': stream },
      },
    },
    errors: [...RUN_ERRORS, 'output_unknown'],
  },
  look: {
    summary: 'A run as a job, or its answer when it has one',
    query: { job_id: { ...queryParameter('uuid', 'The run'), required: true } },
    answers: { 200: json('The job or the answer', workflowStatusSchema) },
    errors: ['not_found', 'invalid_value', 'job_failed', 'deadline_exceeded'],
  },
  events: {
    summary: 'The events of a run, from any one on, while it goes on or later',
    headers: afterEvent,
    answers: { 200: { description: 'Server-sent events', content: { 'text/event-stream': stream } } },
    errors: ['not_found', 'too_many_runs'],
  },
  stop: {
    summary: 'Stop a run',
    body: jsonBody(workflowStopBodySchema),
    answers: { 200: json('What was done', workflowStoppedSchema) },
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;
