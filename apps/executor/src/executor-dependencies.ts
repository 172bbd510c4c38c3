import type { BrokerNames } from '@millrace/messages';
import type { ComponentRegistry } from '@millrace/flow';
import type { KeyValueStore } from '@millrace/key-value';
import type { AfterTurn, MessageBus } from '@millrace/messaging';
import type { FlowStore, RequestSeal, RunStore, SessionHistory, VariableStore } from '@millrace/runs';
import type { IsolatedAttempts } from './attempts/isolation/isolated-attempts';
import type { ExecutorPython } from './attempts/python/executor-python';
import type { ResourceProviders } from './attempts/resources/resource-providers';
import type { ExecutorSettings } from './settings';
import type { RunTraces } from './traces/run-traces';
import type { Health, Logger, Metrics, SharedClock } from '@millrace/service';

/** The settings that the executor reads. The others are for the code that opens its connections. */
export type ExecutorOptions = Pick<
  ExecutorSettings,
  | 'MILLRACE_POOL'
  | 'MILLRACE_CONCURRENCY'
  | 'MILLRACE_VERTEX_RECORDS'
  | 'MILLRACE_VERTEX_RECORD_SAMPLE_RATE'
  | 'MILLRACE_VERTEX_RECORD_VALUES'
  | 'MILLRACE_MODEL_PRICES'
>;

/** Limits that are no settings, and that tests change. Without an upper limit, the lag of the event loop is not measured. */
export type ExecutorLimits = Readonly<
  Record<
    | 'runVertices'
    | 'outputBytes'
    | 'userCachedResults'
    | 'cachedResultCharacters'
    | 'eventLoopLagMilliseconds',
    number
  >
>;

/** Everything an executor depends on. The code that starts it owns and closes these. */
export interface ExecutorDependencies {
  readonly settings: ExecutorOptions;
  /** The fixed limits unless given. */
  readonly limits?: Partial<ExecutorLimits>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly bus: MessageBus;
  readonly keyValue: KeyValueStore;
  readonly registry: ComponentRegistry;
  readonly names: BrokerNames;
  /** For times that are compared with times of other machines. */
  readonly clock: SharedClock;
  readonly flows: FlowStore;
  readonly runs: RunStore;
  /** Decrypts sealed requests. */
  readonly seal: RequestSeal;
  readonly history: SessionHistory;
  readonly variables: VariableStore;
  readonly fetch: typeof fetch;
  readonly resources: ResourceProviders;
  /** Absent when nothing runs in Python. */
  readonly python?: ExecutorPython | undefined;
  readonly environmentVariable: (name: string) => string | undefined;
  /** Absent when the process is not traced. */
  readonly traces?: RunTraces | undefined;
  /** Unique name of this process among all executors. */
  readonly worker: string;
  readonly version: string;
  /**
   * Deliveries of runs with a waiting caller that are taken beyond the concurrent runs, because they wait for a free slot or,
   * after their answer, for their record; 64 unless given. More of them keep a slow commit from delaying other runs, and
   * keep messages from other executors.
   */
  readonly prefetchAhead?: number;
  /** Replaces the end of a turn of the event loop, where replies that are ready are sent; for tests. */
  readonly afterTurn?: AfterTurn;
  /** Separate processes for isolated attempts; without them, such an attempt runs alone in this process. */
  readonly isolation?: IsolatedAttempts;
}
