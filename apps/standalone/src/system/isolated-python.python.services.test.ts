import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'amqplib';
import type { Channel, ChannelModel } from 'amqplib';
import { brokerNames } from '@millrace/contracts';
import { flowData, node } from '@millrace/testing';
import type { FlowNode } from '@millrace/testing';
import type { ServiceProcess } from '@millrace/scaled-system';
import {
  childrenOf,
  isRunning,
  pythonExecutor,
  pythonPolicy,
  pythonProcesses,
  signal,
  until,
  zygoteOf,
} from './python-executors.fixture';
import { PythonSink } from './python-sink.fixture';
import { startTestSystem } from './test-system';
import type { TestSystem } from './test-system';

const patience = 180_000;

let system: TestSystem;
let sink: PythonSink;
let executor: ServiceProcess;
let names: ReturnType<typeof brokerNames>;
let connection: ChannelModel;
let channel: Channel;
/** The folder of the pools of the executor and of its processes of one attempt. */
const folder = mkdtempSync(join(tmpdir(), 'isolated-'));

beforeAll(async () => {
  sink = await PythonSink.open();
  system = await startTestSystem({ pools: {}, environment: pythonPolicy });
  const { rows } = await system.database.query<{ name: string }>('SELECT current_database() AS name');
  names = brokerNames(`${rows[0]?.name}.`);
  connection = await connect(process.env['AMQP_URL'] ?? '');
  channel = await connection.createChannel();
  executor = await system.startExecutor('python', {
    ...pythonExecutor,
    MILLRACE_PYTHON_FOLDER: folder,
  });
}, 120_000);

