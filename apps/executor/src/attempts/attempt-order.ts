import type { CachePolicy } from '@millrace/messages';
import type { RecordSettings, Plan, RunEvent, RunRequest } from '@millrace/flow';
import type { FrozenResults, RunLimits, RunObserver, VertexObserver } from '@millrace/engine';
import type { FlowStore, RunStore, SessionHistory, VariableStore } from '@millrace/runs';
import type { Logger, SharedClock } from '@millrace/service';
import type { PlanCache } from './plan-cache';
import type { AttemptPythonParts } from './python/executor-python';
import type { ResourceProviders } from './resources/resource-providers';
import type { RunFootprint } from './result-cache/run-footprint';
import type { Budgets } from './spending/budgets';
import type { Recording, RunRecorder } from './vertex-records/run-recorder';

export interface AttemptDependencies {
  readonly flows: FlowStore;
  readonly runs: Pick<RunStore, 'resumption'>;
  readonly plans: PlanCache;
  readonly history: SessionHistory;
  /** Called for each read of the session of a flow's callers without one. */
  readonly onSharedHistory?: ((flowId: string) => void) | undefined;
  readonly variables: VariableStore;
  readonly limits: RunLimits;
  readonly fetch: typeof fetch;
  readonly resources: ResourceProviders;
  /** Absent when nothing runs in Python. */
  readonly python?: AttemptPythonParts | undefined;
  readonly environmentVariable: (name: string) => string | undefined;
  readonly frozenResults: FrozenResults;
  readonly recording: Recording;
  readonly budgets: Pick<Budgets, 'reserve'>;
  /** Clock of message timestamps; the messages of one session can be created on several machines. */
  readonly clock: SharedClock;
  readonly logger: Logger;
}

export interface AttemptOrder {
  readonly runId: string;
  readonly attempt: number;
  readonly userId: string;
  readonly flowId: string;
  /** The API key that asked for the run; null for none. */
  readonly keyId: string | null;
  /** Resolves to null when the flow version no longer exists. */
  plan(): Promise<Plan | null>;
  readonly request: RunRequest;
  /** True when the run had a row before its first attempt; its effects are recorded there. */
  readonly durable: boolean;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  /** Maximum size of the answer, as JSON in UTF-8. */
  readonly maximumAnswerBytes: number;
  emit(event: RunEvent): void | Promise<void>;
  /** Notified of each vertex; null when nothing watches the run. */
  readonly watch: VertexObserver | null;
  /** What the flow sets for the records of its vertices. */
  readonly recordSettings?: RecordSettings | null;
  /** Whether the attempt before has failed. */
  readonly followsFailure?: boolean;
  /** Called before the first vertex with what tells what the vertices have done so far. */
  onRecording?(recorder: Pick<RunRecorder, 'traceSoFar'>): void;
  /** Observes the steps of the attempt; absent when nothing does. */
  readonly observer?: RunObserver | undefined;
  /** Records what the attempt reads, for the result cache. */
  readonly footprint?: RunFootprint;
}

export interface DispatchOrder extends AttemptOrder {
  readonly flowVersion: number;
  /** True for an attempt that must run in a separate process, if processes for isolated attempts are available. */
  readonly isolated: boolean;
  /** Absent for a run that must always be executed. */
  readonly cache?: CachePolicy | undefined;
}
