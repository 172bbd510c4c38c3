import { until } from '@millrace/service/testing';
import { echo, openHostileInstallation } from './hostile-installation';
import type { HostileInstallation } from './hostile-installation';

const MARK = 'POISON';
/** Settings that contain the mark, each in another place. */
const SETTINGS = [
  { webhook: { signature: { scheme: 'github', secrets: [MARK] } } },
  { webhook: { challenge: { scheme: 'meta', secrets: [MARK] } } },
  { callbacks: [{ url: 'https://receiver.test/', secrets: [MARK] }] },
  { callbacks: [{ url: `https://receiver.test/${MARK}`, secrets: [MARK] }] },
  { callbacks: [{ amqp: { connection: MARK, exchange: MARK, routingKey: MARK } }] },
  { callbacks: [{ amqp: { connection: MARK, exchange: '', routingKey: MARK } }] },
];

let system: HostileInstallation;
beforeAll(async () => {
  system = await openHostileInstallation();
}, 300_000);
afterAll(() => system.close(), 120_000);

/** Replaces a mark in every text and JSON of the database by what PostgreSQL stores in JSON and cannot read. */
async function poison(mark: string): Promise<readonly string[]> {
  const { rows } = await system.client.query<{ table: string; column: string; type: string }>(
    `SELECT table_name AS table, column_name AS column, data_type AS type FROM information_schema.columns
      WHERE table_schema = 'public' AND data_type IN ('text', 'json') AND table_name NOT LIKE 'audit%'`,
  );
  const places: string[] = [];
  for (const { table, column, type } of rows) {
    const { rowCount } = await system.client.query(
      String.raw`UPDATE ${table} SET ${column} = replace(${column}::text, $1, '\ud800\u0000')::${type} WHERE ${column}::text LIKE '%' || $1 || '%'`,
      [mark],
    );
    if (rowCount) places.push(`${table}.${column}`);
  }
  return places;
}

test('a database with rows that PostgreSQL cannot read, each in another place, heals without a hand', async () => {
  const { attack, call, checkNeighbour, client, hostile, json, lines, made } = system;
  await made(hostile, '/api/v1/variables/', {
    name: MARK,
    type: 'Credential',
    value: 'amqp://127.0.0.1:1',
    default_fields: [MARK],
  });
  const flows: string[] = [];
  for (const settings of SETTINGS) {
    const action = { mcp_enabled: true, action_name: MARK, action_description: `${MARK} ${flows.length}` };
    const body = {
      name: `${MARK} ${flows.length}`,
      ...action,
      data: echo,
      settings: { concurrency: 1, ...settings },
    };
    flows.push(String((await made(hostile, '/api/v1/flows/', body))['id']));
  }
  const trigger = {
    flow_id: flows[0],
    name: MARK,
    node_id: MARK,
    kind: 'schedule',
    config: { every_seconds: 1 },
  };
  const schedule = String((await made(hostile, '/api/v1/triggers', trigger))['id']);
  await made(hostile, `/api/v1/triggers/${schedule}/enable`, undefined);
  const background = (flow: string, callback: Record<string, string> = {}) =>
    attack(
      json(
        'POST',
        `/api/v1/run/${flow}`,
        { input_value: MARK, session_id: MARK },
        { prefer: 'respond-async', ...callback },
      ),
    );
  const reported = { 'x-callback-url': `https://receiver.test/${MARK}`, 'x-callback-secret': MARK };
  const runs: string[] = [];
  for (const flow of flows) runs.push(String((await background(flow, reported)).json['run_id']));
  const stateOf = async (id: string) => (await call(hostile, 'GET', `/api/v1/runs/${id}`)).json['status'];
  for (const id of runs) await until(async () => (await stateOf(id)) === 'succeeded', 'the run succeeds');
  await system.reopen(async () => {
    await client.query(`UPDATE triggers SET config = jsonb_set(config::jsonb, $2, '1')::json WHERE id = $1`, [
      schedule,
      [MARK],
    ]);
    // One run waits in the backlog, one lost its message, and one has failed.
    const again = `attempt = 0, result = NULL, finished_at = NULL, worker = NULL`;
    await client.query(
      `UPDATE runs SET status = 'accepted', next_sweep_at = 'infinity', ${again} WHERE id = $1`,
      [runs[0]],
    );
    await client.query(
      `UPDATE runs SET status = 'accepted', next_sweep_at = now(), retry = $2, ${again} WHERE id = $1`,
      [runs[1], MARK],
    );
    await client.query(`UPDATE runs SET status = 'failed', failure = $2 WHERE id = $1`, [
      runs[2],
      JSON.stringify({ code: 'internal', message: MARK }),
    ]);
    const places = await poison(MARK);
    expect(places).toEqual(
      expect.arrayContaining([
        ...[
          'flows.settings',
          'flows.attributes',
          'triggers.config',
          'runs.request',
          'runs.result',
          'runs.callback',
        ],
        ...[
          'runs.retry',
          'runs.failure',
          'messages.body',
          'callback_deliveries.secrets',
          'callback_deliveries.amqp',
        ],
      ]),
    );
  });

  await checkNeighbour();
  for (const id of [runs[0] ?? '', runs[1] ?? ''])
    await until(async () => (await stateOf(id)) === 'succeeded', `the stored run ${id} succeeds`);
  for (const [method, path] of [
    ['POST', `/api/v1/runs/${String(runs[2])}/replay`],
    ...[
      '/api/v1/runs',
      '/api/v1/flows/',
      '/api/v1/callbacks',
      `/api/v1/triggers/${schedule}`,
      '/api/v1/monitor/messages',
    ].map((one) => ['GET', one]),
  ] as const)
    expect([
      path,
      (await call(hostile, String(method), String(path), method === 'POST' ? {} : undefined)).status < 300,
    ]).toEqual([path, true]);
  const tools = await call(hostile, 'POST', '/api/v1/mcp/streamable', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
  });
  expect(tools.status).toBe(200);
  for (const flow of flows) {
    const id = String((await background(flow)).json['run_id']);
    await until(async () => (await stateOf(id)) === 'succeeded', 'a new run succeeds');
  }
  expect(
    lines.some(
      (line) => line.includes('rows cannot be read as they were stored') && line.includes(String(flows[0])),
    ),
  ).toBe(true);
  await checkNeighbour();
}, 600_000);
