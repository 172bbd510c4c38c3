import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RefusedSignIns } from '@millrace/access';
import type { BrokerNames } from '@millrace/messages';
import type { Database, Transactional } from '@millrace/database';
import type { ComponentRegistry } from '@millrace/flow';
import type { BodyBudget } from '@millrace/http';
import type { KeyValueStore } from '@millrace/key-value';
import type { AfterTurn, MessageBus } from '@millrace/messaging';
import type {
  ApiKeyStore,
  ApprovedCode,
  AuditLog,
  AuthorCodeStore,
  CallbackStore,
  ConsoleSessionStore,
  DecisionLinks,
  EndedRequests,
  FileStore,
  FlowStore,
  KnowledgeBaseStore,
  McpServerStore,
  MemberStore,
  MessageStore,
  ProjectStore,
  RequestSeal,
  RunStore,
  SessionHistory,
  TriggerEventStore,
  TriggerStore,
  UserStore,
  VariableStore,
} from '@millrace/runs';
import { fixedLimits } from '@millrace/service';
import type { Health, Logger, Metrics, SettingsDefinition, SharedClock } from '@millrace/service';
import type { GatewaySettings } from './settings';

/** The settings that the gateway reads. The others are for the code that opens its connections. */
export type GatewayOptions = Pick<
  GatewaySettings,
  | 'MILLRACE_RUN_DEADLINE_SECONDS'
  | 'MILLRACE_BACKGROUND_RUN_DEADLINE_SECONDS'
  | 'MILLRACE_RUN_RECORDS'
  | 'MILLRACE_USER_QUEUE_SHARE'
  | 'MILLRACE_USER_BACKLOG_LIMIT'
  | 'MILLRACE_USER_CONCURRENT_RUNS'
  | 'MILLRACE_KEY_REQUESTS_PER_SECOND'
  | 'MILLRACE_TOTAL_WORKERS'
  | 'MILLRACE_TRUSTED_PROXIES'
  | 'MILLRACE_WORKERS'
  | 'MILLRACE_MAXIMUM_BODY_BYTES'
  | 'MILLRACE_MAXIMUM_BUFFERED_BODY_BYTES'
  | 'MILLRACE_MAXIMUM_UPLOAD_BYTES'
  | 'MILLRACE_WEBHOOK_AUTH'
  | 'MILLRACE_QUERY_KEYS'
  | 'MILLRACE_ISSUERS'
  | 'MILLRACE_COMPATIBILITY'
  | 'MILLRACE_PUBLIC_URL'
  | 'MILLRACE_CONSOLE'
  | 'MILLRACE_TRACE_URL_TEMPLATE'
  | 'MILLRACE_SHUTDOWN_SECONDS'
  | 'MILLRACE_PYTHON'
  | 'MILLRACE_ACCESS_LOG'
  | 'MILLRACE_BACKLOG_INTERVAL_SECONDS'
  | 'MILLRACE_AUTOSCALE_TARGET_RUNS'
  | 'MILLRACE_AUTOSCALE_MINIMUM_EXECUTORS'
  | 'MILLRACE_AUTOSCALE_MAXIMUM_EXECUTORS'
>;

/** Limits that are no settings, and that tests lower. */
export type GatewayLimits = Readonly<
  Record<
    | 'flowMembers'
    | 'gatewayConcurrentRuns'
    | 'userTriggers'
    | 'userQueueSources'
    | 'sessionCheckMilliseconds'
    | 'sessionChecksOfIssuer',
    number
  >
>;

/** Where webhooks are handled: by a separate service, or by a handler in this process. */
export type Webhooks =
  | { readonly forwardTo: string }
  | { readonly handle: (request: IncomingMessage, response: ServerResponse) => unknown };

/** Everything a gateway depends on. The code that starts it owns and closes these. */
export interface GatewayDependencies {
  readonly settings: GatewayOptions;
  /** The fixed limits unless given. */
  readonly limits?: Partial<GatewayLimits>;
  /** The settings that admins see; those of the gateway unless given. */
  readonly settingsDefinition?: SettingsDefinition;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly database: Database;
  /** For lists and history, which a replica can serve; `database` unless given. */
  readonly reads?: Transactional | undefined;
  readonly bus: MessageBus;
  readonly keyValue: KeyValueStore;
  readonly registry: ComponentRegistry;
  readonly names: BrokerNames;
  /** For times that are compared with those of other machines. */
  readonly clock: SharedClock;
  readonly audit: AuditLog;
  readonly files: FileStore;
  readonly refusedSignIns: RefusedSignIns;
  readonly users: UserStore;
  readonly apiKeys: ApiKeyStore;
  readonly consoleSessions: ConsoleSessionStore;
  readonly projects: ProjectStore;
  readonly members: MemberStore;
  readonly flows: FlowStore;
  readonly variables: VariableStore;
  readonly mcpServers: McpServerStore;
  readonly knowledgeBases: KnowledgeBaseStore;
  readonly authorCode: AuthorCodeStore;
  readonly approvedCode: ApprovedCode;
  /** Returns the environment variable that a flow can use when its user has no variable of that name. */
  readonly environmentVariable: (name: string) => string | undefined;
  readonly runs: RunStore;
  readonly callbacks: CallbackStore;
  readonly decisionLinks: DecisionLinks;
  readonly endedRequests: EndedRequests;
  readonly triggers: TriggerStore;
  readonly triggerEvents: TriggerEventStore;
  /** Encrypts secrets in requests to executors. */
  readonly seal: RequestSeal;
  readonly messages: MessageStore;
  readonly history: SessionHistory;
  /** Name of this process on the broker. */
  readonly instance: string;
  /** The pool of flows that need Python and name no pool; null when they go to the pool of all others. */
  readonly pythonPool: string | null;
  readonly webhooks: Webhooks;
  /** The folder of the built web console; null for none, undefined where it is found beside the program. */
  readonly consoleFolder?: string | null;
  /** The folder of the built guide, likewise. */
  readonly guideFolder?: string | null;
  /**
   * Jobs, and replies to this gateway, share a message when they are ready together, which saves work of a broker in another
   * process.
   */
  readonly batchesMessages: boolean;
  /** Replaces the end of a turn of the event loop, where jobs that are ready are sent; for tests. */
  readonly afterTurn?: AfterTurn;
  /** How many jobs without a row are sent to a pool with this many slots before users take turns; see FairQueue. */
  readonly maximumSent?: (slots: number | null) => number;
  /**
   * Body budget shared with ingest and the executor in the same process: bodies count until their request is answered.
   * Without it the gateway has a separate budget, and releases a body once its run has been sent.
   */
  readonly bodies?: BodyBudget;
}

/** Returns the limits of a gateway that are no settings. */
export function limitsOf({ limits }: Pick<GatewayDependencies, 'limits'>): GatewayLimits {
  return { ...fixedLimits, ...limits };
}

/** Returns how many processes of the gateway share the limits of a user or key. */
export function processesOf(settings: GatewayOptions): number {
  return settings.MILLRACE_TOTAL_WORKERS ?? settings.MILLRACE_WORKERS;
}
