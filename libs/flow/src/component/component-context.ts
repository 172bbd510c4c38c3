import type { Message } from '../values/message';
import type { RunMoment } from '../run/run-moment';
import type { PythonValue } from '../values/python-value';
import type { RunResources } from './resources/run-resources';

/** The vertex at the other end of a wire. */
export interface WiredVertex {
  readonly id: string;
  readonly type: string;
  readonly displayName: string;
  /** The model it names (its model_name, model_id or model field), if it has one. */
  readonly modelName: string | null;
}

/** Which stored messages of this flow to read. */
export interface MessageQuery {
  readonly sessionId: string;
  readonly contextId?: string;
  readonly sender?: string;
  readonly senderName?: string;
  /** The newest ones, at most this many. */
  readonly limit: number;
  readonly order: 'ascending' | 'descending';
}

/** What a component may know and do besides its inputs. One context belongs to one vertex in one run. */
export interface ComponentContext {
  readonly vertex: { readonly id: string; readonly type: string; readonly displayName: string };
  readonly run: {
    readonly id: string;
    readonly attempt: number;
    /** Empty; in a flow that runs as a part of the run, what tells it from other parts, the same in each attempt. */
    readonly part: string;
    readonly flowId: string;
    readonly userId: string;
    readonly sessionId: string;
  };
  /** Fires when the run is cancelled, is past its deadline, or its executor lost it. */
  readonly signal: AbortSignal;
  /** What is left of the run's time, in milliseconds, never below 0. */
  remainingMilliseconds(): number;
  /** Every field of the vertex by name, also those the component does not declare (prompt variables), resolved. */
  readonly fields: Readonly<Record<string, PythonValue>>;
  /** True when this output is wired, or when no output of the vertex is. */
  wants(output: string): boolean;
  /** True when an output of this vertex is wired to a vertex of this type. */
  feeds(type: string): boolean;
  /** The source of the first wire into this input. */
  source(input: string): WiredVertex | null;
  /** The source of the first wire into this vertex, whichever input it feeds. */
  firstSource(): WiredVertex | null;
  /** How often the vertex has run in this run, this time included: more than once in a cycle. */
  readonly execution: number;
  /** When the vertex runs, as the layers of the graph order it. */
  readonly moment: RunMoment;
  /** Stops the branch that begins at this output. */
  stop(output: string): void;
  /**
   * For a loop: runs what hangs between this output and the wire that leads back into it, once for each value, one
   * after the other, each time as if it had never run. Gives what came back each time, null where nothing did; nothing
   * at all when no wire leads back.
   */
  repeat(output: string, values: readonly PythonValue[]): Promise<readonly PythonValue[]>;
  /**
   * What the vertex shows of itself (Langflow's `self.status`): the `repr` of its artifacts. Left alone, a message
   * shows itself, and any other output its own value, which then stands in `outputs` whole; `null` counts as left
   * alone.
   */
  status(value: PythonValue): void;
  /** Adds a line to the logs of an output (the first one made, unless named); `name` is "Log 1", … unless given. */
  log(message: string, options?: { readonly name?: string; readonly output?: string }): void;
  /**
   * Stores a message in the run's session, gives it its id, emits it to a streaming caller (a message whose text is
   * a stream goes out in parts: partial add_message, tokens, whole add_message) and returns it with its whole text.
   * Like `storeMessage`, for components that declare `storesMessages`.
   */
  sendMessage(message: Message): Promise<Message>;
  /** Stores a message of this flow, in the run's session unless it names one, and gives it its id. Shows it to nobody. */
  storeMessage(message: Message, at?: RunMoment): Promise<Message>;
  /**
   * Stored messages of this flow. Of those of this run, it gives what earlier layers of the graph and the vertex itself
   * have stored (the moment `at` sees it, the vertex's own unless given), and waits for vertices that may still do so.
   */
  readMessages(query: MessageQuery, at?: RunMoment): Promise<readonly Message[]>;
  /**
   * Does something outside of the run that must not be done twice. When an executor dies and another one runs a run
   * that was written down again, what was done is not repeated: it gets what came of it then, as JSON can say it.
   * `name` tells effects of one vertex apart; those of the same name must come in the same order in each attempt.
   */
  effect<Result extends PythonValue>(name: string, act: () => Promise<Result>): Promise<Result>;
  /** A variable of the request, of the user, or undefined. */
  variable(name: string): Promise<string | undefined>;
  /** fetch that refuses private addresses unless the operator allows them, and ends with the run. */
  readonly fetch: typeof fetch;
  /** Files, vectors, scripts, other flows and connections. */
  readonly resources: RunResources;
}
