import { anyObject, closedObject, flag, listOf, orNull, text, uuid, integer } from './json-schema';
import type { JsonSchema } from './json-schema';
import { runAnswerSchema } from './run-answer-schema';
import { runEventSchema } from './run-event-schema';
import { callbackKinds, callbackType } from '@millrace/flow';
import type { RecordSettings } from '@millrace/flow';
import type { ControlMessage } from '../jobs/control';
import type { DeadLetter } from '../jobs/dead-letter';
import type { FlowEvent } from '../jobs/flow-event';
import type { CachePolicy, Job, SealedRequest } from '../jobs/job';
import type { ReplyType, RunFailure } from '../jobs/reply';

/**
 * Ensures that the schema has the same members as the type: a member that is added to the type must be described here.
 */
function membersOf<Body>(
  members: Readonly<Record<keyof Body, JsonSchema>>,
  optional: readonly (keyof Body & string)[] = [],
): JsonSchema {
  return closedObject(members, optional);
}

const runRequestSchema = closedObject(
  {
    form: { enum: ['simple', 'advanced', 'webhook'] },
    inputs: listOf(
      closedObject({ components: listOf(text), inputValue: text, type: { enum: ['chat', 'text', 'any'] } }),
    ),
    outputs: {
      anyOf: [
        closedObject({ by: { const: 'type' }, type: { enum: ['chat', 'text', 'any', 'debug'] } }),
        closedObject({ by: { const: 'component' }, component: text }),
        closedObject({ by: { const: 'list' }, outputs: listOf(text) }),
      ],
    },
    tweaks: anyObject,
    stream: flag,
    keepsStreamFields: flag,
    vertexEvents: flag,
    files: listOf(text),
    sessionId: text,
    globalVariables: { type: 'object', additionalProperties: text },
    webhookPayload: text,
    keepsValues: flag,
    keyId: text,
  },
  ['webhookPayload', 'keepsStreamFields', 'vertexEvents', 'files', 'keepsValues', 'keyId'],
);

/** The body of a job. */
export const jobSchema = membersOf<Job>(
  {
    schemaVersion: { const: 1 },
    runId: uuid,
    lane: { enum: ['interactive', 'background'] },
    pool: text,
    flowId: uuid,
    flowVersion: integer,
    userId: uuid,
    durable: flag,
    deadline: orNull({ type: 'number' }),
    acceptedAt: { type: 'number' },
    request: orNull({ anyOf: [runRequestSchema, membersOf<SealedRequest>({ sealed: text })] }),
    claimCheck: orNull(text),
    leftBy: text,
    databaseDeadline: { type: 'number' },
    requestId: text,
    keyId: text,
    records: membersOf<RecordSettings>(
      {
        runs: { enum: ['full', 'lean', 'none'] },
        sampleRate: { type: 'number' },
        values: { enum: ['off', 'failed', 'all'] },
        steps: { enum: ['on', 'off'] },
      },
      ['runs', 'sampleRate', 'values', 'steps'],
    ),
    batchedReplies: { enum: [true, 2] },
    cache: membersOf<CachePolicy>({ maximumAgeSeconds: integer, ttlSeconds: integer, byAuthor: flag }),
  },
  ['batchedReplies', 'cache', 'databaseDeadline', 'keyId', 'leftBy', 'records', 'requestId'],
);

const runFailureSchema = membersOf<RunFailure>({
  code: text,
  message: text,
  vertex: orNull(closedObject({ id: text, displayName: text, type: text })),
  problems: listOf(closedObject({ vertexId: orNull(text), componentType: orNull(text), message: text })),
});

/** The body of the dead letter of a run. */
export const deadLetterSchema = membersOf<DeadLetter>({
  runId: uuid,
  flowId: uuid,
  flowVersion: integer,
  userId: uuid,
  lane: { enum: ['interactive', 'background'] },
  pool: text,
  attempts: integer,
  reason: text,
  message: text,
  acceptedAt: text,
  diedAt: text,
});

/** The body of each kind of reply; an `events` body contains one such object per line. */
export const replySchemas: Readonly<Record<ReplyType, JsonSchema>> = {
  events: runEventSchema,
  final: { anyOf: [runAnswerSchema, runFailureSchema] },
  recorded: listOf(uuid),
};

/** The body of an event of a watched flow. */
export const flowEventSchema = membersOf<FlowEvent>({ event: text, data: anyObject });

/** The AMQP properties of the report of a run that is published to the broker of a user. */
export const reportPropertiesSchema = closedObject({
  message_id: uuid,
  // That of the message that started the run, in a reply to it; otherwise the id of the run.
  correlation_id: orNull(text),
  type: { enum: callbackKinds.map(callbackType) },
  content_type: { const: 'application/json' },
  delivery_mode: { const: 2 },
  app_id: { const: 'millrace' },
  timestamp: integer,
});

type Members<Kind extends ControlMessage['kind']> = Omit<Extract<ControlMessage, { kind: Kind }>, 'kind'>;

function controlOf<Kind extends ControlMessage['kind']>(
  kind: Kind,
  members: Readonly<Record<keyof Members<Kind>, JsonSchema>>,
  optional: readonly (keyof Members<Kind> & string)[] = [],
): JsonSchema {
  return closedObject({ kind: { const: kind }, ...members }, optional);
}

/** The body of each kind of control message. */
export const controlSchemas: Readonly<Record<ControlMessage['kind'], JsonSchema>> = {
  cancel: controlOf('cancel', { runId: uuid, reason: text }),
  'cancel-call': controlOf('cancel-call', { userId: uuid, session: text, call: text }),
  'flow-changed': controlOf('flow-changed', { flowId: uuid }),
  'key-revoked': controlOf('key-revoked', { keyHash: text, keepsStreams: flag }, ['keepsStreams']),
  'limits-changed': controlOf('limits-changed', { scope: { enum: ['key', 'user', 'project', 'flow'] } }),
  'session-ended': controlOf('session-ended', { tokenHash: text }),
  'author-code-changed': controlOf('author-code-changed', { sha256: text }),
  'variables-changed': controlOf('variables-changed', { userId: uuid }),
  'watch-flow': controlOf('watch-flow', { flowId: uuid, replyTo: text }),
  'who-waits': controlOf('who-waits', { runId: uuid, userId: uuid, asker: text }),
  'waits-here': controlOf('waits-here', {
    runId: uuid,
    flowId: uuid,
    sessionId: text,
    pool: text,
    attempt: integer,
    acceptedAt: text,
    asker: text,
  }),
  'which-vertices': controlOf('which-vertices', { runId: uuid, asker: text }),
  'vertices-so-far': controlOf('vertices-so-far', { runId: uuid, asker: text, trace: text }),
  'resend-frames': controlOf('resend-frames', { runId: uuid, attempt: integer, from: integer }),
  'who-runs': controlOf('who-runs', { runId: uuid, attempt: integer, asker: text, holder: text }, ['holder']),
  'i-run': controlOf('i-run', { runId: uuid, attempt: integer, worker: text, asker: text }),
  'are-you-there': controlOf('are-you-there', { asker: text, pool: text, ping: integer }),
  'i-am-here': controlOf('i-am-here', {
    worker: text,
    pool: text,
    ping: integer,
    connectedMilliseconds: integer,
  }),
};