afterAll(async () => {
  sink?.close();
  await connection?.close();
  await system?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

afterEach(async () => {
  await until('no process of an attempt is left', () => isolated() === undefined);
});

/** The process of the attempt that is executed now. */
function running(): number {
  const attempt = isolated();
  if (attempt === undefined) throw new Error('no attempt is isolated');
  return attempt;
}

function isolated(): number | undefined {
  const zygote = zygoteOf(executor.pid);
  return childrenOf(executor.pid).find((pid) => pid !== zygote && isRunning(pid));
}

/** Runs from the quarantine are isolated from their first attempt on. */
async function moveToQuarantine(): Promise<void> {
  const queue = names.lane('background', 'holding');
  await until('the run is in its queue', async () => {
    const message = await channel.get(queue, { noAck: true });
    if (message === false) return false;
    channel.sendToQueue(names.quarantineQueue, message.content, message.properties);
    return true;
  });
}

/** Stores a flow and starts a run of it; resolves to the id of the run. */
async function start(
  name: string,
  vertices: readonly FlowNode[],
  edges: readonly string[],
  settings: Record<string, unknown> = {},
): Promise<string> {
  const nodes = [...vertices, node('ChatOutput-z', {}, 'message')];
  const data = flowData(nodes, edges);
  const flow = { name, endpoint_name: name, settings: { pool: 'holding', ...settings }, data };
  expect((await system.post('/api/v1/flows/', flow)).status).toBe(201);
  const answer = await system.post(`/api/v1/webhook/${name}`, {});
  expect(answer.status).toBe(202);
  await moveToQuarantine();
  return answer.headers.get('x-run-id') ?? '';
}

interface Run {
  readonly status: string;
  readonly attempt: number;
  readonly result: unknown;
  readonly error: unknown;
}

async function ended(id: string): Promise<Run> {
  const read = () => system.getJson<Run>(`/api/v1/runs/${id}`);
  await until(
    'the end of the run',
    async () => !['accepted', 'queued', 'running'].includes((await read()).status),
  );
  return read();
}

const chain = ['CallOne-a.result > CallTwo-b.after', 'CallTwo-b.result > ChatOutput-z.input_value'];
const two = (group: string): readonly FlowNode[] => [
  sink.caller('CallOne-a', `${group}/a/held`),
  sink.caller('CallTwo-b', `${group}/b/held`),
];

test(
  'an isolated attempt has Python of its own, one for all of its vertices, and leaves nothing',
  async () => {
    const id = await start('both', two('both'), chain);
    await until('one vertex calls', () => sink.count('both/') > 0);
    const attempt = running();
    const zygote = zygoteOf(attempt) ?? 0;
    expect(childrenOf(attempt)).toEqual([zygote]);
    const [leased = 0, ...others] = pythonProcesses(attempt);
    expect(others).toEqual([]);
    expect([zygote, leased].every(isRunning)).toBe(true);
    expect(readdirSync(folder)).toHaveLength(2);
    sink.release('both');
    expect(await ended(id)).toMatchObject({ status: 'succeeded', attempt: 1 });
    expect(sink.paths.filter((path) => path.startsWith('/both/')).sort()).toEqual([
      '/both/a/held',
      '/both/b/held',
    ]);
    await until('its Python has ended', () => ![zygote, leased].some(isRunning));
  },
  patience,
);

test(
  'an isolated attempt without a vertex in Python starts none',
  async () => {
    const id = await start(
      'native',
      [sink.model('OpenAIModel-m', 'native/a')],
      ['OpenAIModel-m.text_output > ChatOutput-z.input_value'],
    );
    await until('the model is asked', () => sink.count('native/') > 0);
    expect(childrenOf(running())).toEqual([]);
    expect(readdirSync(folder)).toHaveLength(1);
    sink.release('native');
    expect(await ended(id)).toMatchObject({ status: 'succeeded' });
  },
  patience,
);

test(
  'an isolated attempt runs a vertex in Python of a flow that it calls',
  async () => {
    const inner = [sink.caller('CallOne-a', 'inner/a/first'), node('ChatOutput-z', {}, 'message')];
    const data = flowData(inner, ['CallOne-a.result > ChatOutput-z.input_value']);
    expect(
      (await system.post('/api/v1/flows/', { name: 'inner', endpoint_name: 'inner', data })).status,
    ).toBe(201);
    const id = await start(
      'outer',
      [node('RunFlow-r', { flow_name_selected: 'inner' }, 'flow_outputs_message')],
      ['RunFlow-r.flow_outputs_message > ChatOutput-z.input_value'],
    );
    const run = await ended(id);
    expect(run).toMatchObject({ status: 'succeeded' });
    expect(JSON.stringify(run.result)).toContain('inner/a/first done');
    expect(sink.count('inner/')).toBe(1);
  },
  patience,
);

test(
  'the end of its Python loses an isolated attempt once, and that of the attempt ends its Python',
  async () => {
    const first = await start('python-dies', two('python-dies'), chain);
    for (const attempt of [1, 2]) {
      await until('the vertex calls', () => sink.count('python-dies/') === attempt);
      signal(zygoteOf(running()), 'SIGKILL');
    }
    const failed = await ended(first);
    expect(failed).toMatchObject({ status: 'failed', attempt: 2 });
    expect(JSON.stringify(failed)).toContain('The Python process ended');

    const second = await start('attempt-dies', two('attempt-dies'), chain);
    await until('the vertex calls', () => sink.count('attempt-dies/') > 0);
    const attempt = running();
    const left = [zygoteOf(attempt) ?? 0, ...pythonProcesses(attempt)];
    signal(attempt, 'SIGKILL');
    expect(await ended(second)).toMatchObject({ status: 'dead' });
    await until('its Python has ended', () => !left.some(isRunning));
  },
  patience,
);

test(
  'a deadline and a cancellation end an isolated attempt whose vertex computes',
  async () => {
    const vertices = (group: string) => [sink.caller('CallOne-a', `${group}/a/spin`)];
    const edges = ['CallOne-a.result > ChatOutput-z.input_value'];
    const late = await start('late', vertices('late'), edges, { deadlineSeconds: 8 });
    expect(await ended(late)).toMatchObject({ status: 'timed_out' });
    const cancelled = await start('cancelled', vertices('cancelled'), edges);
    await until('the vertex computes', () => sink.count('cancelled/') > 0);
    expect((await system.post(`/api/v1/runs/${cancelled}/cancel`, {})).ok).toBe(true);
    expect(await ended(cancelled)).toMatchObject({ status: 'cancelled' });
  },
  patience,
);

test(
  'an isolated attempt removes the folders that ended ones have left',
  async () => {
    const vertices = [sink.caller('CallOne-a', 'last/a/first')];
    const id = await start('last', vertices, ['CallOne-a.result > ChatOutput-z.input_value']);
    expect(await ended(id)).toMatchObject({ status: 'succeeded' });
    await until('one folder is left', () => readdirSync(folder).length === 1);
  },
  patience,
);
