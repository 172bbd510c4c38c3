import type { RecordedWork } from './simulated-question';
import type { Execution } from './simulated-work';
import type { Suspensions } from './stored-runs';

export interface LoggedExecution extends Execution {
  readonly at: number;
  /** Number of crashes of executors before it. */
  readonly crashes: number;
}

export interface WorkLogDependencies {
  now(): number;
  crashes(): number;
}

/** What the vertices of all runs have done. */
export class WorkLog {
  readonly executions: LoggedExecution[] = [];
  readonly replayed: RecordedWork[] = [];
  /** The attempts in which a vertex of a run ended, by run and vertex. */
  readonly #ended = new Map<string, Set<number>>();
  readonly #performed: RecordedWork[] = [];
  /** The first attempt that has recorded a work. */
  readonly #recorded = new Map<string, number>();
  readonly #dependencies: WorkLogDependencies;

  constructor(dependencies: WorkLogDependencies) {
    this.#dependencies = dependencies;
  }

  start(execution: Execution): void {
    const { now, crashes } = this.#dependencies;
    this.executions.push({ ...execution, at: now(), crashes: crashes() });
  }

  end(execution: Execution): void {
    const key = keyOf(execution);
    this.#ended.set(key, (this.#ended.get(key) ?? new Set()).add(execution.attempt));
  }

  perform(work: RecordedWork): void {
    this.#performed.push(work);
  }

  record(work: RecordedWork): void {
    const key = keyOf(work, work.name);
    this.#recorded.set(key, Math.min(work.attempt, this.#recorded.get(key) ?? work.attempt));
  }

  /** Returns the executions of a run. */
  of(runId: string): readonly LoggedExecution[] {
    return this.executions.filter((one) => one.runId === runId);
  }

  /** Returns vertices and works that were repeated although an earlier attempt had kept or recorded them. */
  violations(suspensions: ReadonlyMap<string, Suspensions>): string[] {
    const repeated = this.executions.filter((execution) => {
      const { pauses } = suspensions.get(execution.runId) ?? { pauses: [] };
      const ended = this.#ended.get(keyOf(execution));
      return pauses.some((attempt) => attempt < execution.attempt && ended?.has(attempt) === true);
    });
    const performed = this.#performed.filter(
      (work) => work.attempt > (this.#recorded.get(keyOf(work, work.name)) ?? work.attempt),
    );
    return [
      ...repeated.map(
        ({ runId, attempt, vertex }) =>
          `${vertex} of ${runId} was executed again in attempt ${attempt}, although it had ended before the pause`,
      ),
      ...performed.map(
        ({ runId, attempt, vertex, name }) =>
          `the ${name} of ${vertex} of ${runId} was repeated in attempt ${attempt}, although it was recorded`,
      ),
      ...this.#startedTwice(),
    ];
  }

  /** Checks that no attempt has two executions: an answer could mix them, since frames are numbered by attempt. */
  #startedTwice(): string[] {
    const executions = this.executions.map(
      ({ runId, attempt, vertex }) => `${vertex} of ${runId}, attempt ${attempt},`,
    );
    const repeated = executions.filter((execution, index) => executions.indexOf(execution) !== index);
    return [...new Set(repeated)].map((execution) => `${execution} was started twice`);
  }
}

function keyOf({ runId, vertex }: Execution, name = ''): string {
  return `${runId} ${vertex} ${name}`;
}
