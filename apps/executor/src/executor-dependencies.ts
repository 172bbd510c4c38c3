import type { BrokerNames } from '@millrace/contracts';
import type { RunLimits } from '@millrace/engine';
import type { ComponentRegistry } from '@millrace/flow';
import type { KeyValueStore } from '@millrace/key-value';
import type { MessageBus } from '@millrace/messaging';
import type { FlowStore, RequestSeal, RunStore, SessionHistory, VariableStore } from '@millrace/runs';
import type { IsolatedAttempts } from './isolation/isolated-attempts';
import type { ResourceProviders } from './resources/resource-providers';
import type { ResultCacheBounds } from './result-cache/result-cache';
import type { Health, Logger, Metrics, SharedClock } from '@millrace/service';

/** Everything an executor works with; whoever starts it owns and closes these. */
export interface ExecutorDependencies {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly bus: MessageBus;
  readonly keyValue: KeyValueStore;
  readonly registry: ComponentRegistry;
  readonly names: BrokerNames;
  /** For what is compared with times of other machines. */
  readonly clock: SharedClock;
  readonly flows: FlowStore;
  readonly runs: RunStore;
  /** Opens requests that were sealed on their way. */
  readonly seal: RequestSeal;
  readonly history: SessionHistory;
  readonly variables: VariableStore;
  readonly limits: RunLimits;
  /** Without it no results are kept. */
  readonly resultCache?: ResultCacheBounds;
  readonly fetch: typeof fetch;
  readonly resources: ResourceProviders;
  readonly environmentVariable: (name: string) => string | undefined;
  /** Names this process among all executors. */
  readonly worker: string;
  readonly version: string;
  readonly pool: string;
  /** How many runs at a time. */
  readonly concurrency: number;
  /** How late the event loop may be before fewer runs are taken in; it is not measured unless given. */
  readonly maximumLagMilliseconds?: number;
  /** Processes for runs that must not be near others; without them such a run has this process for itself. */
  readonly isolation?: IsolatedAttempts;
}
