import { RunError, RunMoment, messageToEventData } from '@millrace/flow';
import type { PlanVertex, PythonValue, RunScope } from '@millrace/flow';
import { componentFailure } from './component-failure';
import { executeVertex } from './execute-vertex';
import { failureMessage } from './failure-message';
import { LayerReaders } from './layer-readers';
import { mayStoreMessages } from './may-store-messages';
import type { OngoingRun } from './ongoing-run';
import { repeatBody } from './repeat-body';
import { runIsOver } from './run-is-over';
import type { VertexBudget } from './run-environment';
import { Schedule } from './schedule';
import type { Surroundings } from './vertex-context';
import { tellFailedVertex, tellVertex } from './tell-vertex';
import type { RunRecords, VertexRecord } from './vertex-record';
import type { VertexWatch } from './vertex-watch';
import { withoutSecrets } from './without-secrets';

/**
 * Executes a scope once: the run's own, or that of one round of a loop. Each vertex starts as soon as its inputs are
 * there; the first failure ends the run. What needs no waiting is done without it: a chain of quick vertices runs in one
 * go.
 */
export class GraphRun implements Surroundings {
  readonly scope: RunScope;
  readonly #run: OngoingRun;
  readonly #budget: VertexBudget;
  readonly #records: (VertexRecord | undefined)[];
  readonly #schedule: Schedule;
  readonly #moment: RunMoment;
  readonly #readers: LayerReaders;
  #running = 0;
  #draining = false;
  #passing = false;
  #failed = false;
  #settled = false;
  #resolve: (records: RunRecords) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  #takeOff: () => void = () => undefined;

  /** `records` holds what vertices around the scope gave; all of the scope runs inside of the moment. */
  constructor(
    run: OngoingRun,
    { scope, moment }: { readonly scope: RunScope; readonly moment: RunMoment },
    budget: VertexBudget,
    records: RunRecords = [],
  ) {
    this.scope = scope;
    this.#moment = moment;
    this.#run = run;
    this.#budget = budget;
    this.#records = [...records];
    this.#schedule = new Schedule(run.plan, scope);
    const stores = (index: number): boolean => mayStoreMessages(run.plan, scope, index);
    this.#readers = new LayerReaders((layer) => this.#schedule.mayComeBefore(layer, stores));
  }

  get records(): RunRecords {
    return this.#records;
  }

