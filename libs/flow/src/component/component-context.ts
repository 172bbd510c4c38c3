import type { LangflowRelease } from '../values/langflow-release';
import type { Message, MessageUsage, PythonValue } from '@millrace/python-text';
import type { HumanDecision, HumanRequest } from '../run/human-request';
import type { RunMoment } from '../run/run-moment';
import type { VertexCall, VertexOutcome } from '../python/vertex-call';
import type { ModelSpending } from './model-spending';
import type { VertexObservation } from './observation';
import type { InstallationResources } from './resources/run-resources';

/** The vertex at the other end of an edge. */
export interface ConnectedVertex {
  readonly id: string;
  readonly type: string;
  /** The name that its author gave it, or the component's. */
  readonly displayName: string;
  readonly componentName: string;
  /** The model that the vertex names (its model_name, model_id or model field); null if there is none. */
  readonly modelName: string | null;
}

/** Selects stored messages of this flow. */
export interface MessageQuery {
  readonly sessionId: string;
  readonly contextId?: string;
  readonly sender?: string;
  readonly senderName?: string;
  /** Maximum number of messages; the newest are returned. */
  readonly limit: number;
  readonly order: 'ascending' | 'descending';
}

/** The Python of one run. */
export interface PythonVertices {
  /**
   * Computes a vertex. Rejects with a ComponentError when the component fails, when its text is not approved, and when
   * the process ends.
   */
  compute(call: VertexCall, context: ComponentContext): Promise<VertexOutcome>;
}

/** Resources that the components of one run can use, besides models and network addresses. */
export interface RunResources extends InstallationResources {
  readonly python: PythonVertices;
}

