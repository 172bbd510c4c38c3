import type { BuildDetails, BuiltVertex, VertexObserver } from '@millrace/engine';
import { messageToEventData } from '@millrace/flow';
import type { LangflowRelease, Plan, RunEvent } from '@millrace/flow';
import type { AttemptOutcome } from '../attempts/attempt-outcome';
import { fromMessageRow } from '../records/run-messages';
import type { RunReport } from './watched-flows';

/**
 * Reports the vertices of a run to the watchers of its flow. If the flow cannot be loaded, only the end is reported.
 */
export async function reportVertices(
  report: RunReport,
  plan: () => Promise<Plan | null>,
): Promise<VertexObserver> {
  const sorted = await sortedVertices(plan, 'reached');
  if (sorted) report('vertices_sorted', sorted);
  return {
    begins: (id) => report('build_start', { id }),
    ended: (built) => report('end_vertex', endOf(built)),
  };
}

/** Emits the vertices of a run among its events, in the shape of Langflow's `/api/v2/workflows`. */
export async function emitVertices(
  emit: (event: RunEvent) => void | Promise<void>,
  plan: () => Promise<Plan | null>,
  release: LangflowRelease,
): Promise<VertexObserver> {
  const sorted = await sortedVertices(plan, release === '1.11' ? 'reached' : 'all');
  if (sorted) {
    await emit({ event: 'vertices_sorted', data: sorted });
    await emit({ event: 'build_start', data: {} });
  }
  const end = release === '1.11' ? endOf : streamedEndOf;
  return { ended: (built, execution) => emit({ event: 'end_vertex', data: end(built, execution) }) };
}

/** Reports the messages and the outcome of a run; must be called after they are stored. */
export function reportOutcome(report: RunReport, { status, failure, messages }: AttemptOutcome): void {
  for (const message of messages) {
    report(message.error ? 'error' : 'add_message', {
      ...messageToEventData(fromMessageRow(message)),
    });
  }
  report('end', { success: status === 'succeeded', ...(failure ? { error: failure.message } : {}) });
}

/**
 * Returns the ids of the first vertices, and of all vertices of the flow or those that the run will execute; null when the
 * flow is missing.
 */
async function sortedVertices(
  plan: () => Promise<Plan | null>,
  listed: 'all' | 'reached',
): Promise<Record<string, unknown> | null> {
  const found = await plan().catch(() => null);
  if (!found) return null;
  const { scope, vertices } = found;
  const idOf = (index: number) => vertices[index]?.id;
  const first = scope.vertices.filter((index) => scope.pending[index] === 0);
  return {
    ids: first.map(idOf),
    to_run: listed === 'all' ? vertices.map(({ id }) => id) : scope.vertices.map(idOf),
  };
}

function endOf(built: BuiltVertex): { readonly build_data: BuiltVertex } {
  return { build_data: built };
}

/** Returns the end of a vertex as in a stream of Langflow 1.13, which differs from that for watchers of a flow. */
function streamedEndOf(
  { data, artifacts, messages: _messages, ...built }: BuiltVertex,
  { seconds, reused, usage }: BuildDetails,
): { readonly build_data: object } {
  const { results, outputs, logs, duration } = data;
  return {
    build_data: {
      ...built,
      data: {
        results,
        outputs,
        logs,
        // Langflow sends the artifacts under both names.
        message: artifacts,
        artifacts,
        timedelta: seconds,
        duration,
        used_frozen_result: reused,
        token_usage: usage,
      },
      top_level_vertices: built.next_vertices_ids,
    },
  };
}
