import type { ObservedStep } from '@millrace/flow';
import type { ObservedVertex, RunObserver } from '../run/run-observer';
import type { VertexRecord } from '../run/vertex-record';
import type { VertexValues } from '../run/given-values';

/** Returns an observer that notifies all given ones; undefined without any, and the only one itself. */
export function combineObservers(
  ...given: readonly (RunObserver | null | undefined)[]
): RunObserver | undefined {
  const observers = given.filter((observer) => observer !== null && observer !== undefined);
  if (observers.length < 2) return observers[0];
  return {
    vertex: (execution) => new CombinedVertex(observers.map((observer) => observer.vertex(execution))),
  };
}

class CombinedStep<Result, Step extends ObservedStep<Result>> implements ObservedStep<Result> {
  readonly steps: readonly Step[];

  constructor(steps: readonly Step[]) {
    this.steps = steps;
  }

  within<Value>(work: () => Value): Value {
    return this.steps.reduce<() => Value>((inner, step) => () => step.within(inner), work)();
  }

  succeeded(result: Result): void {
    for (const step of this.steps) step.succeeded(result);
  }

  failed(error: unknown): void {
    for (const step of this.steps) step.failed(error);
  }
}

class CombinedVertex extends CombinedStep<VertexRecord, ObservedVertex> implements ObservedVertex {
  given(values: VertexValues): void {
    for (const vertex of this.steps) vertex.given?.(values);
  }

  modelCall(call: Parameters<ObservedVertex['modelCall']>[0]): ReturnType<ObservedVertex['modelCall']> {
    return new CombinedStep(this.steps.map((vertex) => vertex.modelCall(call)));
  }

  toolCall(call: Parameters<ObservedVertex['toolCall']>[0]): ReturnType<ObservedVertex['toolCall']> {
    return new CombinedStep(this.steps.map((vertex) => vertex.toolCall(call)));
  }

  retrieval(search: Parameters<ObservedVertex['retrieval']>[0]): ReturnType<ObservedVertex['retrieval']> {
    return new CombinedStep(this.steps.map((vertex) => vertex.retrieval(search)));
  }
}