  /** Rejects with a RunError. To be called once. */
  execute(): Promise<RunRecords> {
    return new Promise<RunRecords>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#takeOff = this.#run.lifetime.onCutShort((reason) => this.#settle(reason));
      this.#drain();
    });
  }

  execution(vertex: PlanVertex): number {
    return Math.max(1, this.#schedule.execution(vertex.index));
  }

  moment(vertex: PlanVertex): RunMoment {
    const layer = this.#schedule.layer(vertex.index);
    return new RunMoment(layer, this.#moment, () => this.#readers.wait(layer));
  }

  /** A tool that a model calls counts like a vertex that is executed. */
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
    const round = (records: RunRecords): Promise<RunRecords> =>
      new GraphRun(this.#run, { scope: body.scope, moment: moment.next() }, this.#budget, records).execute();
    return repeatBody(this.#run, { loop, body, records: this.#records, round }, { output, values });
  }

  #drain(): void {
    if (this.#draining || this.#passing) return;
    this.#draining = true;
    const { turn } = this.#run;
    let started = performance.now();
    while (!this.#settled && !this.#failed && !turn.isOver) {
      const vertex = this.#schedule.start();
      if (vertex === undefined) break;
      this.#begin(vertex, started);
      const ended = performance.now();
      turn.count(ended - started);
      started = ended;
    }
    this.#draining = false;
    if (turn.isOver && !this.#settled) this.#pass();
    else if (this.#running === 0 && !this.#failed) this.#end();
  }

  /** Goes on when everybody else in the process has had a turn. */
  #pass(): void {
    this.#passing = true;
    this.#run.turn.pass(() => {
      this.#passing = false;
      this.#drain();
    });
  }

  #end(): void {
    if (this.#schedule.isDone) {
      this.#settle(null);
      return;
    }
    const names = this.#schedule.waiting().map((vertex) => vertex.displayName);
    this.#settle(
      new RunError('deadlocked', `The run cannot go on: these wait for each other: ${names.join(', ')}.`),
    );
  }

  #begin(vertex: PlanVertex, started: number): void {
    if (this.#run.isOver || this.#budget.remaining === 0) {
      this.#settle(this.#run.isOver ? runIsOver : tooManyVertices());
      return;
    }
    this.#budget.remaining -= 1;
    try {
      const { watch } = this.#run.environment;
      const record = watch ? this.#watched(vertex, watch) : executeVertex(this.#run, vertex, this);
      if (record instanceof Promise) this.#await(vertex, record, started);
      else this.#finish(vertex, record, started);
    } catch (error) {
      this.#fail(vertex, error, started);
    }
  }

  async #watched(vertex: PlanVertex, watch: VertexWatch): Promise<VertexRecord> {
    await this.#aside(async () => watch.begins?.(vertex.id));
    return executeVertex(this.#run, vertex, this);
  }

  #await(vertex: PlanVertex, promise: Promise<VertexRecord>, started: number): void {
    this.#running += 1;
    const goOn = (): void => {
      this.#running -= 1;
      this.#drain();
    };
    promise
      .then((record) => {
        const stopped = this.#finish(vertex, record, started);
        if (stopped === null || !this.#run.environment.watch) return goOn();
        return this.#tellEnd(vertex, record, stopped, started).then(goOn);
      })
      .catch((error: unknown) => this.#fail(vertex, error, started));
  }

  /** Gives the vertices that are out because of it; null when the run is over. */
  #finish(vertex: PlanVertex, record: VertexRecord, started: number): readonly PlanVertex[] | null {
    if (this.#settled || this.#failed) return null;
    this.#records[vertex.index] = record;
    this.#report(vertex, 'succeeded', started);
    const stopped = this.#schedule.finish(vertex, record.stopped);
    this.#readers.recheck();
    for (const target of stopped) {
      // What it gave in an earlier round of a cycle counts no more.
      this.#records[target.index] = undefined;
      this.#report(target, 'stopped', performance.now());
    }
    return stopped;
  }

  #tellEnd(
    vertex: PlanVertex,
    record: VertexRecord,
    stopped: readonly PlanVertex[],
    started: number,
  ): Promise<void> {
    const end = {
      stopped: stopped.map(({ id }) => id),
      next: this.#schedule.readyAfter(vertex).map(({ id }) => id),
      milliseconds: performance.now() - started,
    };
    return this.#aside(() => tellVertex(this.#run, vertex, record, end));
  }

  #fail(vertex: PlanVertex, error: unknown, started: number): void {
    if (this.#settled || this.#failed) return;
    this.#failed = true;
    this.#report(vertex, 'failed', started);
    if (error instanceof RunError) {
      this.#settle(error);
      return;
    }
    const told = withoutSecrets(this.#run, error);
    const failure = componentFailure(vertex, told);
    // The caller may read the session as soon as he has the error, so it is there before.
    const settle = (): void => this.#settle(failure);
    this.#tell(vertex, told, performance.now() - started).then(settle, settle);
  }

  async #tell(vertex: PlanVertex, error: unknown, milliseconds: number): Promise<void> {
    const message = failureMessage(this.#run, vertex, error);
    await this.#aside(() => this.#run.store(message, this.#moment));
    if (this.#run.environment.watch)
      await this.#aside(() => tellFailedVertex(this.#run, vertex, error, milliseconds));
    await this.#aside(() => this.#run.tell({ event: 'error', data: { ...messageToEventData(message) } }));
  }

  /** Waits for work whose failure changes nothing for the run. */
  async #aside(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error !== runIsOver) this.#run.environment.onSideFailure?.(error);
    }
  }

  #report(vertex: PlanVertex, state: 'succeeded' | 'failed' | 'stopped', started: number): void {
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
    this.#takeOff();
    this.#readers.close();
    if (error === null) this.#resolve(this.#records);
    else this.#reject(error);
  }
}

function tooManyVertices(): RunError {
  return new RunError('too_many_vertices', 'The run would execute more vertices than it may.');
}
