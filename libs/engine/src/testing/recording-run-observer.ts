import { AsyncLocalStorage } from 'node:async_hooks';
import type { ObservedStep } from '@millrace/flow';
import type { ObservedVertex, RunObserver } from '../run/run-observer';

/** An observer that records each step with the step in which it began, and each end. */
export function recordingRunObserver(): {
  readonly lines: readonly string[];
  readonly observer: RunObserver;
} {
  const lines: string[] = [];
  const current = new AsyncLocalStorage<string>();
  const step = (name: string): ObservedStep<unknown> => {
    lines.push(`${name} in ${current.getStore() ?? 'the run'}`);
    return {
      within: (work) => current.run(name, work),
      succeeded: () => void lines.push(`${name} succeeded`),
      failed: (error) => void lines.push(`${name} failed: ${error instanceof Error ? error.message : ''}`),
    };
  };
  const vertex = (name: string): ObservedVertex => ({
    ...step(name),
    modelCall: ({ model }) => step(`model ${model}`),
    toolCall: (call) => step(`tool ${call.name}`),
    retrieval: ({ store }) => step(`retrieval ${store}`),
  });
  return {
    lines,
    observer: { vertex: ({ vertex: { id }, execution }) => vertex(`${id} ${execution}`) },
  };
}
