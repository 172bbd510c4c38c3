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
  if (sorted) report('vertices_sorted', sortedData(sorted));
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
    await emit({ event: 'vertices_sorted', data: sortedData(sorted) });
    await emit({ event: 'build_start', data: {} });
  }
  const vertices = new Map(found?.vertices.map((vertex) => [vertex.id, vertex]));
  const send = (built: BuiltVertex, execution: BuildDetails) =>
    emit({
      event: 'end_vertex',
      data:
        release === '1.11'
          ? endOf(built)
          : { ...streamedEndOf(built, execution), ...metaOf(vertices.get(built.id)) },
    });
  return { ended: release === '1.11' || !sorted ? send : inputFirst(sorted, send) };
}

type SendEnd = (built: BuiltVertex, execution: BuildDetails) => void | Promise<void>;

/**
 * Sends the end of a Chat Input that is the first layer before those of the other vertices that could begin, which follow
 * it in Langflow.
 */
function inputFirst({ ids, ready }: SortedVertices, send: SendEnd): SendEnd {
  const [input] = ids;
  const others = ready.filter((id) => id !== input);
  if (ids.length !== 1 || others.length === 0) return send;
  const held: (readonly [BuiltVertex, BuildDetails])[] = [];
  let isInputSent = false;
  return async (built, execution) => {
    if (!isInputSent && built.id !== input && built.valid) return void held.push([built, execution]);
    const next = [...new Set([...others, ...built.next_vertices_ids])];
    await send(built.id === input ? { ...built, next_vertices_ids: next } : built, execution);
    isInputSent = true;
    for (const one of held.splice(0)) await send(...one);
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

interface SortedVertices {
  readonly ids: readonly string[];
  readonly toRun: readonly string[];
  /** The vertices that need no other one. */
  readonly ready: readonly string[];
}

/**
 * Returns the ids of the first vertices, and of all vertices of the flow or those that the run will execute; null when the
 * flow is missing. In Langflow 1.13 a Chat Input without edges into it is the first layer on its own.
 */
function sortedVertices(found: Plan | null, listed: 'all' | 'reached'): SortedVertices | null {
  if (!found) return null;
  const { scope, vertices } = found;
  const idsOf = (indices: readonly number[]) => indices.flatMap((index) => vertices[index]?.id ?? []);
  const ready = idsOf(scope.vertices.filter((index) => scope.pending[index] === 0));
  const input = listed === 'all' ? ready.find((id) => id.includes('ChatInput')) : undefined;
  return {
    ids: input === undefined ? ready : [input],
    toRun: listed === 'all' ? vertices.map(({ id }) => id) : idsOf(scope.vertices),
    ready,
  };
}

const sortedData = ({ ids, toRun }: SortedVertices) => ({ ids, to_run: toRun });

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
