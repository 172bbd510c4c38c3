import type {
  HumanDecision,
  LangflowRelease,
  MessageQuery,
  ModelSpending,
  RunEvent,
  RunMoment,
  RunResources,
} from '@millrace/flow';
import type { Message, MessageUsage, PythonValue } from '@millrace/python-text';
import type { VertexRecord } from './vertex-record';
import type { RunObserver } from './run-observer';
import type { VertexObserver } from './vertex-observer';

/** Limits of one run. */
export interface RunLimits {
  /** Maximum number of executed vertices, including repetitions. */
  readonly maximumVertices: number;
  /** Maximum size of the response, in bytes of JSON. */
  readonly maximumOutputBytes: number;
}

/** The remaining number of vertices that can be executed; shared by a run and its parts. */
export interface VertexBudget {
  remaining: number;
}

/** The message store of a run. */
export interface RunMessages {
  /** Stores a message. Resolves when reads at moments that see `at` return it. */
  store(message: Message, at: RunMoment): Promise<void>;
  /** Returns messages. Of the run's own messages, only those stored at moments that this one sees. */
  read(query: MessageQuery, at: RunMoment): Promise<readonly Message[]>;
}

/** The result of a frozen vertex; opaque outside of the engine. */
export type FrozenResult = VertexRecord;

/** A cache of results of frozen vertices across runs, by a key for their content. */
export interface FrozenResults {
  get(key: string): FrozenResult | undefined;
  /** Stores a result. The cache can evict it at any time; `bytes` is its approximate size. */
  set(key: string, result: FrozenResult, bytes: number): void;
}

/** Records the effects of a run. */
export interface RunEffects {
  /** Returns the recorded result of an earlier attempt, or performs the effect and records its result. */
  once(vertexId: string, name: string, act: () => Promise<PythonValue>): Promise<PythonValue>;
  /** Returns the result of a step of an earlier attempt; undefined for one that was not recorded. */
  findStep(place: string, name: string): Promise<PythonValue | undefined>;
  recordStep(place: string, name: string, result: PythonValue): Promise<void>;
}

/** What a run that can be suspended keeps between its attempts. */
export interface RunCheckpoint {
  /** Identifies the part of the run whose results it has; empty for the main flow. */
  readonly part: string;
  /** Returns the result of a vertex that ended before the run was suspended. `place` identifies the execution of a vertex. */
  resultAt(place: string): KeptResult | undefined;
  /** Returns the answer to a request; undefined while there is none. */
  decisionOn(requestId: string): HumanDecision | undefined;
  /** Adds results for the next attempt, when the run is suspended or an input of several has ended. */
  keep(results: ReadonlyMap<string, KeptResult>): void;
}

/** The result of a vertex, with the tokens that its model calls have used. */
export interface KeptResult {
  readonly record: VertexRecord;
  readonly usage: MessageUsage | null;
  /** Outputs that are more than content, such as a model: the next attempt computes them again, and nothing else of the vertex. */
  readonly missing?: readonly string[];
}

/** Everything that one attempt needs. */
export interface RunEnvironment {
  readonly runId: string;
  readonly attempt: number;
  /** For a flow that runs as part of a run: identifies the part; the same in each attempt. */
  readonly part?: string;
  /** For such a flow: its moment in the run that contains it. */
  readonly moment?: RunMoment;
  readonly userId: string;
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch; the run ends with `deadline_exceeded` when it passes. */
  readonly deadline: number;
  readonly limits: RunLimits;
  /** Shared between a run and its parts; a separate budget by default. */
  readonly budget?: VertexBudget;
  /**
   * Secrets that the run finds while it goes on. Shared between a run and its parts, whose results can contain them; a
   * separate set by default.
   */
  readonly foundSecrets?: Set<string>;
  /** Those of them that are credentials by their origin, which errors do not show either; shared in the same way. */
  readonly credentials?: Set<string>;
  readonly messages: RunMessages;
  readonly fetch: typeof fetch;
  /** Resources of the installation for components. */
  readonly resources: RunResources;
  /** Holds calls of models within budgets; absent where none can apply. */
  readonly spending?: ModelSpending | undefined;
  /** The Langflow release whose texts components produce; 1.13 by default. */
  readonly langflow?: LangflowRelease;
  /** If absent, every attempt performs all effects. */
  readonly effects?: RunEffects | undefined;
  /** If absent, the run cannot be suspended: a vertex that asks a person fails. */
  readonly checkpoint?: RunCheckpoint | undefined;
  /** Returns the names of the user's variables that fill empty fields, by the display names of the fields. */
  readonly fieldVariables?: () => ReadonlyMap<string, string> | Promise<ReadonlyMap<string, string>>;
  /** Returns a stored variable of the run's user (not of the request); undefined if there is none. */
  variable(name: string): Promise<string | undefined>;
  /** Called when a field names a variable that is nowhere; the vertex fails with what it throws. If absent, the field is null. */
  readonly onMissingVariable?: ((name: string) => void) | undefined;
  /** Emits an event to a streaming caller, in order; awaited, so that a slow reader slows the run. */
  emit(event: RunEvent): void | Promise<void>;
  /** Returns a variable of the process environment for one that is not found otherwise, if allowed. */
  readonly environmentVariable?: (name: string) => string | undefined;
  /** If absent, frozen vertices run like all others. */
  readonly frozenResults?: FrozenResults;
  /**
   * The clock for messages, in milliseconds since the epoch, if it differs from that of the deadline; this machine's by
   * default.
   */
  readonly messageClock?: () => number;
  /** The clock for the deadline and for timestamps, in milliseconds since the epoch; the real one by default. */
  readonly now?: () => number;
  /** Called with each timestamp that the run creates. */
  onTimestamp?(timestamp: string): void;
  /** Called with failures that do not affect the run, such as an error message that was not stored. */
  onSideFailure?(error: unknown): void;
  /** Observes the steps of the run, of its parts too; no cost if absent. */
  readonly observer?: RunObserver | undefined;
  /** Is notified of each vertex in the form for callers; no cost if absent. */
  readonly watch?: VertexObserver | undefined;
  /** Called after each vertex ends. */
  onVertex?(vertex: VertexReport): void;
}

/** The outcome of one vertex of a run. */
export interface VertexReport {
  readonly vertexId: string;
  readonly componentType: string;
  readonly state: 'succeeded' | 'failed' | 'stopped';
  readonly milliseconds: number;
}
