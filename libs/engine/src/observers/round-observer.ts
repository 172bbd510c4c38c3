import type { OngoingRun } from '../run/ongoing-run';
import type { VertexObserver } from '../run/vertex-observer';

/**
 * Returns the observer of the vertices in a loop's rounds: a streaming caller gets an event when one begins and when it
 * ends, as in Langflow, even if the stream does not have those of all vertices.
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
      if (watch !== undefined) return watch.ended(built, execution);
      const { id, valid, data } = built;
      return run.emit({ event: 'end_vertex', data: { build_data: { id, valid, data } } });
    },
  };
}
