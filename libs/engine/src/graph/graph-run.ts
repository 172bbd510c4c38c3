import { repeatedVertices, RunError, RunMoment, RunSuspension } from '@millrace/flow';
import type { HumanRequest, PlanVertex, RunScope } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { componentFailure } from './component-failure';
import { executeVertex, executeObserved } from '../vertices/execute-vertex';
import { failureEventData, failureMessage } from '../messages/failure-message';
import { LayerReaders } from './layer-readers';
import { mayStoreMessages } from './may-store-messages';
import type { OngoingRun } from '../run/ongoing-run';
import { repeatBody } from './repeat-body';
import { runEndedError } from '../run/run-ended-error';
import type { KeptResult, VertexBudget } from '../run/run-environment';
import { roundObserver } from '../observers/round-observer';
import { Schedule } from './schedule';
import type { ExecutionScope } from '../vertices/execution-scope';
import { notifyVertexFailure, notifyVertexEnd } from '../observers/notify-vertex';
import type { RunRecords, VertexRecord } from '../run/vertex-record';
import type { VertexObserver } from '../run/vertex-observer';
import { redactSecrets } from '../run/redact-secrets';

/**
 * Executes a scope once: that of the run, or of one round of a loop. Each vertex starts as soon as its inputs are
 * available; the first failure ends the run. Synchronous vertices run without waiting: a chain of quick vertices runs
 * in one pass.
 */
export class GraphRun implements ExecutionScope {
  readonly scope: RunScope;
  readonly #run: OngoingRun;
  readonly #watch: VertexObserver | undefined;
  readonly #budget: VertexBudget;
  readonly #records: (VertexRecord | undefined)[];
  readonly #schedule: Schedule;
  readonly #moment: RunMoment;
  readonly #readers: LayerReaders;
  /** Begins the places of the scope's vertices: empty for the scope of the run. */
  readonly #path: string;
  /** What the vertices wait for that are suspended; null while none is. */
  #suspended: HumanRequest[] | null = null;
  /** Ids of the vertices that are excluded from the rest of the run, by the vertex that stopped them last. */
  readonly #excluded = new Map<PlanVertex, readonly string[]>();
  #running = 0;
  #draining = false;
  #isYielding = false;
  #failed = false;
  #settled = false;
  #resolve: (records: RunRecords) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  #removeListener: () => void = () => undefined;

  /** `records` contains the results of vertices outside of the scope; the scope runs nested in `moment`. */
  constructor(
    run: OngoingRun,
    { scope, moment, path }: { readonly scope: RunScope; readonly moment: RunMoment; readonly path: string },
    budget: VertexBudget,
    records: RunRecords = [],
  ) {
    this.scope = scope;
    this.#path = path;
    this.#moment = moment;
    this.#run = run;
    this.#watch = scope === run.plan.scope ? run.environment.watch : roundObserver(run);
    this.#budget = budget;
    this.#records = [...records];
    this.#schedule = new Schedule(run.plan, scope);
    const stores = (index: number): boolean => mayStoreMessages(run.plan, scope, index);
    this.#readers = new LayerReaders((layer) => this.#schedule.runsBefore(layer, stores));
  }

  get records(): RunRecords {
    return this.#records;
  }

