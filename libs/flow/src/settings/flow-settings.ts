/** How the senders of a flow's webhooks sign them. A flow with a signature needs no API key. */
export interface WebhookSignature {
  readonly scheme: 'standard-webhooks' | 'github' | 'stripe' | 'slack' | 'hmac';
  /** Names of variables of the flow's owner that contain the secrets; several during a rotation. */
  readonly secrets: readonly string[];
  /** Scheme `hmac` only: the header with the signature; `x-signature` by default. */
  readonly header?: string;
  /** Scheme `hmac` only: the encoding of the signature; `hex` by default. */
  readonly encoding?: 'hex' | 'base64';
  /** Maximum difference between a signed timestamp and the current time, in seconds; 300 by default. */
  readonly toleranceSeconds?: number;
}

/** How a sender verifies the address of a flow's webhook before it sends events there. */
export interface WebhookChallenge {
  readonly scheme: 'meta' | 'microsoft-graph' | 'x';
  /**
   * Names of variables of the flow's owner: the verify token for `meta`, of which any matches; the consumer secret for
   * `x`, of which the first that exists signs. Required for both; `microsoft-graph` has no secret.
   */
  readonly secrets?: readonly string[];
}

/** A part of a webhook's request that a flow can receive beside the body. */
export type WebhookPart = 'headers' | 'query';

interface WebhookSettings {
  readonly signature?: WebhookSignature;
  readonly challenge?: WebhookChallenge;
  /**
   * How a component receives a body of `application/x-www-form-urlencoded` or `multipart/form-data`: as it was sent
   * (`text`, the default), or as a JSON object of its fields and the names of its stored files.
   */
  readonly form?: 'text' | 'json';
  /**
   * Parts of the request that the component receives as the members `_headers` and `_query` of its object, without those
   * whose names are those of secrets. A flow that takes the query takes requests without a body.
   */
  readonly pass?: readonly WebhookPart[];
  /** A header that identifies the delivery: deliveries with the same value are one run. */
  readonly deliveryIdHeader?: string;
  /**
   * How long a sender can wait for the answer of the flow, by `?wait=N`, in seconds. Senders get the id of the run
   * unless set.
   */
  readonly maximumWaitSeconds?: number;
  /** How long each sender waits who does not say `?wait=N`, in seconds; 0 unless set. */
  readonly waitSeconds?: number;
}

/** When a failed background run is retried. */
export interface RetryRule {
  /** Maximum number of failed attempts, including the first one. */
  readonly attempts: number;
  /** The delay after the first failure, in seconds; it doubles after each further one. 5 by default. */
  readonly backoffSeconds?: number;
  /** Maximum delay, in seconds; 300 by default. */
  readonly maximumBackoffSeconds?: number;
  /** Error codes to retry; `component_failed`, `internal` and `python_busy` by default. */
  readonly on?: readonly ('component_failed' | 'deadline_exceeded' | 'internal' | 'python_busy')[];
}

/** The ends of runs. A run that timed out has failed. */
export const callbackEnds = ['finished', 'failed', 'dead', 'cancelled'] as const;
/** What the callback of a run can report: an end, or that the run waits for a person. */
export const runCallbackKinds = [...callbackEnds, 'waiting'] as const;
/**
 * What the callback of a flow can report, besides: that a call of a model passed the share of a budget, and that an alert of the
 * flow began or ended.
 */
export const callbackKinds = [...runCallbackKinds, 'budget', 'alert'] as const;
export type CallbackKind = (typeof callbackKinds)[number];

/** Returns the type of a report: `flow.alert` is about no run. */
export function callbackType(kind: CallbackKind): string {
  return kind === 'alert' ? 'flow.alert' : `run.${kind}`;
}

/** What a rule measures of the runs that ended in its window. */
export const alertMeasures = ['failures', 'latency', 'waiting', 'spend'] as const;

/** When an alert of a flow begins: what is measured reaches the threshold. It ends when that is over. */
export interface AlertRule {
  /** Tells the rules of a flow apart. */
  readonly name: string;
  /**
   * - `failures`: the share of runs that failed, from 0 to 1
   * - `latency`: how long the last attempts took, the mean, in seconds
   * - `waiting`: how long runs waited for their start, the mean, or how long the oldest one waits now, in seconds
   * - `spend`: what calls of models cost, in US dollars
   */
  readonly measure: (typeof alertMeasures)[number];
  readonly threshold: number;
  /** How long the measured time is, in minutes. */
  readonly windowMinutes: number;
  /** With fewer ended runs there is no alert of `failures` and `latency`; 1 by default. */
  readonly minimumRuns?: number;
}

/** An exchange of a user's RabbitMQ to which reports are published. */
export interface AmqpTarget {
  /** The name of a variable of the flow's owner, of type Credential, with the URL of the broker. */
  readonly connection: string;
  /** The default exchange, '', routes by queue name. */
  readonly exchange: string;
  readonly routingKey: string;
  /** The report answers a message that named its queue for replies. */
  readonly reply?: { readonly correlationId: string | null };
}

