import {
  anyObject,
  closedObject,
  flag,
  integer,
  listOf,
  orNull,
  text,
  uuid,
  namedObject,
} from '@millrace/messages';

const none = { type: 'null' } as const;

const triggerMembers = {
  id: uuid,
  flow_id: uuid,
  user_id: uuid,
  name: text,
  kind: { enum: ['inbound_webhook', 'schedule', 'rabbitmq'] },
  provider: none,
  node_id: orNull(text),
  connection_id: none,
  config: anyObject,
  state: { enum: ['pending', 'active', 'paused'] },
  binding_target: { enum: ['flow'] },
  deployment_id: none,
  flow_version_id: orNull(uuid),
  session_policy: { enum: ['per_event', 'shared'] },
  concurrency_limit: integer,
  max_attempts: integer,
  next_fire_at: orNull(text),
  last_fired_at: orNull(text),
  last_error: orNull(text),
  created_at: text,
  updated_at: text,
};

/** How the source of a trigger of kind rabbitmq goes; triggers of other kinds have no such member. */
const source = closedObject({
  state: { enum: ['stopped', 'waiting', 'connecting', 'consuming', 'backlog_full', 'failing'] },
  since: orNull(text),
  last_error: orNull(text),
  last_error_at: orNull(text),
});

export const triggerSchema = namedObject('Trigger', { ...triggerMembers, source }, ['source']);
export const triggerListSchema = listOf(triggerSchema);

/** A trigger of kind schedule with its next ten times. */
export const scheduleSchema = namedObject('Schedule', { ...triggerMembers, next_times: listOf(text) });
export const scheduleListSchema = listOf(scheduleSchema);

/** A configuration with its defaults, and its next ten times. */
export const schedulePreviewAnswerSchema = namedObject('SchedulePreview', {
  config: anyObject,
  next_times: listOf(text),
});

/** An event of a trigger. */
export const triggerEventSchema = namedObject('TriggerEvent', {
  id: uuid,
  trigger_id: uuid,
  dedupe_key: text,
  state: { enum: ['pending', 'claimed', 'dispatched', 'completed', 'failed', 'dead'] },
  attempt: integer,
  available_at: text,
  payload: anyObject,
  session_id: orNull(text),
  job_id: orNull(uuid),
  replay_of_event_id: orNull(uuid),
  error: orNull(text),
  created_at: text,
  updated_at: text,
});
export const triggerEventListSchema = listOf(triggerEventSchema);

/** A message of a source that was rejected. */
export const queueRejectionListSchema = listOf(
  closedObject({
    id: uuid,
    reason: { enum: ['too_large', 'undecodable', 'refused'] },
    detail: text,
    message_id: orNull(text),
    bytes: integer,
    excerpt: orNull(text),
    created_at: text,
  }),
);

const ingressMembers = {
  trigger_id: uuid,
  public_id: orNull(text),
  ingress_url: orNull(text),
  has_signing_secret: flag,
};

/** The address of an inbound webhook. */
export const triggerIngressSchema = namedObject('TriggerIngress', ingressMembers);
/** The address with a new secret, which is shown this one time. */
export const signingSecretSchema = namedObject('SigningSecret', { ...ingressMembers, signing_secret: text });
