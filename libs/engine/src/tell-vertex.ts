import type { PlanVertex } from '@millrace/flow';
import { errorText } from './failure-message';
import type { OngoingRun } from './ongoing-run';
import { resultData } from './result-data';
import { shortened } from './shortened';
import type { VertexRecord } from './vertex-record';
import type { BuiltVertex } from './vertex-watch';
import { isUnfinished } from './whole-message';

/** What the end of a vertex means for others, by their ids, and how long it took. */
export interface VertexEnd {
  readonly stopped: readonly string[];
  readonly next: readonly string[];
  readonly milliseconds: number;
}

/** Tells who watches the run what a vertex gave; resolves at once when that is not whole yet. */
export async function tellVertex(
  run: OngoingRun,
  vertex: PlanVertex,
  record: VertexRecord,
  end: VertexEnd,
): Promise<void> {
  const telling = tellWhole(run, vertex, record, end);
  if ([...record.outputs.values()].some(isUnfinished)) run.awaitAtEnd(telling);
  else await telling;
}

/** Tells who watches the run why a vertex failed. */
export async function tellFailedVertex(
  run: OngoingRun,
  { id }: PlanVertex,
  error: unknown,
  milliseconds: number,
): Promise<void> {
  await run.environment.watch?.ended({
    ...frameOf(run, id, { stopped: [], next: [], milliseconds }),
    valid: false,
    params: errorText(error),
    data: { results: {}, outputs: {}, logs: {}, messages: [], duration: duration(milliseconds) },
    artifacts: {},
    messages: [],
  });
}

async function tellWhole(
  run: OngoingRun,
  vertex: PlanVertex,
  record: VertexRecord,
  end: VertexEnd,
): Promise<void> {
  const { results, outputs, logs, messages, artifacts } = await run.lifetime.within(
    resultData(run, vertex, record),
  );
  await run.environment.watch?.ended({
    ...frameOf(run, vertex.id, end),
    valid: true,
    params: null,
    data: {
      results: shortened(results),
      outputs: shortened(outputs),
      logs: shortened(logs),
      messages: shortened(messages),
      duration: duration(end.milliseconds),
    },
    artifacts: shortened(artifacts),
    messages: shortened(messages),
  });
}

type Frame = Omit<BuiltVertex, 'valid' | 'params' | 'data' | 'artifacts' | 'messages'>;

function frameOf(run: OngoingRun, id: string, { stopped, next }: VertexEnd): Frame {
  return {
    id,
    timestamp: new Date(run.environment.now?.() ?? Date.now()).toISOString(),
    inactivated_vertices: stopped,
    next_vertices_ids: next,
    top_level_vertices: [],
  };
}

function duration(milliseconds: number): string {
  return milliseconds < 1_000
    ? `${Math.round(milliseconds)} ms`
    : `${(milliseconds / 1_000).toFixed(1)} seconds`;
}
