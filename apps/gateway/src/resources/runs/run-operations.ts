import { advancedRunBodySchema } from './advanced-run-body';
import { runAnswerSchema, runEventSchema } from '@millrace/messages';
import { simpleRunBodySchema } from './simple-run-body';
import { simpleRunFields } from '../../http/bodies/parse-body';
import { startedRunSchema } from '../../run-answers/started-run-schema';
import type { ErrorCode } from '@millrace/http';
import { json, jsonBody, jsonOrEvents, queryParameter } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';

/** The errors of a run on every route. */
export const RUN_ERRORS: readonly ErrorCode[] = [
  'flow_unknown',
  'flow_without_data',
  'flow_refused',
  'invalid_flow',
  'tweak_conflict',
  'tweaks_refused',
  'tweak_invalid',
  'idempotency_key_invalid',
  'idempotency_conflict',
  'not_found',
  'component_failed',
  'budget_exceeded',
  'output_type_missing',
  'too_many_vertices',
  'output_too_large',
  'deadlocked',
  'human_input_unsupported',
  'not_answered',
  'attempts_exhausted',
  'deadline_exceeded',
  'cancelled',
  'flow_paused',
  'no_executor',
  'python_busy',
  'object_store_unavailable',
  'too_many_callers',
  'too_many_waiting',
  'too_many_runs',
  'broker_unavailable',
  'shutting_down',
];

/** The header by which a caller limits a run. */
export const deadlineHeader = {
  'x-deadline-seconds':
    'How long the run can take, in whole seconds. The deadlines of the flow and of the installation apply, too.',
};
const headers = {
  ...deadlineHeader,
  prefer:
    '`respond-async` starts the run and answers 202 with its id; `respond-async, wait=N` waits up to N seconds for its result first. Streamed runs are never waited for.',
  'cache-control':
    '`max-age=N` returns the cached result of an equal run that is at most N seconds old, and caches the result of this run; `no-cache` bypasses the cache. `X-Cache` in the answer is `hit`, `miss` or `bypass`.',
  'x-callback-url': 'Where the end of the run is reported. The run is then stored before it starts.',
  'x-callback-secret':
    'The names of one or two variables with the secrets that sign the report; required with `X-Callback-Url`.',
  'x-callback-on': 'The ends to report, of `finished`, `failed`, `dead` and `cancelled`; all by default.',
  'idempotency-key': 'A request with a key that was used before attaches to the earlier run.',
};
const answers = {
  200: jsonOrEvents('The result of the run, whole or as events', runAnswerSchema, runEventSchema),
  202: json('The run continues in the background', startedRunSchema),
};
const query = { stream: queryParameter('boolean', 'Whether to stream events', { default: false }) };
const simpleForm = {
  type: 'object',
  properties: {
    ...Object.fromEntries([...simpleRunFields, 'tweaks'].map((name) => [name, { type: 'string' }])),
    input_type: { enum: ['chat', 'text', 'any'] },
    output_type: { enum: ['chat', 'text', 'any', 'debug'] },
    tweaks: { type: 'string', contentMediaType: 'application/json' },
  },
};
const eitherForm = jsonBody({ anyOf: [simpleRunBodySchema, advancedRunBodySchema] });
const eitherBody = { ...eitherForm, 'multipart/form-data': simpleForm };
const base = { headers, answers, bodyOptional: true, errors: RUN_ERRORS };

/** Documentation of the routes that run flows. */
export const runOperations = {
  simple: { ...base, summary: 'Run a flow by its id or endpoint name', query, body: eitherBody },
  advanced: {
    ...base,
    summary: 'Run a flow with several inputs and chosen outputs',
    query,
    body: jsonBody(advancedRunBodySchema),
  },
  strict: {
    ...base,
    summary: 'Run a flow by its id, with the body of either form',
    query,
    body: eitherBody,
  },
} as const satisfies Record<string, Operation>;
