import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { flowData, node } from '@millrace/testing';
import { until } from '@millrace/service/testing';
import { startTestSystem } from '../system/test-system';
import type { TestSystem } from '../system/test-system';

const MODEL_CALLS = 10;
const TOOL_CALLS = 6;
/** Which results of tools come from the server; the others are calculated. */
const FROM_SERVER = [0, 2, 3, 5, 6, 8];
/** The conversation, the answers of the model, the results of tools, and the effects of those that have one. */
const RECORDS = 1 + MODEL_CALLS + (MODEL_CALLS - 1) + TOOL_CALLS;
/** An executor has ten connections to the database; each run that is held takes one. */
const HELD_AT_ONCE = 7;
const LOCK = 44;

// A record is stored and its executor does not learn it until the lock is free.
const HOLD = `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.result IS NOT NULL AND NEW.attempt = 1 AND (SELECT session_id FROM runs WHERE id = NEW.run_id) =
        'record-' || (SELECT count(*) FROM run_effects WHERE run_id = NEW.run_id AND result IS NOT NULL)
      THEN PERFORM pg_advisory_xact_lock_shared(${LOCK}); END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER hold AFTER INSERT OR UPDATE ON run_effects FOR EACH ROW EXECUTE FUNCTION hold()`;
const HELD = `SELECT count(*)::int AS count FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`;

/** What the servers of an agent saw: the idempotency keys of its calls of the model and of its tool. */
interface Calls {
  readonly model: string[];
  readonly tool: string[];
}

let system: TestSystem;
let server: Server;
let url = '';
const calls = new Map<string, Calls>();
let withheld = 0;

beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  system = await startTestSystem({ pools: { default: 1 }, environment: { OPENAI_BASE_URL: `${url}/v1` } });
  await system.database.query(HOLD);
  const file = { name: 'ten', endpoint_name: 'ten', data: agentData() };
  expect((await system.post('/api/v1/flows/', file)).status).toBe(201);
}, 120_000);

afterAll(async () => {
  await system?.stop();
  server?.closeAllConnections();
  server?.close();
}, 60_000);

/** An agent with the calculator, and a tool that posts to the server. */
function agentData() {
  const model = { type: 'model', value: [{ name: 'gpt-4o-mini', provider: 'OpenAI', metadata: {} }] };
  const tool = node(
    'APIRequest-t',
    { url_input: '', method: 'POST', mode: 'URL', tools_metadata: { type: 'table', value: [] } },
    { name: 'component_as_tool', types: ['Tool'], method: 'to_toolkit' },
  );
  Object.assign(tool.data.node, { tool_mode: true });
  return flowData(
    [
      node('ChatInput-i', { input_value: '' }, 'message'),
      tool,
      node('Agent-a', { model, input_value: '', stream: false, add_calculator_tool: true }, 'response'),
      node('ChatOutput-o', { input_value: '' }, 'message'),
    ],
    [
      'ChatInput-i.message > Agent-a.input_value',
      'APIRequest-t.component_as_tool > Agent-a.tools',
      'Agent-a.response > ChatOutput-o.input_value',
    ],
  );
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const piece of request) body += String(piece);
  const isModel = request.url?.startsWith('/v1') ?? false;
  const [token = ''] = /(?:record|call)-\d+/.exec(isModel ? body : (request.url ?? '')) ?? [];
  const seen = calls.get(token) ?? { model: [], tool: [] };
  calls.set(token, seen);
  (isModel ? seen.model : seen.tool).push(String(request.headers['idempotency-key']));
  if (token === `call-${seen.model.length + seen.tool.length}`) {
    withheld += 1;
    return;
  }
  const results = isModel ? (body.match(/"role":"tool"/g)?.length ?? 0) : 0;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(isModel ? completion(token, results) : { posted: token }));
}

