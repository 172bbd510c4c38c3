import type { KeyValueStore } from '@millrace/key-value';
import type { RefusedSignIns } from '@millrace/access';
import type { BrokerNames } from '@millrace/messages';
import type { LostAttempts } from '@millrace/dispatch';
import type { BodyBudget } from '@millrace/http';
import type { MessageBus } from '@millrace/messaging';
import type {
  AlertStore,
  ApiKeyStore,
  AuditLog,
  BodyMover,
  CallbackStore,
  EndedRequests,
  FileStore,
  ObjectDeletions,
  FlowStore,
  QueueSourceStore,
  RefusedDeliveryStore,
  RetentionStore,
  RunStore,
  TriggerEventStore,
  TriggerStore,
  VariableStore,
} from '@millrace/runs';
import type { Health, Logger, Metrics, OutgoingFetch, SharedClock } from '@millrace/service';
import type { IngestSettings } from './settings';

/** The settings that ingest reads. The others are for the code that opens its connections. */
export type IngestOptions = Pick<
  IngestSettings,
  | 'MILLRACE_WEBHOOK_AUTH'
  | 'MILLRACE_MAXIMUM_BODY_BYTES'
  | 'MILLRACE_MAXIMUM_BUFFERED_BODY_BYTES'
  | 'MILLRACE_ACCESS_LOG'
  | 'MILLRACE_BACKGROUND_RUN_DEADLINE_SECONDS'
  | 'MILLRACE_USER_QUEUE_SHARE'
  | 'MILLRACE_USER_BACKLOG_LIMIT'
  | 'MILLRACE_BACKLOG_INTERVAL_SECONDS'
  | 'MILLRACE_KEY_REQUESTS_PER_SECOND'
  | 'MILLRACE_TOTAL_WORKERS'
  | 'MILLRACE_TRUSTED_PROXIES'
  | 'MILLRACE_WORKERS'
  | 'MILLRACE_OUTGOING_ALLOW'
  | 'MILLRACE_RUN_RETENTION_DAYS'
  | 'MILLRACE_RETENTION'
  | 'MILLRACE_AUDIT_RETENTION_DAYS'
  | 'MILLRACE_KEPT_FLOW_VERSIONS'
>;

/** Limits that are no settings, and that tests change. */
export type IngestLimits = Readonly<
  Record<
    | 'bodyMembers'
    | 'runAttempts'
    | 'callbackConcurrency'
    | 'callbackTimeoutMilliseconds'
    | 'queuePrefetch'
    | 'queueMessageBytes'
    | 'processQueueSources'
    | 'queueLeaseMilliseconds',
    number
  >
>;

/** Everything the ingest service works with; the code that starts it owns and closes these. */
export interface IngestDependencies {
  readonly settings: IngestOptions;
  /** The fixed limits unless given. */
  readonly limits?: Partial<IngestLimits>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  /** For times that are compared with those of other machines. */
  readonly keyValue: KeyValueStore;
  readonly clock: SharedClock;
  readonly audit: Pick<AuditLog, 'prune' | 'recording'>;
  readonly refusedSignIns: RefusedSignIns;
  readonly apiKeys: ApiKeyStore;
  readonly flows: FlowStore;
  /** Contains the secrets of signed webhooks and the URLs of users' brokers. */
  readonly variables: Pick<VariableStore, 'value' | 'find' | 'hasOutside'>;
  readonly files: FileStore;
  /** Null, the default, when no object store is configured. */
  readonly objectDeletions?: ObjectDeletions | null;
  readonly bodyMover?: BodyMover | null;
  readonly runs: RunStore;
  readonly endedRequests: EndedRequests;
  readonly triggers: TriggerStore;
  readonly triggerEvents: TriggerEventStore;
  readonly callbacks: CallbackStore;
  readonly alerts: Pick<AlertStore, 'evaluate'>;
  /** Records the spans of attempts that no other one follows. */
  readonly lostAttempts?: LostAttempts | undefined;
  readonly refusedDeliveries: RefusedDeliveryStore;
  readonly retention: RetentionStore;
  /** Sends callbacks; reaches public addresses and those that the installation allows. */
  readonly fetch: OutgoingFetch;
  /** Interval at which due callbacks are looked for; default one second. */
  readonly callbackIntervalMilliseconds?: number;
  /** The sources of users' brokers; this process consumes from none unless given. */
  readonly queueSources?: QueueSourceStore;
  /** Interval at which sources are looked for; default one second. */
  readonly queueRoundMilliseconds?: number;
  /** The name of this process on the broker. */
  readonly instance: string;
  /** The pool of flows that need Python and name no pool; null when they go to the pool of all others. */
  readonly pythonPool: string | null;
  /** Body budget shared with the gateway and the executor in the same process. Without it ingest has a separate budget. */
  readonly bodies?: BodyBudget;
  /** Interval at which the sweeper looks for runs without a message; default one second. */
  readonly sweepIntervalMilliseconds?: number;
  /** Interval at which the due schedules are looked for; default one second. */
  readonly scheduleIntervalMilliseconds?: number;
  /** Interval at which the rules of flows are evaluated; default one minute. */
  readonly alertIntervalMilliseconds?: number;
  /** Interval at which old records are deleted; default one minute. */
  readonly pruneIntervalMilliseconds?: number;
  /** Interval at which the backlog is checked while it is empty; default one second. */
  readonly releaseIntervalMilliseconds?: number;
}
