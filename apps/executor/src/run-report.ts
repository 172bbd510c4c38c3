import type { BuiltVertex, VertexWatch } from '@millrace/engine';
import { messageToEventData } from '@millrace/flow';
import type { Plan, RunEvent } from '@millrace/flow';
import type { AttemptOutcome } from './attempt';
import { fromMessageRow } from './message-row';
import type { RunReport } from './watched-flows';

/** Tells those who watch a flow of a run's vertices while it goes on. A flow that cannot be had is told by its end. */
export async function reportVertices(
  report: RunReport,
  plan: () => Promise<Plan | null>,
): Promise<VertexWatch> {
  const sorted = await sortedVertices(plan);
  if (sorted) report('vertices_sorted', sorted);
  return {
    begins: (id) => report('build_start', { id }),
    ended: (built) => report('end_vertex', endOf(built)),
  };
}

/** Tells of a run's vertices among its events. */
export async function emitVertices(
  emit: (event: RunEvent) => void | Promise<void>,
  plan: () => Promise<Plan | null>,
): Promise<VertexWatch> {
  const sorted = await sortedVertices(plan);
  if (sorted) {
    await emit({ event: 'vertices_sorted', data: sorted });
    await emit({ event: 'build_start', data: {} });
  }
  return { ended: (built) => emit({ event: 'end_vertex', data: endOf(built) }) };
}

/** Tells what the run said, and how it ended; to be called when that is stored. */
export function reportEnd(report: RunReport, { status, failure, messages }: AttemptOutcome): void {
  for (const message of messages) {
    report(message.error ? 'error' : 'add_message', {
      ...messageToEventData(fromMessageRow(message)),
    });
  }
  report('end', { success: status === 'succeeded', ...(failure ? { error: failure.message } : {}) });
}

/** Which vertices begin, and which the run will execute; null when there is no flow to run. */
async function sortedVertices(plan: () => Promise<Plan | null>): Promise<Record<string, unknown> | null> {
  const found = await plan().catch(() => null);
  if (!found) return null;
  const { scope, vertices } = found;
  const idOf = (index: number) => vertices[index]?.id;
  const first = scope.vertices.filter((index) => scope.pending[index] === 0);
  return { ids: first.map(idOf), to_run: scope.vertices.map(idOf) };
}

function endOf(built: BuiltVertex): { readonly build_data: BuiltVertex } {
  return { build_data: built };
}
