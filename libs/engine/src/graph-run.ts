import { Message, RunError, messageToEventData, stoppedBranch } from '@millrace/flow';
import type { ComponentOutputs, Plan, PlanVertex, PythonValue } from '@millrace/flow';
import { errorText, failureMessage } from './failure-message';
import type { OngoingRun } from './ongoing-run';
import { VertexContext } from './vertex-context';
import type { VertexRecord } from './vertex-record';
import { isTool, vertexTools } from './vertex-tools';
import { vertexValues } from './vertex-values';
import type { VertexValues } from './vertex-values';

/** How often vertices may still be executed; shared by all inputs of a run. */
export interface VertexBudget {
  remaining: number;
}

/** What each vertex of the plan gave, by index; undefined where a vertex did not run. */
export type RunRecords = readonly (VertexRecord | undefined)[];

/**
 * Executes a plan once. Each vertex starts as soon as its inputs are there; the first failure ends the run. What needs
 * no waiting is done without it: a chain of quick vertices runs in one go.
 */
export class GraphRun {
  readonly #run: OngoingRun;
  readonly #plan: Plan;
  readonly #budget: VertexBudget;
  readonly #records: (VertexRecord | undefined)[] = [];
  /** By vertex: wires still to come; -1 when the vertex does not run (any more). */
  readonly #pending: number[];
  readonly #ready: number[] = [];
  #next = 0;
  #unfinished: number;
  #running = 0;
  #draining = false;
  #failed = false;
  #settled = false;
  #resolve: (records: RunRecords) => void = () => undefined;
  #reject: (error: RunError) => void = () => undefined;
  #takeOff: () => void = () => undefined;

  constructor(run: OngoingRun, budget: VertexBudget) {
    this.#run = run;
    this.#plan = run.plan;
    this.#budget = budget;
    this.#pending = [...run.plan.scope.pending];
    this.#unfinished = run.plan.scope.vertices.length;
  }

