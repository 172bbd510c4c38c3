import { startTestSystem } from './test-system';
import type { TestSystem } from './test-system';

let system: TestSystem;

beforeAll(async () => {
  system = await startTestSystem({ pools: { default: 2 } });
}, 120_000);

afterAll(() => system?.stop(), 60_000);

test('who watches a flow sees each webhook run, whichever executor has it, and whose each event is', async () => {
  const { id, endpoint } = await system.upload('order-webhook');
  const answer = await fetch(`${system.url}/api/v1/webhook-events/${endpoint}`, {
    headers: system.headers,
    signal: AbortSignal.timeout(20_000),
  });
  const reader = (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  let heard = (await reader.read()).value ?? '';
  expect(heard).toBe(`event: connected\ndata: {"flow_id":"${id}","flow_name":"Order webhook"}\n\n`);
  const runIds: string[] = [];
  for (let order = 0; order < 20; order += 1) {
    const accepted = await system.post(`/api/v1/webhook/${endpoint}`, { customer: 'Ann', quantity: order });
    runIds.push(((await accepted.json()) as { run_id: string }).run_id);
  }
  const events = () =>
    [...heard.matchAll(/event: (\w+)\ndata: (.*)\n\n/g)].map(([, event, data]) => ({
      event,
      ...(JSON.parse(data ?? '') as { run_id?: string; success?: boolean; to_run?: string[] }),
    }));
  const ended = () => events().filter(({ event }) => event === 'end');
  while (ended().length < runIds.length) heard += (await reader.read()).value ?? '';
  expect(ended().every(({ success }) => success)).toBe(true);
  for (const runId of runIds) {
    const ofRun = events().filter(({ run_id }) => run_id === runId);
    const told = ofRun.map(({ event }) => event);
    expect([told[0], ...told.slice(-2)]).toEqual(['vertices_sorted', 'add_message', 'end']);
    const vertices = told.slice(1, -2);
    expect(vertices).toEqual(vertices.map((_event, index) => ['build_start', 'end_vertex'][index % 2]));
    expect(vertices).toHaveLength(2 * (ofRun[0]?.to_run?.length ?? 0));
  }
  const workers = await system.database.query('SELECT DISTINCT worker FROM runs WHERE flow_id = $1', [id]);
  expect(workers.rows).toHaveLength(2);
  await reader.cancel();
}, 60_000);
