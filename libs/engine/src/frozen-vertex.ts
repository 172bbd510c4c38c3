import { createHash } from 'node:crypto';
import type { PlanVertex } from '@millrace/flow';
import { contentText } from './content-text';
import type { OngoingRun } from './ongoing-run';
import type { FrozenResults } from './run-environment';
import type { Surroundings } from './vertex-context';
import type { VertexRecord } from './vertex-record';
import { isTool } from './vertex-tools';
import type { VertexValues } from './vertex-values';
import { wholeRecord } from './whole-record';

/**
 * Executes a vertex that its author has frozen: what it gave for the same values before, if that is still known, else
 * what it gives now, which is kept. Only the same vertex of the same flow of the same user shares results, and a loop
 * always runs.
 */
export function executeFrozen(
  run: OngoingRun,
  vertex: PlanVertex,
  { values, around }: { readonly values: VertexValues; readonly around: Surroundings },
  execute: () => VertexRecord | Promise<VertexRecord>,
): VertexRecord | Promise<VertexRecord> {
  const { frozenResults } = run.environment;
  if (frozenResults === undefined || isTool(vertex) || around.scope.bodies.has(vertex.index))
    return execute();
  const key = contentKey(run, vertex, { values, around });
  if (key === null) return execute();
  const known = frozenResults.get(key);
  if (known !== undefined) return { ...known, reused: true };
  const record = execute();
  if (record instanceof Promise) {
    return record.then((ready) => {
      keep(run, ready, { key, frozenResults });
      return ready;
    });
  }
  keep(run, record, { key, frozenResults });
  return record;
}

function contentKey(
  { plan, environment }: OngoingRun,
  vertex: PlanVertex,
  { values, around }: { readonly values: VertexValues; readonly around: Surroundings },
): string | null {
  const undeclared = Object.entries(values.fields()).filter(
    ([name]) => vertex.component?.inputs[name] === undefined,
  );
  const content = contentText([
    [environment.userId, plan.flowId, vertex.id, vertex.type],
    [vertex.wanted, around.execution(vertex)],
    sorted(Object.entries(values.inputs)),
    sorted(undeclared),
  ]);
  return content === null ? null : createHash('sha256').update(content).digest('base64');
}

function sorted(entries: readonly (readonly [string, unknown])[]): readonly (readonly [string, unknown])[] {
  return entries.toSorted(([one], [other]) => (one < other ? -1 : 1));
}

interface Place {
  readonly key: string;
  readonly frozenResults: FrozenResults;
}

/** Keeps a result once it is whole; what holds more than contents, such as a model, belongs to its run. */
function keep(run: OngoingRun, made: VertexRecord, { key, frozenResults }: Place): void {
  const put = (record: VertexRecord): void => {
    const content = contentText([...record.outputs.values(), record.status]);
    if (content !== null) frozenResults.set(key, record, 2 * content.length);
  };
  const record = wholeRecord(run, made);
  // A text that breaks fails the vertex that reads it; here it merely leaves nothing to keep.
  if (record instanceof Promise) record.then(put, () => undefined);
  else put(record);
}
