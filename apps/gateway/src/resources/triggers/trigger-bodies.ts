import type { RequestSchema } from '../../http/validation/request-schema';

const MAXIMUM_NAME_LENGTH = 255;
const MAXIMUM_NODE_ID_LENGTH = 255;
const KIND = '^[a-z][a-z0-9_]*(\\.[a-z0-9_]+)*$';

type TriggerSettings = {
  readonly name?: string | null;
  readonly config?: Readonly<Record<string, unknown>> | null;
  readonly session_policy?: 'per_event' | 'shared' | null;
  readonly concurrency_limit?: number | null;
  readonly max_attempts?: number | null;
};

/** Body of `POST /api/v1/triggers`. */
export interface TriggerBody extends TriggerSettings {
  readonly flow_id: string;
  readonly name: string;
  readonly kind: string;
  readonly state?: 'pending' | 'active' | 'paused' | null;
  readonly node_id?: string | null;
  readonly flow_version_id?: string | null;
}

/** Body of `PATCH /api/v1/triggers/{trigger_id}`: absent and null members stay unchanged. */
export type TriggerChangesBody = TriggerSettings;

const limits = {
  session_policy: { enum: ['per_event', 'shared', null] },
  concurrency_limit: { type: ['integer', 'null'], minimum: 1, maximum: 100 },
  max_attempts: { type: ['integer', 'null'], minimum: 1, maximum: 20 },
};
const config = { type: ['object', 'null'], maxProperties: 50 };

export const triggerBodySchema: RequestSchema = {
  type: 'object',
  'x-model': true,
  required: ['flow_id', 'name', 'kind'],
  additionalProperties: false,
  properties: {
    flow_id: { type: 'string', format: 'uuid' },
    name: { type: 'string', minLength: 1, maxLength: MAXIMUM_NAME_LENGTH },
    kind: { type: 'string', maxLength: 100, pattern: KIND },
    config,
    state: { enum: ['pending', 'active', 'paused', null] },
    node_id: { type: ['string', 'null'], maxLength: MAXIMUM_NODE_ID_LENGTH },
    flow_version_id: { type: ['string', 'null'], format: 'uuid' },
    ...limits,
  },
};

export const triggerChangesSchema: RequestSchema = {
  type: 'object',
  'x-model': true,
  additionalProperties: false,
  properties: {
    name: { type: ['string', 'null'], minLength: 1, maxLength: MAXIMUM_NAME_LENGTH },
    config,
    ...limits,
  },
};

/** Body of `POST /api/v1/triggers/{trigger_id}/pin`: null follows the newest version again. */
export const triggerPinSchema: RequestSchema = {
  type: 'object',
  'x-model': true,
  required: ['flow_version_id'],
  additionalProperties: false,
  properties: { flow_version_id: { type: ['string', 'null'], format: 'uuid' } },
};

/** Body of `POST /api/v1/triggers/{trigger_id}/test`. */
export const triggerTestSchema: RequestSchema = {
  type: 'object',
  'x-model': true,
  additionalProperties: false,
  properties: { payload: { type: ['object', 'null'] } },
};

/** Body of `POST /api/v1/triggers/{trigger_id}/replay`. */
export const triggerReplaySchema: RequestSchema = {
  type: 'object',
  'x-model': true,
  required: ['event_id'],
  additionalProperties: false,
  properties: { event_id: { type: 'string', format: 'uuid' } },
};

/** Body of `POST /api/v1/schedules/preview`. */
export const schedulePreviewSchema: RequestSchema = {
  type: 'object',
  'x-model': true,
  required: ['config'],
  additionalProperties: false,
  properties: { config: { type: 'object', maxProperties: 50 } },
};