/** Where the end of a run is reported, and how: to an address, or to an exchange. */
export interface Callback {
  /** An address over http or https; absent with `amqp`. */
  readonly url?: string;
  /** Names of variables of the flow's owner that contain the signing secrets; several during a rotation. */
  readonly secrets?: readonly string[];
  readonly amqp?: AmqpTarget;
  /** What is reported; all ends unless given. */
  readonly on?: readonly CallbackKind[];
  /** Whether the report contains the result of the run; `include` by default. */
  readonly result?: 'include' | 'omit';
}

/**
 * What is kept of an interactive run that succeeded: its row with request and result, its row without them, or nothing but the
 * messages of a session that its caller named.
 */
export type RunRecords = 'full' | 'lean' | 'none';

/** What is kept of a flow's runs, of their vertices and of the steps of agents. */
export interface RecordSettings {
  /** The installation's by default. */
  readonly runs?: RunRecords;
  /** The share of runs that did not fail whose records are kept, from 0 to 1; the installation's by default. */
  readonly sampleRate?: number;
  /**
   * Whose inputs and outputs are part of the records: of no vertex, of the vertices of failed runs (the default), or of
   * those of all runs with records.
   */
  readonly values?: 'off' | 'failed' | 'all';
  /** Whether a further attempt of a durable run gets the answers of models and tools of the last one; `on` by default. */
  readonly steps?: 'on' | 'off';
}

/** How many days the rows of a flow are kept; the installation's by default. */
export interface FlowRetention {
  /** Ended runs with their requests, results, events and reports. */
  readonly runs?: number;
  readonly messages?: number;
  readonly vertexRecords?: number;
  /** The files that were uploaded for the flow. */
  readonly files?: number;
}

/** The settings of a flow. */
export interface FlowSettings {
  /** The pool that runs the flow; "default" by default. */
  readonly pool?: string;
  /** True when synchronous runs are also recorded before they start (durable). */
  readonly durable?: boolean;
  readonly webhookAuth?: 'required' | 'off';
  readonly webhook?: WebhookSettings;
  /**
   * How a durable run continues when its executor crashed during an effect: the effect is repeated (the default), or
   * the run fails.
   */
  readonly unfinishedEffects?: 'retry' | 'fail';
  readonly retry?: RetryRule;
  /** Where the ends of all runs of the flow are reported. */
  readonly callbacks?: readonly Callback[];
  /** When callbacks with `on: ["alert"]` report the flow itself. */
  readonly alerts?: readonly AlertRule[];
  /** How vertices with edited code are handled; the installation's setting by default. */
  readonly editedCode?: 'refuse' | 'stock';
  /** Maximum number of concurrent background runs of the flow, in total. */
  readonly concurrency?: number;
  readonly cache?: { readonly ttlSeconds: number };
  /**
   * The session of callers that name none: that of the flow, which they share (the default), or a new one for each of
   * them.
   */
  readonly sessions?: 'shared' | 'own';
  readonly retention?: FlowRetention;
  /** A word stands for `runs`. */
  readonly records?: RecordSettings | RunRecords;
  /**
   * Who answers what the flow's runs ask: ids of users, given as ids or names, and `superusers` for all admins; the owner of the
   * run unless set.
   */
  readonly answeredBy?: readonly string[];
  /** The deadline of the flow's runs, in seconds; never more than the installation's. */
  readonly deadlineSeconds?: number;
}

/** Returns the setting `records` as an object. */
export function recordSettingsOf(
  records: RecordSettings | RunRecords | null | undefined,
): RecordSettings | null {
  if (typeof records === 'string') return { runs: records };
  return records ?? null;
}

/** A regular expression for an http or https URL without user, password and fragment. */
export const CALLBACK_URL_PATTERN = '^https?://[^/?#@\\\\\\s]+([/?][^#\\s]*)?$';

/** Schema of a Callback. */
const callbackSchema = {
  type: 'object',
  additionalProperties: false,
  if: { required: ['amqp'], properties: { amqp: {} } },
  then: {
    'x-error-text': 'A callback has either url and secrets or amqp.',
    not: {
      anyOf: [
        { required: ['url'], properties: { url: {} } },
        { required: ['secrets'], properties: { secrets: {} } },
      ],
    },
  },
  else: { required: ['url', 'secrets'], properties: { url: {}, secrets: {} } },
  properties: {
    amqp: {
      type: 'object',
      additionalProperties: false,
      required: ['connection', 'exchange', 'routingKey'],
      properties: {
        connection: { type: 'string', minLength: 1, maxLength: 255 },
        exchange: { type: 'string', maxLength: 127 },
        routingKey: { type: 'string', maxLength: 127 },
      },
    },
    url: { type: 'string', maxLength: 2_000, pattern: CALLBACK_URL_PATTERN },
    secrets: {
      type: 'array',
      minItems: 1,
      maxItems: 2,
      items: { type: 'string', minLength: 1, maxLength: 500 },
    },
    on: { type: 'array', minItems: 1, maxItems: callbackKinds.length, items: { enum: [...callbackKinds] } },
    result: { enum: ['include', 'omit'] },
  },
};

