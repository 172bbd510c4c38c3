import { createHash } from 'node:crypto';
import type { PlanVertex } from '@millrace/flow';
import { canonicalText } from './canonical-text';
import type { OngoingRun } from '../run/ongoing-run';
import type { FrozenResults } from '../run/run-environment';
import type { ExecutionScope } from './execution-scope';
import type { VertexRecord } from '../run/vertex-record';
import { isTool } from './vertex-tools';
import type { VertexValues } from '../run/given-values';
import { completeRecord } from '../observers/result-data';

/**
 * Executes a frozen vertex: returns the cached result for the same values, or runs the component and caches its result.
 * Results are shared only by the same vertex of the same flow of the same user. A loop always runs.
 */
export function executeFrozen(
  run: OngoingRun,
  vertex: PlanVertex,
  { values, executionScope }: { readonly values: VertexValues; readonly executionScope: ExecutionScope },
  execute: () => VertexRecord | Promise<VertexRecord>,
): VertexRecord | Promise<VertexRecord> {
  const { frozenResults } = run.environment;
  if (frozenResults === undefined || isTool(vertex) || executionScope.scope.bodies.has(vertex.index))
    return execute();
  const key = contentKey(run, vertex, { values, executionScope });
  if (key === null) return execute();
  const cached = frozenResults.get(key);
  if (cached !== undefined) return { ...cached, reused: true };
  const record = execute();
  if (record instanceof Promise) {
    return record.then((ready) => {
      cacheResult(run, ready, { key, frozenResults });
      return ready;
    });
  }
  cacheResult(run, record, { key, frozenResults });
  return record;
}

function contentKey(
  { plan, environment }: OngoingRun,
  vertex: PlanVertex,
  { values, executionScope }: { readonly values: VertexValues; readonly executionScope: ExecutionScope },
): string | null {
  const undeclared = Object.entries(values.fields()).filter(
    ([name]) => vertex.component?.inputs[name] === undefined,
  );
  const content = canonicalText([
    [environment.userId, plan.flowId, vertex.id, vertex.type],
    [vertex.wanted, executionScope.execution(vertex)],
    sorted(Object.entries(values.inputs)),
    sorted(undeclared),
  ]);
  return content === null ? null : createHash('sha256').update(content).digest('base64');
}

function sorted(entries: readonly (readonly [string, unknown])[]): readonly (readonly [string, unknown])[] {
  return entries.toSorted(([one], [other]) => (one < other ? -1 : 1));
}

interface CacheSlot {
  readonly key: string;
  readonly frozenResults: FrozenResults;
}

/**
 * Caches a result when it is complete. A result that is more than content, such as a model, belongs to its run and is
 * not cached.
 */
function cacheResult(run: OngoingRun, computedRecord: VertexRecord, { key, frozenResults }: CacheSlot): void {
  const store = (record: VertexRecord): void => {
    const content = canonicalText([...record.outputs.values(), record.status]);
    if (content !== null) frozenResults.set(key, record, 2 * content.length);
  };
  const record = completeRecord(run, computedRecord);
  // A stream that breaks fails the vertex that reads it; here it only prevents caching.
  if (record instanceof Promise) record.then(store, () => undefined);
  else store(record);
}
