import { closedBody } from '../../http/validation/body-schema';
import type { ValueOf } from '../../http/validation/body-schema';

const MAXIMUM_NAME_LENGTH = 255;
const MAXIMUM_NODE_ID_LENGTH = 255;
export const DEFAULT_ATTEMPTS = 5;
const STATES = ['pending', 'active', 'paused', 'expired', 'needs_reconnect', 'error', 'dead'] as const;
const KIND = '^[a-z][a-z0-9_]*(\\.[a-z0-9_]+)*$';
const PROVIDER = '^[a-z][a-z0-9_-]*$';
const MAXIMUM_KIND_LENGTH = 64;

const uuidOrNull = { type: ['string', 'null'], format: 'uuid' } as const;
const nodeId = { type: ['string', 'null'], maxLength: MAXIMUM_NODE_ID_LENGTH } as const;
const name = { type: 'string', minLength: 1, maxLength: MAXIMUM_NAME_LENGTH } as const;
const config = { type: 'object', maxProperties: 50 } as const;
const bindingTarget = { enum: ['flow', 'deployment'], 'x-enum': true } as const;
const sessionPolicy = { enum: ['per_event', 'shared'], 'x-enum': true } as const;
const concurrencyLimit = { type: 'integer', minimum: 1, maximum: 100 } as const;
const maximumAttempts = { type: 'integer', minimum: 1, maximum: 20 } as const;
/** Null does not leave a member unchanged. */
const notNull = { 'x-not-null': true } as const;

export const triggerBodySchema = closedBody(
  'NewTrigger',
  {
    name,
    kind: { type: 'string', minLength: 1, maxLength: MAXIMUM_KIND_LENGTH, pattern: KIND },
    provider: { type: ['string', 'null'], maxLength: 64, pattern: PROVIDER },
    node_id: nodeId,
    connection_id: uuidOrNull,
    config,
    binding_target: { ...bindingTarget, default: 'flow' },
    deployment_id: uuidOrNull,
    flow_version_id: uuidOrNull,
    session_policy: { ...sessionPolicy, default: 'per_event' },
    concurrency_limit: { ...concurrencyLimit, default: 1 },
    max_attempts: { ...maximumAttempts, default: DEFAULT_ATTEMPTS },
    flow_id: { type: 'string', format: 'uuid' },
    state: { enum: STATES, 'x-enum': true, default: 'pending' },
  },
  ['name', 'kind', 'flow_id'],
);

/** Body of `POST /api/v1/triggers`. */
export type TriggerBody = ValueOf<typeof triggerBodySchema>;

export const triggerChangesSchema = closedBody('TriggerChanges', {
  name: { ...name, ...notNull },
  connection_id: uuidOrNull,
  config: { ...config, ...notNull },
  binding_target: { ...bindingTarget, ...notNull },
  deployment_id: uuidOrNull,
  flow_version_id: uuidOrNull,
  session_policy: { ...sessionPolicy, ...notNull },
  concurrency_limit: { ...concurrencyLimit, ...notNull },
  max_attempts: { ...maximumAttempts, ...notNull },
});

/** Body of `PATCH /api/v1/triggers/{trigger_id}`: absent members stay unchanged. */
export type TriggerChangesBody = ValueOf<typeof triggerChangesSchema>;

/** What Langflow binds a trigger to besides a version of its flow. None of these exists here. */
export type TriggerBinding = Pick<TriggerChangesBody, 'connection_id' | 'binding_target' | 'deployment_id'>;

/** Body of `POST /api/v1/triggers/{trigger_id}/pin`: null follows the newest version again. */
export const triggerPinSchema = closedBody(
  'TriggerPin',
  { flow_version_id: { type: ['string', 'null'], format: 'uuid' } },
  ['flow_version_id'],
);

/** Body of `POST /api/v1/triggers/{trigger_id}/test`. */
export const triggerTestSchema = closedBody('TriggerTest', { payload: { type: 'object' } });

/** Body of `POST /api/v1/triggers/{trigger_id}/replay`. */
export const triggerReplaySchema = closedBody(
  'TriggerReplay',
  { event_id: { type: 'string', format: 'uuid' } },
  ['event_id'],
);

/** Body of `POST /api/v1/schedules/preview`. */
export const schedulePreviewSchema = closedBody(
  'SchedulePreviewRequest',
  { config: { type: 'object', maxProperties: 50 } },
  ['config'],
);