  /** Executes the scope; call it once. Rejects with a RunError. */
  execute(): Promise<RunRecords> {
    return new Promise<RunRecords>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#removeListener = this.#run.lifetime.onAbort((reason) => this.#settle(reason));
      this.#drain();
    });
  }

  execution(vertex: PlanVertex): number {
    return Math.max(1, this.#schedule.execution(vertex.index));
  }

  place(vertex: PlanVertex): string {
    const execution = this.execution(vertex);
    return `${this.#path}${vertex.id}${execution === 1 ? '' : `#${execution}`}`;
  }

  moment(vertex: PlanVertex): RunMoment {
    const layer = this.#schedule.layer(vertex.index);
    return new RunMoment(layer, this.#moment, () => this.#readers.wait(layer));
  }

  /** Counts a tool call of a model as an executed vertex. */
  countToolCall(): void {
    if (this.#budget.remaining === 0) throw tooManyVertices();
    this.#budget.remaining -= 1;
  }

  async repeat(
    { vertex: loop, moment }: { readonly vertex: PlanVertex; readonly moment: RunMoment },
    output: string,
    values: readonly PythonValue[],
  ): Promise<readonly PythonValue[]> {
    const body = this.scope.bodies.get(loop.index);
    if (body === undefined) return [];
    let rounds = 0;
    const place = this.place(loop);
    const round = (records: RunRecords): Promise<RunRecords> => {
      rounds += 1;
      const part = { scope: body.scope, moment: moment.next(), path: `${place}[${rounds}]/` };
      return new GraphRun(this.#run, part, this.#budget, records).execute();
    };
    return repeatBody(this.#run, { loop, body, records: this.#records, round }, { output, values });
  }

  #drain(): void {
    if (this.#draining || this.#isYielding) return;
    this.#draining = true;
    const { timeSlice } = this.#run;
    let started = performance.now();
    while (!this.#settled && !this.#failed && !timeSlice.isOver) {
      const vertex = this.#schedule.start();
      if (vertex === undefined) break;
      this.#begin(vertex, started);
      const ended = performance.now();
      timeSlice.count(ended - started);
      started = ended;
    }
    this.#draining = false;
    if (timeSlice.isOver && !this.#settled) this.#yieldToEventLoop();
    else if (this.#running === 0 && !this.#failed) this.#end();
  }

  /** Continues after other work in the process has run. */
  #yieldToEventLoop(): void {
    this.#isYielding = true;
    this.#run.timeSlice.yieldToEventLoop(() => {
      this.#isYielding = false;
      this.#drain();
    });
  }

  #end(): void {
    if (this.#suspended !== null) {
      this.#settle(new RunSuspension(this.#suspended));
      return;
    }
    if (this.#schedule.isDone) {
      this.#settle(null);
      return;
    }
    const names = this.#schedule.waiting().map((vertex) => vertex.displayName);
    this.#settle(
      new RunError('deadlocked', `Deadlock: these vertices wait for each other: ${names.join(', ')}.`),
    );
  }

  #begin(vertex: PlanVertex, started: number): void {
    if (this.#run.isOver || this.#budget.remaining === 0) {
      this.#settle(this.#run.isOver ? runEndedError : tooManyVertices());
      return;
    }
    this.#budget.remaining -= 1;
    const earlier = this.#run.environment.checkpoint && this.#run.earlierResult(this.place(vertex), vertex);
    if (earlier !== undefined && (earlier.missing ?? []).length === 0) {
      this.#finish(vertex, earlier.record, started);
      return;
    }
    try {
      const watch = this.#watch;
      const record = watch ? this.#watched(vertex, earlier, watch) : this.#execute(vertex, earlier);
      if (record instanceof Promise) this.#await(vertex, record, started);
      else this.#finish(vertex, record, started);
    } catch (error) {
      this.#endWithout(vertex, error, started);
    }
  }

  async #watched(
    vertex: PlanVertex,
    earlier: KeptResult | undefined,
    watch: VertexObserver,
  ): Promise<VertexRecord> {
    await this.#awaitSideTask(async () => watch.begins?.(vertex.id));
    return this.#execute(vertex, earlier);
  }

  /** Executes a vertex; one with an earlier result only for the outputs that are missing from it. */
  #execute(vertex: PlanVertex, earlier: KeptResult | undefined): VertexRecord | Promise<VertexRecord> {
    const { observer } = this.#run.environment;
    const rest = earlier === undefined ? vertex : { ...vertex, wanted: earlier.missing ?? [] };
    const record =
      observer === undefined
        ? executeVertex(this.#run, rest, this)
        : executeObserved(this.#run, rest, this, observer);
    if (earlier === undefined) return record;
    const whole = ({ outputs }: VertexRecord): VertexRecord => ({
      ...earlier.record,
      outputs: new Map([...earlier.record.outputs, ...outputs]),
    });
    return record instanceof Promise ? record.then(whole) : whole(record);
  }

  #await(vertex: PlanVertex, promise: Promise<VertexRecord>, started: number): void {
    this.#running += 1;
    const resume = (): void => {
      this.#running -= 1;
      this.#drain();
    };
    promise
      .then((record) => {
        const stopped = this.#finish(vertex, record, started);
        if (stopped === null || !this.#watch) return resume();
        return this.#notifyEnd(vertex, record, stopped, started).then(resume);
      })
      .catch((error: unknown) => {
        this.#endWithout(vertex, error, started);
        if (error instanceof RunSuspension) resume();
      });
  }

  /** Ends a vertex that gives no result: it has failed, or is executed again when a person has answered. */
  #endWithout(vertex: PlanVertex, error: unknown, started: number): void {
    if (!(error instanceof RunSuspension)) {
      this.#fail(vertex, error, started);
      return;
    }
    (this.#suspended ??= []).push(...error.requests);
    this.#schedule.suspend(vertex);
    this.#readers.recheck();
  }

  /** Records a result. Returns the vertices that are skipped because of it; null when the run has ended. */
  #finish(vertex: PlanVertex, record: VertexRecord, started: number): readonly PlanVertex[] | null {
    if (this.#settled || this.#failed) return null;
    this.#records[vertex.index] = record;
    if (this.#run.environment.checkpoint) this.#run.addResult(this.place(vertex), vertex, record);
    this.#reportState(vertex, 'succeeded', started);
    const stopped = this.#schedule.finish(vertex, record.stopped);
    this.#readers.recheck();
    for (const target of stopped) {
      // Its result of an earlier round of a cycle is no longer valid.
      this.#records[target.index] = undefined;
      this.#reportState(target, 'stopped', performance.now());
    }
    return stopped;
  }

  #notifyEnd(
    vertex: PlanVertex,
    record: VertexRecord,
    stopped: readonly PlanVertex[],
    started: number,
  ): Promise<void> {
    const ids = [...stopped, ...repeatedVertices(this.#run.plan, vertex)].map(({ id }) => id);
    // In a cycle, a branch that was stopped in an earlier round can run now.
    if (vertex.component?.excludesBranches === true) this.#excluded.set(vertex, ids);
    const end = {
      stopped: [...new Set([...[...this.#excluded.values()].flat(), ...ids])],
      next: this.#schedule.readyAfter(vertex).map(({ id }) => id),
      milliseconds: performance.now() - started,
    };
    return this.#awaitSideTask(() => notifyVertexEnd(this.#run, vertex, record, end, this.#watch));
  }

  #fail(vertex: PlanVertex, error: unknown, started: number): void {
    if (this.#settled || this.#failed) return;
    this.#failed = true;
    this.#reportState(vertex, 'failed', started);
    if (error instanceof RunError) {
      this.#settle(error);
      return;
    }
    const redactedError = redactSecrets(this.#run, error);
    const failed = this.#run.brokenVertex(error) ?? vertex;
    const failure = componentFailure(failed, redactedError);
    // The caller can read the session as soon as they have the error, so the message is stored before.
    const settle = (): void => this.#settle(failure);
    this.#publishFailure(failed, redactedError, performance.now() - started).then(settle, settle);
  }

  async #publishFailure(vertex: PlanVertex, error: unknown, milliseconds: number): Promise<void> {
    const message = failureMessage(this.#run, vertex, error);
    await this.#awaitSideTask(() => this.#run.store(message, this.#moment));
    await this.#awaitSideTask(() =>
      this.#run.emit({ event: 'error', data: failureEventData(this.#run, message) }),
    );
    if (this.#run.environment.watch)
      await this.#awaitSideTask(() => notifyVertexFailure(this.#run, vertex, error, milliseconds));
  }

  /** Waits for work whose failure does not affect the run. */
  async #awaitSideTask(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error !== runEndedError) this.#run.environment.onSideFailure?.(error);
    }
  }

  #reportState(vertex: PlanVertex, state: 'succeeded' | 'failed' | 'stopped', started: number): void {
    this.#run.environment.onVertex?.({
      vertexId: vertex.id,
      componentType: vertex.type,
      state,
      milliseconds: performance.now() - started,
    });
  }

  #settle(error: Error | null): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#removeListener();
    this.#readers.close();
    if (error === null) this.#resolve(this.#records);
    else this.#reject(error);
  }
}

function tooManyVertices(): RunError {
  return new RunError('too_many_vertices', 'The run exceeds the limit of executed vertices.');
}