  /** Rejects with a RunError. To be called once. */
  execute(): Promise<RunRecords> {
    return new Promise<RunRecords>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#takeOff = this.#run.lifetime.onCutShort((reason) => this.#settle(reason));
      for (const index of this.#plan.scope.vertices) if (this.#pending[index] === 0) this.#ready.push(index);
      this.#drain();
    });
  }

  #drain(): void {
    if (this.#draining) return;
    this.#draining = true;
    while (!this.#settled && !this.#failed) {
      const vertex = this.#plan.vertices[this.#ready[this.#next] ?? -1];
      if (vertex === undefined) break;
      this.#next += 1;
      this.#begin(vertex);
    }
    this.#draining = false;
    if (this.#running === 0 && !this.#failed) this.#end();
  }

  #end(): void {
    if (this.#unfinished === 0) {
      this.#settle(null);
      return;
    }
    const waiting = this.#plan.scope.vertices
      .filter((index) => (this.#pending[index] ?? -1) > 0)
      .map((index) => this.#plan.vertices[index]?.displayName ?? '');
    this.#settle(
      new RunError('deadlocked', `The run cannot go on: these wait for each other: ${waiting.join(', ')}.`),
    );
  }

  #begin(vertex: PlanVertex): void {
    if (this.#budget.remaining === 0) {
      this.#settle(tooManyVertices());
      return;
    }
    this.#budget.remaining -= 1;
    const started = this.#run.environment.onVertex === undefined ? 0 : performance.now();
    try {
      const record = this.#execute(vertex);
      if (record instanceof Promise) this.#await(vertex, record, started);
      else this.#finish(vertex, record, started);
    } catch (error) {
      this.#fail(vertex, error, started);
    }
  }

  #await(vertex: PlanVertex, promise: Promise<VertexRecord>, started: number): void {
    this.#running += 1;
    promise
      .then((record) => {
        this.#running -= 1;
        this.#finish(vertex, record, started);
        this.#drain();
      })
      .catch((error: unknown) => this.#fail(vertex, error, started));
  }

  #execute(vertex: PlanVertex): VertexRecord | Promise<VertexRecord> {
    const values = vertexValues(this.#run, vertex, this.#records);
    return values instanceof Promise
      ? values.then((ready) => this.#call(vertex, ready))
      : this.#call(vertex, values);
  }

  #call(vertex: PlanVertex, values: VertexValues): VertexRecord | Promise<VertexRecord> {
    const { component } = vertex;
    if (component === null) throw new RunError('internal', `"${vertex.displayName}" has no component.`);
    const context = new VertexContext(this.#run, vertex, values);
    const outputs = isTool(vertex)
      ? vertexTools(component, vertex, values, context, () => this.#countToolCall())
      : component.run(values.inputs, context);
    return outputs instanceof Promise
      ? outputs.then((ready) => this.#record(vertex, ready, context))
      : this.#record(vertex, outputs as ComponentOutputs, context);
  }

  /** A tool that a model calls counts like a vertex that is executed. */
  #countToolCall(): void {
    if (this.#budget.remaining === 0) throw tooManyVertices();
    this.#budget.remaining -= 1;
  }

  #record(vertex: PlanVertex, outputs: ComponentOutputs, context: VertexContext): VertexRecord {
    const wanted = new Map<string, PythonValue>();
    let status = context.shown;
    for (const name of vertex.wanted) {
      const value = Object.hasOwn(outputs, name) ? outputs[name] : undefined;
      if (value === undefined) continue;
      const completed = this.#completed(value);
      wanted.set(name, completed);
      // A vertex that shows its own output shows it as completed; one that gives a message shows that.
      if (status === value || (status === null && completed instanceof Message)) status = completed;
    }
    return { outputs: wanted, stopped: context.stopped, status, logs: context.logs };
  }

  /** A message gets its flow and its time; one that is still being made becomes readable for several. */
  #completed(value: PythonValue): PythonValue {
    if (!(value instanceof Message)) return value;
    const { flowId, timestamp, stream } = value.fields;
    if (flowId !== null && timestamp !== '' && stream === null) return value;
    return value.with({
      flowId: flowId ?? this.#plan.flowId,
      timestamp: timestamp || this.#run.timestamp(),
      stream: stream === null ? null : this.#run.share(stream),
    });
  }

  #finish(vertex: PlanVertex, record: VertexRecord, started: number): void {
    if (this.#settled || this.#failed) return;
    this.#records[vertex.index] = record;
    this.#unfinished -= 1;
    this.#report(vertex, 'succeeded', started);
    if (record.stopped.size > 0) this.#stop(vertex, record.stopped);
    this.#release(vertex);
  }

  /** Takes the stopped branch out of the run for good; what it would have fed goes on without it. */
  #stop(vertex: PlanVertex, stoppedOutputs: ReadonlySet<string>): void {
    const stopped: PlanVertex[] = [];
    for (const index of stoppedBranch(this.#plan, vertex, stoppedOutputs)) {
      const target = this.#plan.vertices[index];
      if (target === undefined || (this.#pending[index] ?? -1) <= 0) continue;
      this.#pending[index] = -1;
      this.#unfinished -= 1;
      stopped.push(target);
      this.#report(target, 'stopped', performance.now());
    }
    for (const target of stopped) this.#release(target);
  }

  #release(vertex: PlanVertex): void {
    for (const { target } of vertex.outgoing) {
      const pending = this.#pending[target] ?? -1;
      if (pending <= 0) continue;
      this.#pending[target] = pending - 1;
      if (pending === 1) this.#ready.push(target);
    }
  }

  #fail(vertex: PlanVertex, error: unknown, started: number): void {
    if (this.#settled || this.#failed) return;
    this.#failed = true;
    this.#report(vertex, 'failed', started);
    if (error instanceof RunError) {
      this.#settle(error);
      return;
    }
    const failure = componentFailure(vertex, error);
    // The caller may read the session as soon as he has the error, so it is there before.
    this.#tell(vertex, error).then(
      () => this.#settle(failure),
      () => this.#settle(failure),
    );
  }

  async #tell(vertex: PlanVertex, error: unknown): Promise<void> {
    const message = failureMessage(this.#run, vertex, error);
    await this.#run.store(message);
    await this.#run.tell({ event: 'error', data: { ...messageToEventData(message) } });
  }

  #report(vertex: PlanVertex, state: 'succeeded' | 'failed' | 'stopped', started: number): void {
    this.#run.environment.onVertex?.({
      vertexId: vertex.id,
      componentType: vertex.type,
      state,
      milliseconds: performance.now() - started,
    });
  }

  #settle(error: RunError | null): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#takeOff();
    if (error === null) this.#resolve(this.#records);
    else this.#reject(error);
  }
}

function tooManyVertices(): RunError {
  return new RunError('too_many_vertices', 'The run would execute more vertices than it may.');
}

function componentFailure(vertex: PlanVertex, error: unknown): RunError {
  const { id, displayName, type } = vertex;
  const permanent =
    typeof error === 'object' && error !== null && 'permanent' in error ? error.permanent !== false : true;
  return new RunError(
    'component_failed',
    `Error running graph: Error building Component ${displayName}: \n\n${errorText(error)}`,
    { vertex: { id, displayName, type }, cause: error, permanent },
  );
}
