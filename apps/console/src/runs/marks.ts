import type { Mark } from '../graph/vertices';
import type { Run, Trace } from '../api/answers';
import { duration } from '../ui/format';
import { toneOf } from '../ui/parts';
import type { LiveRun } from './live-run';

/** The state of each vertex of a run: from its records, from its events, or from its error. */
export function marksOf(
  run: Run,
  trace: Trace | null | undefined,
  live: LiveRun | undefined,
  /** Vertices that ask a person. */
  asking: readonly string[] = [],
): ReadonlyMap<string, Mark> {
  const marks = new Map<string, Mark>();
  for (const [id, state] of live?.vertices ?? [])
    if (run.finished_at === null || state !== 'running')
      marks.set(id, { tone: toneOf(state).split(' ')[0] ?? '', state });
  for (const { id, state, milliseconds } of trace?.vertices ?? []) {
    // An event can be newer than what the executor reported.
    if (state === 'running' && marks.has(id) && marks.get(id)?.state !== 'running') continue;
    marks.set(id, { tone: toneOf(state).split(' ')[0] ?? '', state, text: duration(milliseconds) });
  }
  for (const id of asking) marks.set(id, { tone: 'warn', state: 'waits for a person' });
  const failed = [run.error?.vertex?.id, ...(run.error?.problems ?? []).map(({ vertexId }) => vertexId)];
  for (const id of failed)
    if (id)
      marks.set(id, {
        ...marks.get(id),
        tone: 'bad',
        state: run.error?.code === 'flow_refused' ? 'refused' : 'failed',
      });
  return marks;
}

/** The message that the run has for a vertex. */
export function errorAt(run: Run, id: string): string | undefined {
  if (run.error?.vertex?.id === id) return run.error.message;
  return run.error?.problems?.find(({ vertexId }) => vertexId === id)?.message;
}
