import type { BrokerNames } from '@millrace/messages';
import type { RunLimits } from '@millrace/engine';
import type { ComponentRegistry } from '@millrace/flow';
import type { KeyValueStore } from '@millrace/key-value';
import type { AfterTurn, MessageBus } from '@millrace/messaging';
import type { FlowStore, RequestSeal, RunStore, SessionHistory, VariableStore } from '@millrace/runs';
import type { IsolatedAttempts } from './attempts/isolation/isolated-attempts';
import type { ExecutorPython } from './attempts/python/executor-python';
import type { ResourceProviders } from './attempts/resources/resource-providers';
import type { Recording } from './attempts/vertex-records/run-recorder';
import type { ResultCacheBounds } from './attempts/result-cache/result-cache';
import type { RunTraces } from './traces/run-traces';
import type { Health, Logger, Metrics, SharedClock } from '@millrace/service';

/** Services and settings of an executor. The caller that starts it owns and closes the services. */
export interface ExecutorDependencies {
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
  readonly limits: RunLimits;
  /** Without it, results are not cached. */
  readonly resultCache?: ResultCacheBounds;
  readonly fetch: typeof fetch;
  readonly resources: ResourceProviders;
  /** Absent when nothing runs in Python. */
  readonly python?: ExecutorPython | undefined;
  readonly environmentVariable: (name: string) => string | undefined;
  /** If absent, nothing is recorded of vertices and models. */
  readonly recording?: Recording | undefined;
  /** Absent when the process is not traced. */
  readonly traces?: RunTraces | undefined;
  /** Unique name of this process among all executors. */
  readonly worker: string;
  readonly version: string;
  readonly pool: string;
  /** Maximum number of concurrent runs. */
  readonly concurrency: number;
  /**
   * Deliveries of runs with a waiting caller that are taken beyond `concurrency`, because they wait for a free slot or,
   * after their answer, for their record; 64 unless given. More of them keep a slow commit from delaying other runs, and
   * keep messages from other executors.
   */
  readonly prefetchAhead?: number;
  /** Maximum lag of the event loop before fewer runs are accepted; without it, the lag is not measured. */
  readonly maximumLagMilliseconds?: number;
  /** Replaces the end of a turn of the event loop, where replies that are ready are sent; for tests. */
  readonly afterTurn?: AfterTurn;
  /** Separate processes for isolated attempts; without them, such an attempt runs alone in this process. */
  readonly isolation?: IsolatedAttempts;
}
