import {
  queueRejectionListSchema,
  scheduleListSchema,
  schedulePreviewAnswerSchema,
  scheduleSchema,
  signingSecretSchema,
  triggerEventListSchema,
  triggerEventSchema,
  triggerIngressSchema,
  triggerListSchema,
  triggerSchema,
} from './trigger-schemas';
import {
  schedulePreviewSchema,
  triggerBodySchema,
  triggerChangesSchema,
  triggerPinSchema,
  triggerReplaySchema,
  triggerTestSchema,
} from './trigger-bodies';
import { json, jsonBody, nothing, queryParameter } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';

const page = {
  limit: queryParameter('integer', 'Maximum number of entries', {
    minimum: 1,
    maximum: 200,
    default: 50,
  }),
  offset: queryParameter('integer', 'How many entries to pass over', { minimum: 0, default: 0 }),
};

export const triggerOperations = {
  list: {
    summary: 'List the triggers of a flow, oldest first',
    query: { flow_id: { ...queryParameter('uuid', 'The flow'), required: true }, ...page },
    answers: { 200: json('The triggers', triggerListSchema) },
    errors: ['not_found'],
  },
  create: {
    summary: 'Create a trigger of a flow',
    body: jsonBody(triggerBodySchema),
    answers: { 201: json('The trigger', triggerSchema) },
    errors: ['not_found', 'trigger_invalid', 'too_many_triggers'],
  },
  read: {
    summary: 'Read a trigger',
    answers: { 200: json('The trigger', triggerSchema) },
    errors: ['not_found'],
  },
  update: {
    summary: 'Change a trigger',
    body: jsonBody(triggerChangesSchema),
    answers: { 200: json('The changed trigger', triggerSchema) },
    errors: ['not_found', 'trigger_invalid'],
  },
  remove: {
    summary: 'Delete a trigger with its events; their runs stay',
    answers: { 204: nothing('The trigger was deleted') },
    errors: ['not_found'],
  },
  enable: {
    summary: 'Enable a trigger: a schedule begins to fire, a source begins to consume',
    answers: { 200: json('The trigger', triggerSchema) },
    errors: ['not_found', 'trigger_invalid'],
  },
  disable: {
    summary: 'Pause a trigger: it accepts no events, a schedule does not fire, and a source does not consume',
    answers: { 200: json('The trigger', triggerSchema) },
    errors: ['not_found'],
  },
  pin: {
    summary: 'Pin a trigger to a version of its flow; null for the newest version',
    body: jsonBody(triggerPinSchema),
    answers: { 200: json('The trigger', triggerSchema) },
    errors: ['not_found'],
  },
  test: {
    summary: 'Start a run with a test event',
    body: jsonBody(triggerTestSchema),
    answers: { 202: json('The event, which is stored with its run', triggerEventSchema) },
    errors: ['not_found', 'trigger_invalid', 'too_many_waiting'],
  },
  replay: {
    summary: 'Start a run with the payload of an earlier event',
    body: jsonBody(triggerReplaySchema),
    answers: { 202: json('The new event, which is stored with its run', triggerEventSchema) },
    errors: ['not_found', 'trigger_invalid', 'too_many_waiting'],
  },
  events: {
    summary: 'List the events of a trigger, newest first',
    query: page,
    answers: { 200: json('The events', triggerEventListSchema) },
    errors: ['not_found'],
  },
  rejections: {
    summary: 'List the newest rejected messages of a trigger of kind rabbitmq',
    query: page,
    answers: { 200: json('The messages, newest first', queueRejectionListSchema) },
    errors: ['not_found'],
  },
  ingress: {
    summary: 'Read the address of an inbound webhook',
    answers: { 200: json('The address', triggerIngressSchema) },
    errors: ['not_found', 'trigger_invalid'],
  },
  secret: {
    summary: 'Make a new signing secret for an inbound webhook; the old secret ends',
    answers: { 200: json('The address, and the secret this one time', signingSecretSchema) },
    errors: ['not_found', 'trigger_invalid'],
  },
  listSchedules: {
    summary: 'List the schedules of all flows with their next ten times, oldest first',
    query: page,
    answers: { 200: json('The schedules', scheduleListSchema) },
  },
  readSchedule: {
    summary: 'Read a schedule with its next ten times',
    answers: { 200: json('The schedule', scheduleSchema) },
    errors: ['not_found'],
  },
  preview: {
    summary: 'Check the configuration of a schedule and list its next ten times; nothing is stored',
    body: jsonBody(schedulePreviewSchema),
    answers: { 200: json('The configuration with its defaults, and the times', schedulePreviewAnswerSchema) },
    errors: ['trigger_invalid'],
  },
} as const satisfies Record<string, Operation>;
