import type { RefusedSignIns } from '@millrace/access';
import type { BrokerNames } from '@millrace/messages';
import type { LostAttempts } from '@millrace/dispatch';
import type { BodyBudget } from '@millrace/http';
import type { MessageBus } from '@millrace/messaging';
import type {
  ApiKeyStore,
  AuditLog,
  CallbackStore,
  FileStore,
  FlowStore,
  QueueSourceStore,
  RefusedDeliveryStore,
  RunStore,
  TriggerEventStore,
  TriggerStore,
  VariableStore,
} from '@millrace/runs';
import type {
  AccessLogRule,
  Health,
  Logger,
  Metrics,
  OutgoingFetch,
  OutgoingGuard,
  SharedClock,
} from '@millrace/service';

/** What consumes from queues of users' brokers. */
export interface QueueDependencies {
  readonly sources: QueueSourceStore;
  /** Decides which addresses of brokers can be reached. */
  readonly guard: OutgoingGuard;
  readonly maximumPrefetch: number;
  readonly maximumMessageBytes: number;
  /** Maximum number of queues from which this process consumes. */
  readonly maximumSources: number;
  /** Interval at which sources are looked for; default one second. */
  readonly roundMilliseconds?: number;
  /** How long a source stays with a process that has ended. */
  readonly leaseMilliseconds: number;
}

/** Everything the ingest service works with; the code that starts it owns and closes these. */
export interface IngestDependencies {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  /** For times that are compared with those of other machines. */
  readonly clock: SharedClock;
  readonly audit: Pick<AuditLog, 'prune' | 'recording'>;
  readonly refusedSignIns: RefusedSignIns;
  readonly apiKeys: ApiKeyStore;
  readonly flows: FlowStore;
  /** Contains the secrets of signed webhooks and the URLs of users' brokers. */
  readonly variables: Pick<VariableStore, 'value' | 'find'>;
  readonly files: FileStore;
  readonly runs: RunStore;
  readonly triggers: TriggerStore;
  readonly triggerEvents: TriggerEventStore;
  readonly callbacks: CallbackStore;
  /** Records the spans of attempts that no other one follows. */
  readonly lostAttempts?: LostAttempts | undefined;
  readonly refusedDeliveries: RefusedDeliveryStore;
  /** Sends callbacks; reaches public addresses and those that the installation allows. */
  readonly fetch: OutgoingFetch;
  /** Maximum number of callbacks under way to one receiver; default 16. */
  readonly callbackConcurrency?: number;
  /** How long a receiver has to answer; default 15 seconds. */
  readonly callbackTimeoutMilliseconds?: number;
  /** Interval at which due callbacks are looked for; default one second. */
  readonly callbackIntervalMilliseconds?: number;
  /** Consumes from queues of users' brokers; no process consumes unless given. */
  readonly queues?: QueueDependencies;
  /** The name of this process on the broker. */
  readonly instance: string;
  /** The pool of flows that need Python and name no pool; null when they go to the pool of all others. */
  readonly pythonPool: string | null;
  readonly webhookAuthentication: 'required' | 'off';
  readonly maximumBodyBytes: number;
  /** Maximum number of members of a JSON body. */
  readonly maximumBodyMembers: number;
  /** Limits the bytes of request bodies that are in memory at a time. */
  readonly bodies: BodyBudget;
  /** Which requests have a line in the log of a separate ingest process. */
  readonly accessLog: AccessLogRule;
  readonly backgroundLimitMilliseconds: number;
  readonly maximumAttempts: number;
  /** How long ended runs are kept. */
  readonly runRetentionDays: number;
  /** How long entries of the audit log are kept. */
  readonly auditRetentionDays: number;
  /** The number of newest versions of each flow that are kept. */
  readonly keptFlowVersions: number;
  /** Maximum number of requests of a key per second; undefined for no limit. */
  readonly keyRequestsPerSecond?: number | undefined;
  /** How many processes share that limit; default 1. */
  readonly limitProcesses?: number;
  /**
   * Maximum number of background runs of one user in one pool that are published and not yet started; 0 for no limit.
   * The others stay in the backlog.
   */
  readonly publishedRunsPerUser: number;
  /** Maximum number of backlog runs of one user. */
  readonly userBacklogLimit: number;
  /** Interval at which the backlog is counted. */
  readonly backlogIntervalMilliseconds: number;
  /** Interval at which the sweeper looks for runs without a message; default one second. */
  readonly sweepIntervalMilliseconds?: number;
  /** Interval at which the due schedules are looked for; default one second. */
  readonly scheduleIntervalMilliseconds?: number;
  /** Interval at which old records are deleted; default one minute. */
  readonly pruneIntervalMilliseconds?: number;
  /** Interval at which the backlog is checked while it is empty; default one second. */
  readonly releaseIntervalMilliseconds?: number;
}