/** The next call of a tool, or the answer after the last result. */
function completion(token: string, results: number): unknown {
  const [name, values] = FROM_SERVER.includes(results)
    ? ['make_api_request', { url_input: `${url}/${token}/${results}` }]
    : ['evaluate_expression', { expression: `${results}+1` }];
  const tool_call = {
    id: `call_${results}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(values) },
  };
  const message =
    results === MODEL_CALLS - 1
      ? { role: 'assistant', content: 'Done.' }
      : { role: 'assistant', content: null, tool_calls: [tool_call] };
  const finish_reason = 'content' in message && message.content ? 'stop' : 'tool_calls';
  const choices = [{ index: 0, message, finish_reason }];
  return { id: 'c', object: 'chat.completion', created: 1, model: 'fake', choices };
}

/** Starts one background run of the agent; resolves to its id. */
async function start(token: string): Promise<string> {
  const headers = { ...system.headers, prefer: 'respond-async' };
  const body = { input_value: `${token}: go`, session_id: token };
  const accepted = await system.post('/api/v1/run/ten', body, { headers });
  expect(accepted.status).toBe(202);
  return ((await accepted.json()) as { run_id: string }).run_id;
}

/** Resolves when the run has ended, to its status and the number of its attempts. */
async function ended(id: string): Promise<readonly [string, number]> {
  let run = { status: '', attempt: 0 };
  await until(async () => {
    run = await system.getJson(`/api/v1/runs/${id}`);
    return !['accepted', 'queued', 'running'].includes(run.status);
  }, 'the run did not end');
  return [run.status, run.attempt];
}

const countOf = async (text: string, values: unknown[] = []) =>
  (await system.database.query<{ count: number }>(text, values)).rows[0]?.count;

/** Kills the executor; `stopped` is awaited while its process is frozen. */
async function killExecutor(stopped: () => Promise<unknown> = async () => undefined): Promise<void> {
  const [victim] = system.executors.splice(0);
  victim?.child.kill('SIGSTOP');
  await stopped();
  victim?.kill();
  await victim?.exited;
  system.executors.push(await system.startExecutor());
}

test('an agent whose executor is killed after any record makes each call once', async () => {
  const STORED = `SELECT count(*)::int AS count FROM run_effects WHERE run_id = $1 AND result IS NOT NULL`;
  const ends = new Map<string, readonly [string, number]>();
  for (let first = 1; first <= RECORDS; first += HELD_AT_ONCE) {
    await system.database.query(`SELECT pg_advisory_lock(${LOCK})`);
    const ids = new Map<number, string>();
    for (let record = first; record < first + HELD_AT_ONCE && record <= RECORDS; record += 1)
      ids.set(record, await start(`record-${record}`));
    await until(async () => (await countOf(HELD)) === ids.size, 'a run was not held');
    await killExecutor(async () => {
      await system.database.query(`SELECT pg_advisory_unlock(${LOCK})`);
      for (const [record, id] of ids)
        await until(async () => (await countOf(STORED, [id])) === record, 'a record was not stored');
    });
    for (const [record, id] of ids) ends.set(`record-${record}`, await ended(id));
    for (const id of ids.values()) expect(await countOf(STORED, [id])).toBe(RECORDS);
  }
  for (const [token, end] of ends) {
    const { model = [], tool = [] } = calls.get(token) ?? {};
    expect([token, end, model.length, tool.length]).toEqual([
      token,
      ['succeeded', 2],
      MODEL_CALLS,
      TOOL_CALLS,
    ]);
    expect([new Set(model).size, new Set(tool).size]).toEqual([MODEL_CALLS, TOOL_CALLS]);
  }
  expect(ends.size).toBe(RECORDS);
}, 300_000);

test('an agent whose executor is killed between a call and its record makes this call once more, under its key', async () => {
  const ids = new Map<number, string>();
  for (let call = 1; call <= MODEL_CALLS + TOOL_CALLS; call += 1) ids.set(call, await start(`call-${call}`));
  await until(() => withheld === ids.size, 'a call was not made');
  await killExecutor();
  for (const [call, id] of ids) {
    const end = await ended(id);
    const { model = [], tool = [] } = calls.get(`call-${call}`) ?? {};
    const keys = [new Set(model).size, new Set(tool).size];
    expect([call, end, keys]).toEqual([call, ['succeeded', 2], [MODEL_CALLS, TOOL_CALLS]]);
    expect(model.length + tool.length).toBe(MODEL_CALLS + TOOL_CALLS + 1);
  }
}, 300_000);
