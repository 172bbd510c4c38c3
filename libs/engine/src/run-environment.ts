import type { Message, MessageQuery, PythonValue, RunEvent, RunMoment, RunResources } from '@millrace/flow';
import type { VertexRecord } from './vertex-record';
import type { VertexWatch } from './vertex-watch';

/** Hard bounds of one run. */
export interface RunLimits {
  /** How many vertices may be executed, repeats included. */
  readonly maximumVertices: number;
  /** How large the answer may be, in bytes of JSON. */
  readonly maximumOutputBytes: number;
}

/** How many vertices may still be executed; whoever shares it counts together. */
export interface VertexBudget {
  remaining: number;
}

/** Where a run's messages are kept. */
export interface RunMessages {
  /** Resolves when reads see it that take place at a moment that sees the one it was stored at. */
  store(message: Message, at: RunMoment): Promise<void>;
  /** Of the run's own messages, it gives those that were stored at moments that this one sees. */
  read(query: MessageQuery, at: RunMoment): Promise<readonly Message[]>;
}

/** What a frozen vertex gave; only the engine looks inside. */
export type FrozenResult = VertexRecord;

/** Where results of frozen vertices are kept from run to run, by a key that stands for their content. */
export interface FrozenResults {
  get(key: string): FrozenResult | undefined;
  /** May forget it at any time; `bytes` is about what it takes. */
  set(key: string, result: FrozenResult, bytes: number): void;
}

/** Remembers what a run has done outside of itself. */
export interface RunEffects {
  /** Gives what came of it in an earlier attempt, or does it and keeps what comes of it. */
  once(vertexId: string, name: string, act: () => Promise<PythonValue>): Promise<PythonValue>;
}

/** Everything around one attempt at a run. */
export interface RunEnvironment {
  readonly runId: string;
  readonly attempt: number;
  /** Of a flow that runs as a part of the run: what tells it from all other parts, the same in each attempt. */
  readonly part?: string;
  /** Of such a flow: when it runs, in the order of the run it is a part of. */
  readonly moment?: RunMoment;
  readonly userId: string;
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch; the run ends with `deadline_exceeded` when it passes. */
  readonly deadline: number;
  readonly limits: RunLimits;
  /** Shared with runs that are parts of this one, or that this one is a part of; of its own unless given. */
  readonly budget?: VertexBudget;
  readonly messages: RunMessages;
  readonly fetch: typeof fetch;
  /** What components use of the installation. */
  readonly resources: RunResources;
  /** Without it, every attempt does all there is to do. */
  readonly effects?: RunEffects | undefined;
  /** A stored variable of the run's user (not the request's own); undefined when there is none. */
  variable(name: string): Promise<string | undefined>;
  /** A streaming caller's events, in order; awaited, so that a slow reader slows the run. */
  emit(event: RunEvent): void | Promise<void>;
  /** Whether an unresolved variable may come from the process environment. */
  readonly environmentVariable?: (name: string) => string | undefined;
  /** Without it, frozen vertices run like all others. */
  readonly frozenResults?: FrozenResults;
  /**
   * The clock of messages in milliseconds since the epoch, where it is not that of the deadline; this machine's unless
   * given.
   */
  readonly messageClock?: () => number;
  /** The clock in milliseconds since the epoch, for the deadline and for timestamps; the real one unless given. */
  readonly now?: () => number;
  /** Told of each timestamp that the run makes. */
  stamped?(timestamp: string): void;
  /** Called with what failed beside a run and changes nothing for it: a failed run's message that was not stored. */
  onSideFailure?(error: unknown): void;
  /** Told of each vertex by those who look on; it costs nothing where it is absent. */
  readonly watch?: VertexWatch | undefined;
  /** Called after each vertex ends. */
  onVertex?(vertex: VertexReport): void;
}

/** How one vertex of a run went. */
export interface VertexReport {
  readonly vertexId: string;
  readonly componentType: string;
  readonly state: 'succeeded' | 'failed' | 'stopped';
  readonly milliseconds: number;
}
