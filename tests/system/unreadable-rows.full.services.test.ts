import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startModelServer } from '@millrace/model-server';
import type { ModelServer } from '@millrace/model-server';
import { until } from '@millrace/service/testing';
import { flowData, node } from '@millrace/testing';
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
        'flows.settings',
        'flows.attributes',
        'triggers.config',
        'runs.request',
        'runs.result',
        'runs.callback',
        'runs.retry',
        'runs.failure',
        'messages.body',
        'callback_deliveries.secrets',
        'callback_deliveries.amqp',
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

/** Text Input, which has the value of a variable → Chat Output. */
const readingFlow = (variable: string) =>
  flowData(
    [
      node('TextInput-t', { input_value: { type: 'str', load_from_db: true, value: variable } }, 'text'),
      node('ChatOutput-o', { session_id: '' }, 'message'),
    ],
    ['TextInput-t.text > ChatOutput-o.input_value'],
  );

/** API Request (a POST), which is an effect → Chat Output. */
const postingFlow = (url: string) =>
  flowData(
    [
      node('APIRequest-a', { url_input: url, method: 'POST' }, 'data'),
      node('ChatOutput-o', { session_id: '' }, 'message'),
    ],
    ['APIRequest-a.data > ChatOutput-o.input_value'],
  );

/** Stores texts with their vectors unless they are stored, and searches all → Chat Output. */
const vectorFlow = (modelUrl: string, texts: readonly object[]) =>
  flowData(
    [
      node('ChatInput-i', { input_value: '', session_id: '' }, 'message'),
      node('JSONtoData-j', { json_string: JSON.stringify(texts) }, 'data'),
      node('OpenAIEmbeddings-e', { openai_api_base: modelUrl, openai_api_key: 'sk-test' }, 'embeddings'),
      node('LocalDB-l', { search_query: '', ingest_data: '', embedding: '' }, 'dataframe'),
      node('ParserComponent-p', { input_data: '', pattern: '{text}: {note}' }, 'parsed_text'),
      node('ChatOutput-o', { session_id: '' }, 'message'),
    ],
    [
      'ChatInput-i.message > LocalDB-l.search_query',
      'JSONtoData-j.data > LocalDB-l.ingest_data',
      'OpenAIEmbeddings-e.embeddings > LocalDB-l.embedding',
      'LocalDB-l.dataframe > ParserComponent-p.input_data',
      'ParserComponent-p.parsed_text > ChatOutput-o.input_value',
    ],
  );

describe('what runs read beside their rows', () => {
  const PAST = 'PAST';
  const flows = new Map<string, string>();
  const runs: string[] = [];
  let model: ModelServer, sink: Server;
  let posts = 0;

  const run = (name: string) =>
    system.call(system.hostile, 'POST', `/api/v1/run/${String(flows.get(name))}`, { input_value: 'one' });
  const accept = async (name: string) => {
    const path = `/api/v1/run/${String(flows.get(name))}`;
    const request = system.json('POST', path, { input_value: 'one' }, { prefer: 'respond-async' });
    return String((await system.attack(request)).json['run_id']);
  };
  const end = async (id: string) => {
    const read = async () => (await system.call(system.hostile, 'GET', `/api/v1/runs/${id}`)).json;
    await until(async () => (await read())['finished_at'] != null, `the run ${id} ends`);
    return read();
  };

  beforeAll(async () => {
    const { client, encryption, hostile, made } = system;
    model = await startModelServer();
    sink = createServer((request, response) => {
      posts += 1;
      const headers = { 'content-type': 'application/json' };
      request.resume().once('end', () => response.writeHead(200, headers).end(`{"answer":"${PAST}"}`));
    });
    await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
    for (const name of ['CLOSED', 'NUL'])
      await made(hostile, '/api/v1/variables/', { name, type: 'Credential', value: 'x' });
    const texts = ['one', 'two', 'three', 'four'].map((text) => ({ text, note: PAST }));
    const reported = { callbacks: [{ url: 'https://receiver.test/', secrets: ['CLOSED'] }] };
    const bodies = [
      { name: 'posting', data: postingFlow(`http://127.0.0.1:${(sink.address() as AddressInfo).port}/`) },
      { name: 'storing', data: vectorFlow(model.url, texts) },
      { name: 'closed', data: readingFlow('CLOSED'), settings: reported },
      { name: 'nul', data: readingFlow('NUL') },
    ];
    for (const body of bodies)
      flows.set(body.name, String((await made(hostile, '/api/v1/flows/', body))['id']));
    expect((await run('storing')).status).toBe(200);
    runs.push(await accept('posting'), await accept('posting'));
    for (const id of runs) expect(await end(id)).toMatchObject({ status: 'succeeded' });
    await system.reopen(async () => {
      // Earlier releases stored results of effects as they are.
      const { rows } = await client.query<{ id: string; result: string }>(
        `SELECT run_id AS id, result FROM run_effects WHERE run_id = ANY($1)`,
        [runs],
      );
      for (const { id, result } of rows)
        await client.query('UPDATE run_effects SET result = $2 WHERE run_id = $1', [
          id,
          encryption().decrypt(result),
        ]);
      expect(await poison(PAST)).toEqual(
        expect.arrayContaining(['run_effects.result', 'vector_documents.metadata']),
      );
      const change = (text: string, ...values: unknown[]) => client.query(text, values);
      await change(`UPDATE run_effects SET result = 'no JSON' WHERE run_id = $1`, runs[1]);
      await change(
        `UPDATE runs SET status = 'accepted', next_sweep_at = now(), attempt = 0, result = NULL, finished_at = NULL,
          worker = NULL WHERE id = ANY($1)`,
        runs,
      );
      await change(`UPDATE vector_documents SET metadata = 'null' WHERE content = 'two'`);
      await change(`UPDATE vector_documents SET vector = substring(vector, 1, 3) WHERE content = 'three'`);
      await change(`UPDATE vector_documents SET metadata = '[]', vector = '' WHERE content = 'four'`);
      const setValue = 'UPDATE variables SET encrypted_value = $2 WHERE name = $1';
      await change(setValue, 'CLOSED', 'v1.unknown.none.none');
      await change(setValue, 'NUL', encryption().encrypt('a\u0000b'));
    });
    await system.checkNeighbour();
  }, 300_000);
  afterAll(async () => {
    await system.checkNeighbour();
    await model.close();
    sink.close();
  }, 120_000);

  test('a run ends that finds the result of an effect, and does not repeat it', async () => {
    for (const id of runs)
      expect(await end(id)).toMatchObject({ status: 'failed', error: { code: 'component_failed' } });
    expect(posts).toBe(2);
  });

  test('a search has the texts with such metadata and vectors, and others can be stored beside them', async () => {
    const { status, text } = await run('storing');
    expect(status).toBe(200);
    for (const stored of ['one', 'two', 'three', 'four']) expect(text).toContain(stored);
  });

  test('a run fails that reads a variable that no key opens, and the list of variables names it', async () => {
    expect(await end(await accept('closed'))).toMatchObject({
      status: 'failed',
      error: { code: 'internal' },
    });
    const variables = await system.call(system.hostile, 'GET', '/api/v1/variables/');
    expect(JSON.parse(variables.text)).toContainEqual(
      expect.objectContaining({ name: 'CLOSED', is_valid: false }),
    );
  });

  test('a run passes on the value of a variable, whatever its characters are', async () => {
    const { status, text } = await run('nul');
    expect(status).toBe(200);
    expect(text).toContain(String.raw`a\u0000b`);
    expect(await end(await accept('nul'))).toMatchObject({ status: 'succeeded' });
  });
});
