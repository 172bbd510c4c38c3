import type { BrokerNames } from '@millrace/contracts';
import type { Database } from '@millrace/database';
import type { ComponentRegistry } from '@millrace/flow';
import type { KeyValueStore } from '@millrace/key-value';
import type { MessageBus } from '@millrace/messaging';
import type {
  ApiKeyStore,
  FlowStore,
  McpServerStore,
  MessageStore,
  RequestSeal,
  RunStore,
  SessionHistory,
  UserStore,
  VariableStore,
} from '@millrace/runs';
import type { BodyBudget, Health, Logger, Metrics, SharedClock } from '@millrace/service';
import type { Webhooks } from './routes/webhook-door';
import type { GatewaySettings } from './settings';

/** The settings the gateway itself goes by; the rest is for whoever opens its connections. */
export type GatewayOptions = Pick<
  GatewaySettings,
  | 'MILLRACE_RUN_DEADLINE_SECONDS'
  | 'MILLRACE_BACKGROUND_LIMIT_SECONDS'
  | 'MILLRACE_MAXIMUM_ATTEMPTS'
  | 'MILLRACE_USER_RUNS_AHEAD'
  | 'MILLRACE_USER_RUNS_WAITING'
  | 'MILLRACE_USER_CALLERS'
  | 'MILLRACE_KEY_REQUESTS_PER_SECOND'
  | 'MILLRACE_LIMIT_PROCESSES'
  | 'MILLRACE_WORKERS'
  | 'MILLRACE_MAXIMUM_BODY_BYTES'
  | 'MILLRACE_MAXIMUM_BODY_MEMBERS'
  | 'MILLRACE_MAXIMUM_FLOW_MEMBERS'
  | 'MILLRACE_MAXIMUM_BODIES_BYTES'
  | 'MILLRACE_MAXIMUM_UPLOAD_BYTES'
  | 'MILLRACE_MAXIMUM_WAITING_RUNS'
  | 'MILLRACE_WEBHOOK_AUTH'
  | 'MILLRACE_QUERY_KEYS'
  | 'MILLRACE_COMPATIBILITY'
  | 'MILLRACE_PUBLIC_URL'
  | 'MILLRACE_SHUTDOWN_SECONDS'
>;

/** Everything a gateway works with; whoever starts it owns and closes these. */
export interface GatewayDependencies {
  readonly settings: GatewayOptions;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly database: Database;
  readonly bus: MessageBus;
  readonly keyValue: KeyValueStore;
  readonly registry: ComponentRegistry;
  readonly names: BrokerNames;
  /** For what is compared with times of other machines. */
  readonly clock: SharedClock;
  readonly users: UserStore;
  readonly apiKeys: ApiKeyStore;
  readonly flows: FlowStore;
  readonly variables: VariableStore;
  readonly mcpServers: McpServerStore;
  /** A variable of the environment that flows may use when their user has none of that name. */
  readonly environmentVariable: (name: string) => string | undefined;
  readonly runs: RunStore;
  /** Seals requests that may hold secrets on their way to an executor. */
  readonly seal: RequestSeal;
  readonly messages: MessageStore;
  readonly history: SessionHistory;
  /** Names this process on the broker. */
  readonly instance: string;
  readonly webhooks: Webhooks;
  /**
   * The budget of a process that ingests and executes, too: bodies count in it until they are answered. Without it the
   * gateway has one of its own, and gives a body back once its run has been sent.
   */
  readonly bodies?: BodyBudget;
}
