import type { OngoingRun } from '../run/ongoing-run';
import type { BuildDetails, BuiltVertex, VertexObserver } from '../run/vertex-observer';

/**
 * Returns the observer of the vertices in a loop's rounds: a streaming caller gets an event when one begins and when it
 * ends, as in Langflow, in the same form whether or not the stream has those of all vertices.
 */
export function roundObserver(run: OngoingRun): VertexObserver | undefined {
  const { watch } = run.environment;
  if (!run.request.stream) return watch;
  return {
    begins: async (id) => {
      await watch?.begins?.(id);
      await run.emit({ event: 'build_start', data: { id } });
    },
    ended: (built, execution) => {
      const isFormer = run.environment.langflow === '1.11';
      const isFollowed = run.request.vertexEvents === true && !isFormer;
      if (watch !== undefined && !isFollowed) return watch.ended(built, execution);
      const { id, valid } = built;
      const data = isFormer ? built.data : wholeResult(run, built, execution);
      return run.emit({ event: 'end_vertex', data: { build_data: { id, valid, data } } });
    },
  };
}

/** Returns a result with all members of Langflow's, of which it measures no time within a loop. */
function wholeResult(
  { plan }: OngoingRun,
  { id, data: { results, outputs, logs, messages }, artifacts }: BuiltVertex,
  { reused, usage }: BuildDetails,
): object {
  return {
    results,
    artifacts,
    outputs,
    logs,
    messages,
    timedelta: null,
    duration: null,
    component_display_name: plan.vertices.find((vertex) => vertex.id === id)?.displayName ?? null,
    component_id: id,
    used_frozen_result: reused,
    token_usage: usage,
  };
}
