import { RunError } from '@millrace/flow';
import fc from 'fast-check';
import { execute } from './execute';
import type { VertexReport } from './run/run-environment';
import { planOf } from './testing/test-flow';
import { chatRequest, testEnvironment } from './testing/test-run';

const request = chatRequest('left a b', { outputs: { by: 'type', type: 'debug' } });
const limits = { maximumVertices: 300, maximumOutputBytes: 10_000_000 };

/** Inputs and outputs of each kind of vertex in random graphs. */
const kinds = {
  Join: { inputs: ['first', 'second'], outputs: ['joined'] },
  Collect: { inputs: ['texts'], outputs: ['list'] },
  Router: { inputs: ['input_text'], outputs: ['left', 'right'] },
  Until: { inputs: ['input_text'], outputs: ['again', 'enough'] },
  Loop: { inputs: ['words', 'item'], outputs: ['item', 'done'] },
  Table: { inputs: ['table'], outputs: ['text'] },
  Slow: { inputs: ['input_value'], outputs: ['text'] },
} as const;

type Kind = keyof typeof kinds;

interface Graph {
  readonly kinds: readonly Kind[];
  readonly edges: readonly (readonly [number, number, number, number])[];
}

function graphs(of: readonly Kind[], edges: number): fc.Arbitrary<Graph> {
  const natural = fc.nat({ max: 1_000 });
  return fc.record({
    kinds: fc.array(fc.constantFrom(...of), { minLength: 1, maxLength: 9 }),
    edges: fc.array(fc.tuple(natural, natural, natural, natural), { maxLength: edges }),
  });
}

/** `forward` directs every edge from an earlier vertex to a later one. */
function planFrom({ kinds: types, edges }: Graph, forward = false): ReturnType<typeof planOf> {
  const nodes = types.map((type, index) => ({
    id: `${type}-${index}`,
    type,
    fields: type === 'Slow' ? { milliseconds: { type: 'int', value: 1 } } : {},
  }));
  const texts = edges.flatMap(([from, output, to, input]) => {
    const [one, other] = [from % types.length, to % types.length];
    const [source, target] = forward ? [Math.min(one, other), Math.max(one, other)] : [one, other];
    if (forward && source === target) return [];
    const { outputs } = kinds[types[source] ?? 'Join'];
    const { inputs } = kinds[types[target] ?? 'Join'];
    return [
      `${nodes[source]?.id ?? ''}.${outputs[output % outputs.length] ?? ''} > ` +
        `${nodes[target]?.id ?? ''}.${inputs[input % inputs.length] ?? ''}`,
    ];
  });
  return planOf(nodes, texts);
}

/** Returns true when all vertices of a scope, and of the bodies of its loops, can run in some order. */
function canComplete(plan: ReturnType<typeof planOf>, scope = plan.scope): boolean {
  const pending = [...scope.pending];
  const ready = new Set(scope.vertices.filter((index) => pending[index] === 0));
  for (const index of ready) {
    for (const edge of plan.vertices[index]?.outgoing ?? []) {
      const target = scope.receivers[edge.target] ?? edge.target;
      if (scope.backEdges.has(edge)) continue;
      pending[target] = (pending[target] ?? 0) - 1;
      if (pending[target] === 0) ready.add(target);
    }
  }
  return (
    ready.size === scope.vertices.length &&
    [...scope.bodies.values()].every((body) => canComplete(plan, body.scope))
  );
}

test('a run of any graph ends, and with a deadlock only when no further vertex could run', async () => {
  await fc.assert(
    fc.asyncProperty(graphs(Object.keys(kinds) as Kind[], 18), async (graph) => {
      const plan = planFrom(graph);
      try {
        await execute(plan, request, testEnvironment({ limits }));
      } catch (error) {
        if (!(error instanceof RunError)) throw error;
        const reasons = [
          'too_many_vertices',
          'component_failed',
          ...(canComplete(plan) ? [] : ['deadlocked']),
        ];
        expect(reasons).toContain(error.code);
      }
    }),
    { numRuns: 300 },
  );
});

test('without cycles and routers every vertex runs once, after all its predecessors', async () => {
  await fc.assert(
    fc.asyncProperty(graphs(['Join', 'Collect', 'Slow'], 25), async (graph) => {
      const plan = planFrom(graph, true);
      const environment = testEnvironment({ limits });
      await execute(plan, request, environment);
      const order = environment.reports.map(({ vertexId }) => vertexId);
      expect([...order].sort()).toEqual(plan.vertices.map(({ id }) => id).sort());
      for (const { id, incoming } of plan.vertices) {
        for (const { source } of incoming) {
          expect(order.indexOf(plan.vertices[source]?.id ?? '')).toBeLessThan(order.indexOf(id));
        }
      }
    }),
    { numRuns: 150 },
  );
});

test('without cycles every vertex either runs or is stopped, once, and the run succeeds', async () => {
  await fc.assert(
    fc.asyncProperty(graphs(['Join', 'Collect', 'Router', 'Until', 'Slow'], 25), async (graph) => {
      const plan = planFrom(graph, true);
      const environment = testEnvironment({ limits });
      await execute(plan, request, environment);
      const ended = environment.reports.map(({ vertexId }: VertexReport) => vertexId).sort();
      expect(ended).toEqual(plan.vertices.map(({ id }) => id).sort());
    }),
    { numRuns: 150 },
  );
});
