import type { BuildDetails, BuiltVertex, VertexObserver } from '@millrace/engine';
import { messageToEventData } from '@millrace/flow';
import type { LangflowRelease, Plan, PlanVertex, RunEvent } from '@millrace/flow';
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
  const sorted = sortedVertices(await plan().catch(() => null), 'reached');
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
  const found = await plan().catch(() => null);
  const sorted = sortedVertices(found, release === '1.11' ? 'reached' : 'all');
  if (sorted) {
    await emit({ event: 'vertices_sorted', data: sorted });
    await emit({ event: 'build_start', data: {} });
  }
  const vertices = new Map(found?.vertices.map((vertex) => [vertex.id, vertex]));
  return {
    ended: (built, execution) =>
      emit({
        event: 'end_vertex',
        data:
          release === '1.11'
            ? endOf(built)
            : { ...streamedEndOf(built, execution), ...metaOf(vertices.get(built.id)) },
      }),
  };
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
function sortedVertices(found: Plan | null, listed: 'all' | 'reached'): Record<string, unknown> | null {
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

/** Returns what Langflow 1.13 says about the vertex of a streamed end. */
function metaOf(vertex: PlanVertex | undefined): { readonly output_meta?: object } {
  if (vertex === undefined) return {};
  const { id, displayName, type, toolMode, isOutput, outgoing, firstOutputTypes } = vertex;
  return {
    output_meta: {
      component_id: id,
      display_name: displayName,
      vertex_type: toolMode ? 'Component' : type,
      is_output: isOutput,
      is_terminal: outgoing.length === 0,
      output_types: firstOutputTypes,
    },
  };
}
