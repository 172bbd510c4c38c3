import type { RequestSchema } from '../../http/validation/request-schema';

const MAXIMUM_NAME_LENGTH = 255;
const MAXIMUM_NODE_ID_LENGTH = 255;
export const DEFAULT_ATTEMPTS = 5;
const STATES = ['pending', 'active', 'paused', 'expired', 'needs_reconnect', 'error', 'dead'];
const KIND = '^[a-z][a-z0-9_]*(\\.[a-z0-9_]+)*$';
const PROVIDER = '^[a-z][a-z0-9_-]*$';
const MAXIMUM_KIND_LENGTH = 64;

/** What Langflow binds a trigger to besides a version of its flow. None of these exists here. */
export interface TriggerBinding {
  readonly connection_id?: string | null;
  readonly binding_target?: 'flow' | 'deployment';
  readonly deployment_id?: string | null;
}

interface TriggerSettings extends TriggerBinding {
  readonly name?: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly flow_version_id?: string | null;
  readonly session_policy?: 'per_event' | 'shared';
  readonly concurrency_limit?: number;
  readonly max_attempts?: number;
}

/** Body of `POST /api/v1/triggers`. */
export interface TriggerBody extends TriggerSettings {
  readonly flow_id: string;
  readonly name: string;
  readonly kind: string;
  readonly provider?: string | null;
  readonly state?: 'pending' | 'active' | 'paused' | 'expired' | 'needs_reconnect' | 'error' | 'dead';
  readonly node_id?: string | null;
}

/** Body of `PATCH /api/v1/triggers/{trigger_id}`: absent members stay unchanged. */
export type TriggerChangesBody = TriggerSettings;

const uuidOrNull = { type: ['string', 'null'], format: 'uuid' };
const nodeId = { type: ['string', 'null'], maxLength: MAXIMUM_NODE_ID_LENGTH };
const name = { type: 'string', minLength: 1, maxLength: MAXIMUM_NAME_LENGTH };
const config = { type: 'object', maxProperties: 50 };
const bindingTarget = { enum: ['flow', 'deployment'], 'x-enum': true };
const sessionPolicy = { enum: ['per_event', 'shared'], 'x-enum': true };
const concurrencyLimit = { type: 'integer', minimum: 1, maximum: 100 };
const maximumAttempts = { type: 'integer', minimum: 1, maximum: 20 };
/** Null does not leave a member unchanged. */
const notNull = { 'x-not-null': true };

export const triggerBodySchema: RequestSchema = {
  title: 'NewTrigger',
  type: 'object',
  'x-model': true,
  required: ['name', 'kind', 'flow_id'],
  additionalProperties: false,
  properties: {
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
};

export const triggerChangesSchema: RequestSchema = {
  title: 'TriggerChanges',
  type: 'object',
  'x-model': true,
  additionalProperties: false,
  properties: {
    name: { ...name, ...notNull },
    connection_id: uuidOrNull,
    config: { ...config, ...notNull },
    binding_target: { ...bindingTarget, ...notNull },
    deployment_id: uuidOrNull,
    flow_version_id: uuidOrNull,
    session_policy: { ...sessionPolicy, ...notNull },
    concurrency_limit: { ...concurrencyLimit, ...notNull },
    max_attempts: { ...maximumAttempts, ...notNull },
  },
};

/** Body of `POST /api/v1/triggers/{trigger_id}/pin`: null follows the newest version again. */
export const triggerPinSchema: RequestSchema = {
  title: 'TriggerPin',
  type: 'object',
  'x-model': true,
  required: ['flow_version_id'],
  additionalProperties: false,
  properties: { flow_version_id: { type: ['string', 'null'], format: 'uuid' } },
};

/** Body of `POST /api/v1/triggers/{trigger_id}/test`. */
export const triggerTestSchema: RequestSchema = {
  title: 'TriggerTest',
  type: 'object',
  'x-model': true,
  additionalProperties: false,
  properties: { payload: { type: 'object' } },
};

/** Body of `POST /api/v1/triggers/{trigger_id}/replay`. */
export const triggerReplaySchema: RequestSchema = {
  title: 'TriggerReplay',
  type: 'object',
  'x-model': true,
  required: ['event_id'],
  additionalProperties: false,
  properties: { event_id: { type: 'string', format: 'uuid' } },
};

/** Body of `POST /api/v1/schedules/preview`. */
export const schedulePreviewSchema: RequestSchema = {
  title: 'SchedulePreviewRequest',
  type: 'object',
  'x-model': true,
  required: ['config'],
  additionalProperties: false,
  properties: { config: { type: 'object', maxProperties: 50 } },
};
