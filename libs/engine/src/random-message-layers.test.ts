import type { Plan } from '@millrace/flow';
import fc from 'fast-check';
import { planOf } from './testing/test-flow';
import { chatRequest, runPlan, texts } from './testing/test-run';

/** Input and output of each kind of vertex. The text of a note is its own id, which identifies it. */
const ends = {
  Note: { input: 'after', output: 'noted' },
  History: { input: 'after', output: 'text' },
  Join: { input: 'first', output: 'joined' },
} as const;

type Kind = keyof typeof ends;

interface Graph {
  readonly kinds: readonly Kind[];
  readonly edges: readonly (readonly [number, number])[];
  /** Delay of each vertex in milliseconds. */
  readonly delays: readonly number[];
  /** Order of the nodes in the file. */
  readonly order: readonly number[];
}

const graphs: fc.Arbitrary<Graph> = fc.record({
  kinds: fc.array(fc.constantFrom<Kind>('Note', 'History', 'Join'), { minLength: 2, maxLength: 9 }),
  edges: fc.array(fc.tuple(fc.nat({ max: 8 }), fc.nat({ max: 8 })), { maxLength: 14 }),
  delays: fc.array(fc.nat({ max: 4 }), { minLength: 9, maxLength: 9 }),
  order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8], { minLength: 9 }),
});

function planFrom({ kinds, edges, delays, order }: Graph): Plan {
  const nodes = kinds.map((type, index) => ({
    id: `${type}-${index}`,
    type,
    fields: type === 'Note' ? { milliseconds: { type: 'int', value: delays[index] } } : {},
  }));
  const written = edges.flatMap(([one, other]) => {
    const [source, target] = [nodes[Math.min(one, other)], nodes[Math.max(one, other)]];
    if (source === undefined || target === undefined || source === target) return [];
    return [`${source.id}.${ends[source.type].output} > ${target.id}.${ends[target.type].input}`];
  });
  return planOf(
    order.flatMap((index) => nodes[index] ?? []),
    written,
  );
}

/** Returns the length of the longest path to a vertex. */
function layer(plan: Plan, index: number): number {
  const before = (plan.vertices[index]?.incoming ?? []).map(({ source }) => layer(plan, source));
  return before.length === 0 ? 0 : Math.max(...before) + 1;
}

test('a reader sees the earlier layers, for any graph, order in the file and duration of vertices', async () => {
  await fc.assert(
    fc.asyncProperty(graphs, async (graph) => {
      const plan = planFrom(graph);
      const { response } = await runPlan(plan, chatRequest('', { outputs: { by: 'type', type: 'debug' } }));
      const seen = texts(response);
      for (const { id, index } of plan.vertices.filter(({ type }) => type === 'History')) {
        const before = plan.vertices.filter(
          (vertex) => vertex.type === 'Note' && layer(plan, vertex.index) < layer(plan, index),
        );
        const found = String(seen[id]).split(' / ');
        expect(found.filter((text) => text !== '').sort()).toEqual(before.map((vertex) => vertex.id).sort());
      }
    }),
    { numRuns: 200 },
  );
}, 60_000);
