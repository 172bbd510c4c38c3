import { messageToEventData } from '@millrace/flow';
import type { Plan } from '@millrace/flow';
import type { AttemptOutcome } from './attempt';
import { fromMessageRow } from './message-row';
import type { RunReport } from './watched-flows';

/** Tells which vertices the run will execute. A flow that cannot be had is told by the run's end. */
export async function reportStart(report: RunReport, plan: () => Promise<Plan | null>): Promise<void> {
  const found = await plan().catch(() => null);
  if (!found) return;
  const ids = found.scope.vertices.map((index) => found.vertices[index]?.id);
  const first = found.scope.vertices.filter((index) => found.scope.pending[index] === 0);
  report('vertices_sorted', { ids: first.map((index) => found.vertices[index]?.id), to_run: ids });
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