/** Everything a component can access besides its inputs. One context belongs to one vertex in one run. */
export interface ComponentContext {
  readonly vertex: {
    readonly id: string;
    readonly type: string;
    readonly displayName: string;
    readonly icon: string | null;
  };
  readonly run: {
    readonly id: string;
    readonly attempt: number;
    /**
     * Empty for the main flow. For a flow that runs as part of this run, identifies that part; the same in each
     * attempt.
     */
    readonly part: string;
    readonly flowId: string;
    readonly userId: string;
    readonly sessionId: string;
  };
  /** Aborts when the run is cancelled, exceeds its deadline, or its executor loses the claim. */
  readonly signal: AbortSignal;
  /** Returns the remaining time of the run in milliseconds; never below 0. */
  remainingMilliseconds(): number;
  /**
   * All fields of the vertex by name, resolved, including those that the component does not declare (prompt variables).
   */
  readonly fields: Readonly<Record<string, PythonValue>>;
  /** Returns true when this output has an edge, or when no output of the vertex has one. */
  wants(output: string): boolean;
  /** Returns true when an edge leads from this vertex to a vertex of this type. */
  feeds(type: string): boolean;
  /** Returns the source of the first edge into this input. */
  source(input: string): ConnectedVertex | null;
  /** Returns the source of the first edge into this vertex, for any input. */
  firstSource(): ConnectedVertex | null;
  /** Number of executions of this vertex in this run, including the current one; more than 1 in a cycle. */
  readonly execution: number;
  /** The position of this execution in the order of the graph's layers. */
  readonly moment: RunMoment;
  /** Identifies this execution of the vertex in its flow, also within loops; the same in each attempt. */
  readonly place: string;
  /** Stops the branch that begins at this output. */
  stop(output: string): void;
  /**
   * Returns a person's answer to this request. Until there is one it throws a RunSuspension, which the component must pass on:
   * the run is suspended, and a later attempt executes the vertex again. Null, without a request, when no output of a vertex
   * that declares `asksHuman` is connected. `key` tells several requests of one execution apart. Only for components that declare
   * `asksHuman` or `approvesTools`.
   */
  askHuman(request: Omit<HumanRequest, 'request_id'>, key?: string): HumanDecision | null;
  /**
   * For a loop: runs the body, which lies between this output and the edge that leads back into it, once for each
   * value, sequentially and with fresh state. Returns the value that each round passed back, null for a round that
   * passed none; an empty list when no edge leads back.
   */
  repeat(output: string, values: readonly PythonValue[]): Promise<readonly PythonValue[]>;
  /**
   * Sets the status of the vertex (Langflow's `self.status`), which becomes the `repr` of its artifacts. By default the
   * status of a message is the message, and any other output shows its own value, which then appears in `outputs` in
   * full. `null` means the default. `output` names the one output whose method sets it; the last status is that of the
   * others.
   */
  status(value: PythonValue, output?: string): void;
  /**
   * Adds a line to the logs of an output: by default the first computed one. `name` defaults to "Log 1", "Log 2", ….
   */
  log(message: string, options?: { readonly name?: string; readonly output?: string }): void;
  /**
   * Stores a message in the run's session, assigns its id, emits it to a streaming caller and returns it with its
   * complete text. A message with a text stream is emitted in parts: partial add_message, tokens, complete add_message.
   * Only for components that declare `storesMessages`, as is `storeMessage`.
   */
  sendMessage(message: Message): Promise<Message>;
  /**
   * Emits a streamed message of a model before this vertex, in parts as `sendMessage`, and returns it with its complete text.
   * A message that is sent with its id then takes its place. `stores` is for messages that nothing is sent after.
   */
  speakMessage(message: Message, stores: boolean): Promise<Message>;
  /**
   * Returns a message whose time is that of its beginning, for work that takes long, and not that of its end. Chat outputs that
   * get it send it under its id.
   */
  beginMessage(message: Message): Message;
  /** Emits a message that has begun, and is not complete, to a streaming caller. */
  emitPartial(message: Message): void;
  /** Takes a partial message back, when it will not be sent. */
  removePartial(message: Message): void;
  /** Emits a line of the log to a streaming caller alone. `message` is ready for JSON.stringify. */
  emitLog(line: {
    readonly name: string;
    readonly message: Readonly<Record<string, unknown>>;
    readonly output: string;
  }): void;
  /** Tells a streaming caller that a call of this vertex as a tool begins or has ended. */
  emitBuild(event: 'build_start' | 'build_end'): void;
  /** Stores a message of this flow and assigns its id; the session defaults to the run's. Does not emit the message. */
  storeMessage(message: Message, at?: RunMoment): Promise<Message>;
  /** Adds to the tokens that the model calls of this vertex have used. */
  countTokens(usage: MessageUsage): void;
  /** Returns a complete message with the tokens that all vertices before this one have used. */
  withUsageBefore(message: Message): Message;
  /**
   * Returns stored messages of this flow. Of the messages of this run, returns those stored in earlier layers of the
   * graph and by this vertex itself (those that `at` sees; the vertex's own moment by default). Waits for vertices of
   * earlier layers that can still store messages.
   */
  readMessages(query: MessageQuery, at?: RunMoment): Promise<readonly Message[]>;
  /**
   * Performs an external action that must not be repeated. When another executor takes over a durable run, the action
   * is not performed again: the call returns the recorded result, as JSON. `name` identifies effects of one vertex;
   * effects with the same name must occur in the same order in each attempt.
   */
  effect<Result extends PythonValue>(name: string, act: () => Promise<Result>): Promise<Result>;
  /**
   * Returns the result, as JSON, of a step that an earlier attempt of a durable run recorded: work that costs something and can
   * be done again, such as the call of a model. `name` identifies it within one execution of the vertex.
   */
  findStep(name: string): Promise<PythonValue | undefined>;
  /** Records a step for later attempts, if effects of this run are recorded. */
  recordStep(name: string, result: PythonValue): Promise<void>;
  /**
   * Identifies a step towards the service that does it: unique among the steps of all runs, and the same in each attempt. Null
   * where effects of this run are not recorded.
   */
  stepKey(name: string): string | null;
  /** Whether effects of this run are recorded; otherwise each attempt performs all of them. */
  readonly recordsEffects: boolean;
  /** Returns a variable of the request or of the user; undefined if there is none. */
  variable(name: string): Promise<string | undefined>;
  /**
   * Hides texts from now on in vertex records, traces and errors of the run. For credentials that are neither variables
   * nor in secret fields.
   */
  hide(texts: readonly string[]): void;
  /** A fetch that refuses private addresses unless the operator allows them. Aborts when the run ends. */
  readonly fetch: typeof fetch;
  /** Files, vectors, scripts, other flows and connections. */
  readonly resources: RunResources;
  /** The Langflow release whose texts components produce. */
  readonly langflow: LangflowRelease;
  /** Observes model calls, tool calls and retrievals; absent when nothing observes the run. */
  readonly observation?: VertexObservation | undefined;
  /** Holds calls of models within budgets; absent where none can apply. */
  readonly spending?: ModelSpending | undefined;
}