/** Schema of an AlertRule. */
const alertRuleSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'measure', 'threshold', 'windowMinutes'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 100 },
    measure: { enum: [...alertMeasures] },
    threshold: { type: 'number', minimum: 0.000_001, maximum: 1_000_000_000 },
    windowMinutes: { type: 'integer', minimum: 1, maximum: 1_440 },
    minimumRuns: { type: 'integer', minimum: 1, maximum: 1_000_000 },
  },
  if: { properties: { measure: { const: 'failures' } } },
  then: { properties: { threshold: { type: 'number', maximum: 1 } } },
};

const secretNames = {
  type: 'array',
  minItems: 1,
  maxItems: 10,
  items: { type: 'string', minLength: 1, maxLength: 500 },
};
const headerName = { type: 'string', pattern: '^[A-Za-z0-9-]{1,100}$' };

/** The longest that a sender of a webhook can wait for the answer of the flow. */
export const MAXIMUM_WAIT_SECONDS = 60;

/** Member `settings` of a flow. */
export const flowSettingsSchema = {
  type: ['object', 'null'],
  additionalProperties: false,
  properties: {
    pool: { type: 'string', format: 'pool-name' },
    durable: { type: 'boolean' },
    webhookAuth: { enum: ['required', 'off'] },
    webhook: {
      type: 'object',
      additionalProperties: false,
      properties: {
        deliveryIdHeader: headerName,
        form: { enum: ['text', 'json'] },
        pass: { type: 'array', uniqueItems: true, items: { enum: ['headers', 'query'] } },
        maximumWaitSeconds: { type: 'integer', minimum: 1, maximum: MAXIMUM_WAIT_SECONDS },
        waitSeconds: { type: 'integer', minimum: 1, maximum: MAXIMUM_WAIT_SECONDS },
        challenge: {
          type: 'object',
          additionalProperties: false,
          required: ['scheme'],
          properties: { scheme: { enum: ['meta', 'microsoft-graph', 'x'] }, secrets: secretNames },
          if: { properties: { scheme: { const: 'microsoft-graph' } } },
          else: { required: ['secrets'], properties: { secrets: {} } },
        },
        signature: {
          type: 'object',
          additionalProperties: false,
          required: ['scheme', 'secrets'],
          properties: {
            scheme: { enum: ['standard-webhooks', 'github', 'stripe', 'slack', 'hmac'] },
            secrets: secretNames,
            header: headerName,
            encoding: { enum: ['hex', 'base64'] },
            toleranceSeconds: { type: 'integer', minimum: 1, maximum: 3_600 },
          },
        },
      },
    },
    unfinishedEffects: { enum: ['retry', 'fail'] },
    editedCode: { enum: ['refuse', 'stock'] },
    concurrency: { type: 'integer', minimum: 1, maximum: 10_000 },
    deadlineSeconds: { type: 'integer', minimum: 1, maximum: 86_400 },
    answeredBy: {
      type: 'array',
      minItems: 1,
      maxItems: 50,
      items: { type: 'string', minLength: 1, maxLength: 255 },
    },
    callbacks: { type: 'array', maxItems: 10, items: callbackSchema },
    alerts: { type: 'array', maxItems: 10, items: alertRuleSchema },
    retry: {
      type: 'object',
      additionalProperties: false,
      required: ['attempts'],
      properties: {
        attempts: { type: 'integer', minimum: 2, maximum: 20 },
        backoffSeconds: { type: 'integer', minimum: 1, maximum: 3_600 },
        maximumBackoffSeconds: { type: 'integer', minimum: 1, maximum: 86_400 },
        on: {
          type: 'array',
          minItems: 1,
          maxItems: 4,
          items: { enum: ['component_failed', 'deadline_exceeded', 'internal', 'python_busy'] },
        },
      },
    },
    cache: {
      type: 'object',
      additionalProperties: false,
      required: ['ttlSeconds'],
      properties: { ttlSeconds: { type: 'integer', minimum: 1, maximum: 86_400 } },
    },
    sessions: { enum: ['shared', 'own'] },
    retention: {
      type: 'object',
      additionalProperties: false,
      properties: {
        // Senders repeat a delivery for three days.
        runs: { type: 'integer', minimum: 4, maximum: 36_500 },
        messages: { type: 'integer', minimum: 1, maximum: 36_500 },
        vertexRecords: { type: 'integer', minimum: 1, maximum: 36_500 },
        files: { type: 'integer', minimum: 1, maximum: 36_500 },
      },
    },
    records: {
      type: ['object', 'string'],
      pattern: '^(full|lean|none)$',
      additionalProperties: false,
      properties: {
        runs: { enum: ['full', 'lean', 'none'] },
        sampleRate: { type: 'number', minimum: 0, maximum: 1 },
        values: { enum: ['off', 'failed', 'all'] },
        steps: { enum: ['on', 'off'] },
      },
    },
  },
};
