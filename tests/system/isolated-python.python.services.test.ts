import { flowData, node } from '@millrace/testing';
import {
  childrenOf,
  isRunning,
  pythonExecutor,
  pythonProcesses,
  signal,
  until,
  zygoteOf,
} from './python-executors.fixture';
import { startPythonSystem } from './python-system.fixture';
import type { PythonSystem } from './python-system.fixture';

let opened: PythonSystem;
let system: PythonSystem['system'];
let sink: PythonSystem['sink'];

beforeAll(async () => {
  opened = await startPythonSystem();
  ({ system, sink } = opened);
}, 120_000);

afterAll(() => opened?.stop(), 60_000);

/** Starts a run of two vertices in Python whose next attempt is its last one. Resolves to its path. */
async function lastAttempt(name: string): Promise<string> {
  const vertices = [sink.caller('CallOne-a', `${name}/a/held`), sink.caller('CallTwo-b', `${name}/b/second`)];
  const data = flowData(
    [...vertices, node('ChatOutput-z', {}, 'message')],
    ['CallOne-a.result > CallTwo-b.after', 'CallTwo-b.result > ChatOutput-z.input_value'],
  );
  expect((await system.post('/api/v1/flows/', { name, endpoint_name: name, data })).status).toBe(201);
  const id = (await system.post(`/api/v1/webhook/${name}`, {})).headers.get('x-run-id');
  // No executor runs yet: as if two had crashed.
  await system.database.query('UPDATE runs SET attempt = 2 WHERE id = $1', [id]);
  return `/api/v1/runs/${id}`;
}

/** The processes of the isolated attempt of an executor: its own, and those of its Python. */
function isolatedAttempt(executor: number) {
  const shared = zygoteOf(executor);
  const [attempt = 0, ...others] = childrenOf(executor).filter((pid) => pid !== shared && isRunning(pid));
  const zygote = zygoteOf(attempt);
  return { attempt, others, zygote, forked: pythonProcesses(attempt).filter(isRunning) };
}

test('an isolated attempt has Python of its own for all of its vertices, which ends with it', async () => {
  const paths = new Map<string, string>();
  for (const name of ['one', 'two']) paths.set(name, await lastAttempt(name));
  const executor = await system.startExecutor('python', pythonExecutor);
  const ended = async (name: string, status: string) => {
    const run = () => system.getJson<{ status: string }>(paths.get(name) ?? '');
    await until(`the end of the run ${name}`, async () => (await run()).status === status);
    return run();
  };
  const held = () => [...paths.keys()].filter((name) => sink.count(`${name}/a/held`) > 0);

  await until('a vertex that calls', () => held().length === 1);
  const [first = ''] = held();
  const { others, zygote, forked } = isolatedAttempt(executor.pid);
  expect([others, zygote, forked]).toEqual([[], expect.any(Number), [expect.any(Number)]]);
  sink.release(first);
  expect(await ended(first, 'succeeded')).toMatchObject({ attempt: 3 });
  expect([sink.count(`${first}/a/held`), sink.count(`${first}/b/second`)]).toEqual([1, 1]);
  await until('the end of its Python', () => ![zygote ?? 0, ...forked].some(isRunning));

  await until('a vertex of the other run that calls', () => held().length === 2);
  const other = isolatedAttempt(executor.pid);
  signal(other.attempt, 'SIGKILL');
  const killed = held().find((name) => name !== first) ?? '';
  expect(await ended(killed, 'dead')).toMatchObject({ attempt: 3 });
  await until('the end of its Python', () => ![other.zygote ?? 0, ...other.forked].some(isRunning));
}, 300_000);
