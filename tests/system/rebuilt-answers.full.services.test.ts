import { flowData, forAllTests, freePort, node } from '@millrace/testing';
import type { FlowNode } from '@millrace/testing';
import { testSeed } from '@millrace/service/testing';
import fc from 'fast-check';
import { startTestSystem } from './test-system';

const FLOWS = 100;
const RUNS = Number(process.env['TEST_REBUILT_RUNS'] ?? 10_000);
const CALLERS = 32;
/** Every tenth request has a key, and is asked again. */
const KEYED = 10;

const system = forAllTests(startTestSystem);

/** A vertex between the inputs and the outputs of a flow. */
interface Middle {
  readonly kind: 'Prompt Template' | 'CombineText' | 'JavaScriptFunction';
  readonly text: string;
  readonly from: readonly [number, number];
}

interface DrawnFlow {
  readonly inputs: readonly ('ChatInput' | 'TextInput')[];
  readonly middle: readonly Middle[];
  readonly outputs: readonly { readonly kind: 'ChatOutput' | 'TextOutput'; readonly from: number }[];
  readonly text: string;
}

interface DrawnRun {
  readonly flow: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const text = fc.oneof(
  fc.constantFrom(
    '',
    'hello',
    '"',
    '\\',
    '\n',
    '","text":"',
    '~',
    '{x}',
    'a text of some length '.repeat(40),
  ),
  fc.string({ maxLength: 30 }),
  // A text with U+0000 is refused.
  fc.string({ unit: 'binary', maxLength: 12 }).map((drawn) => drawn.replaceAll('\0', '')),
);
const number = fc.nat({ max: 1_000 });
const drawnFlow: fc.Arbitrary<DrawnFlow> = fc.record({
  inputs: fc.array(fc.constantFrom('ChatInput' as const, 'TextInput' as const), {
    minLength: 1,
    maxLength: 3,
  }),
  middle: fc.array(
    fc.record({
      kind: fc.constantFrom(
        'Prompt Template' as const,
        'CombineText' as const,
        'JavaScriptFunction' as const,
      ),
      text: fc.string({ maxLength: 20 }),
      from: fc.tuple(number, number),
    }),
    { maxLength: 4 },
  ),
  outputs: fc.array(
    fc.record({ kind: fc.constantFrom('ChatOutput' as const, 'TextOutput' as const), from: number }),
    { minLength: 1, maxLength: 3 },
  ),
  text: fc.string({ maxLength: 10 }),
});
const drawnRun: fc.Arbitrary<DrawnRun> = fc.record({
  flow: fc.nat({ max: FLOWS - 1 }),
  body: fc.record(
    {
      input_value: text,
      output_type: fc.constantFrom('chat', 'text', 'debug', 'any'),
      input_type: fc.constantFrom('chat', 'text', 'any'),
      session_id: fc.oneof(fc.constantFrom('one', 'two'), fc.string({ minLength: 1, maxLength: 8 })),
      tweaks: fc.constantFrom({}, { ChatOutput: { sender_name: 'Other' } }),
    },
    { requiredKeys: ['input_value'] },
  ),
});

/** Returns the nodes and edges of a drawn flow; each vertex reads from those before it. */
function documentOf({ inputs, middle, outputs, text: written }: DrawnFlow) {
  const nodes: FlowNode[] = [];
  const edges: string[] = [];
  const places: string[] = [];
  inputs.forEach((kind, index) => {
    const output = kind === 'ChatInput' ? 'message' : 'text';
    nodes.push(node(`${kind}-i${index}`, { input_value: written }, output));
    places.push(`${kind}-i${index}.${output}`);
  });
  const place = (at: number) => places[at % places.length] ?? '';
  middle.forEach(({ kind, text: own, from: [first, second] }, index) => {
    const id = `${kind}-m${index}`;
    const plain = own.replaceAll(/[{}]/g, '');
    if (kind === 'Prompt Template') {
      nodes.push(node(id, { template: `${plain}{word}`, word: '' }, 'prompt'));
      edges.push(`${place(first)} > ${id}.word`);
      places.push(`${id}.prompt`);
    } else if (kind === 'CombineText') {
      nodes.push(node(id, { text1: '', text2: '', delimiter: plain }, 'combined_text'));
      edges.push(`${place(first)} > ${id}.text1`, `${place(second)} > ${id}.text2`);
      places.push(`${id}.combined_text`);
    } else {
      const script = `input + ${JSON.stringify(plain)}`;
      nodes.push(node(id, { script, input_value: '' }, 'message'));
      edges.push(`${place(first)} > ${id}.input_value`);
      places.push(`${id}.message`);
    }
  });
  outputs.forEach(({ kind, from }, index) => {
    nodes.push(node(`${kind}-o${index}`, { input_value: '' }, kind === 'ChatOutput' ? 'message' : 'text'));
    edges.push(`${place(from)} > ${kind}-o${index}.input_value`);
  });
  return flowData(nodes, edges);
}

interface Answered {
  readonly runId: string;
  readonly text: string;
}

async function ask(
  url: string,
  flow: string,
  body: unknown,
  key: string | null,
): Promise<Answered & { readonly status: number }> {
  const response = await fetch(`${url}/api/v1/run/${flow}`, {
    method: 'POST',
    headers: { ...system.headers, ...(key === null ? {} : { 'idempotency-key': key }) },
    body: JSON.stringify(body),
  });
  const { status, headers } = response;
  return { status, runId: headers.get('x-run-id') ?? '', text: await response.text() };
}

test('stored answers of random runs of random flows are those that callers got, byte for byte', async () => {
  const seed = testSeed();
  const flows: string[] = [];
  for (const [index, drawn] of fc.sample(drawnFlow, { numRuns: FLOWS, seed }).entries()) {
    const created = await system.post('/api/v1/flows/', { name: `drawn ${index}`, data: documentOf(drawn) });
    const answer = await created.text();
    expect([created.status, created.status === 201 ? '' : answer]).toEqual([201, '']);
    flows.push((JSON.parse(answer) as { id: string }).id);
  }
  const runs = fc.sample(drawnRun, { numRuns: RUNS, seed });
  const answered = new Map<string, string>();
  const keyed: { readonly number: number; readonly text: string }[] = [];
  const failures: string[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (let at = next++; at < runs.length; at = next++) {
        const { flow, body } = runs[at]!;
        const key = at % KEYED === 0 ? `key-${at}` : null;
        const { status, runId, text: answer } = await ask(system.url, flows[flow] ?? '', body, key);
        if (status !== 200) {
          failures.push(`${JSON.stringify(body)}: ${answer.slice(0, 300)}`);
          continue;
        }
        answered.set(runId, answer);
        if (key !== null) keyed.push({ number: at, text: answer });
      }
    }),
  );
  expect({ seed, failures: failures.slice(0, 3), count: failures.length }).toEqual({
    seed,
    failures: [],
    count: 0,
  });
  expect(answered.size).toBe(RUNS);
  // The last records are written after their answers.
  await system.getJson('/api/v1/runs?limit=1');
  const { rows } = await system.database.query<{ id: string; result: string | null; isCoded: boolean }>(
    `SELECT id, whole_text(result, id, flow_id, session_id) AS result, left(result, 1) = '~' AS "isCoded" FROM runs`,
  );
  const stored = new Map(rows.map(({ id, result }) => [id, result]));
  const different = [...answered].filter(([id, answer]) => stored.get(id) !== answer);
  expect({ seed, different: different.slice(0, 2), count: different.length }).toEqual({
    seed,
    different: [],
    count: 0,
  });
  const coded = rows.filter(({ isCoded }) => isCoded).length;
  process.stdout.write(`${answered.size} runs of ${FLOWS} flows, ${coded} answers of a template\n`);
  expect(coded).toBeGreaterThan(RUNS / 10);

  // A gateway with the answers of another release of Langflow repeats what was stored.
  const port = await freePort('127.0.0.1');
  await system.startService({
    app: 'gateway',
    name: 'gateway-2',
    environment: {
      PORT: String(port),
      INGEST_URL: `http://127.0.0.1:${system.ingestPort}`,
      MILLRACE_COMPATIBILITY: '1.11',
    },
  });
  for (const { number: at, text: first } of keyed) {
    const { flow, body } = runs[at]!;
    const again = await ask(`http://127.0.0.1:${port}`, flows[flow] ?? '', body, `key-${at}`);
    expect({ seed, at, text: again.text }).toEqual({ seed, at, text: first });
  }
}, 590_000);
