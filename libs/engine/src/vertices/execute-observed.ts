import { RunError } from '@millrace/flow';
import type { PlanVertex, RunMoment, RunScope } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { executeVertex } from './execute-vertex';
import type { ExecutionScope } from './execution-scope';
import type { OngoingRun } from '../run/ongoing-run';
import { redactSecrets } from '../run/redact-secrets';
import type { ObservedVertex, RunObserver } from '../run/run-observer';
import type { RunRecords, VertexRecord } from '../run/vertex-record';

/** Executes a vertex as `executeVertex` does, and notifies an observer. */
export function executeObserved(
  run: OngoingRun,
  vertex: PlanVertex,
  executionScope: ExecutionScope,
  observer: RunObserver,
): VertexRecord | Promise<VertexRecord> {
  const observed = observer.vertex({
    vertex,
    execution: executionScope.execution(vertex),
    flowId: run.plan.flowId,
    part: run.environment.part ?? '',
    run: run.observed,
  });
  const succeed = (record: VertexRecord): VertexRecord => {
    observed.succeeded(record);
    return record;
  };
  const fail = (error: unknown): never => {
    observed.failed(error instanceof RunError ? error : redactSecrets(run, error));
    throw error;
  };
  try {
    const scope = new ObservedScope(executionScope, observed);
    const record = observed.within(() => executeVertex(run, vertex, scope));
    return record instanceof Promise ? record.then(succeed, fail) : succeed(record);
  } catch (error) {
    return fail(error);
  }
}

/** The scope of a vertex, with its observed execution. */
class ObservedScope implements ExecutionScope {
  readonly observed: ObservedVertex;
  readonly #inner: ExecutionScope;

  constructor(inner: ExecutionScope, observed: ObservedVertex) {
    this.#inner = inner;
    this.observed = observed;
  }

  get scope(): RunScope {
    return this.#inner.scope;
  }

  get records(): RunRecords {
    return this.#inner.records;
  }

  execution(vertex: PlanVertex): number {
    return this.#inner.execution(vertex);
  }

  moment(vertex: PlanVertex): RunMoment {
    return this.#inner.moment(vertex);
  }

  repeat(...repetition: Parameters<ExecutionScope['repeat']>): Promise<readonly PythonValue[]> {
    return this.#inner.repeat(...repetition);
  }

  countToolCall(): void {
    this.#inner.countToolCall();
  }
}
