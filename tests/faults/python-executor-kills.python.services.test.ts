import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { flowData, node } from '@millrace/testing';
import type { FlowNode } from '@millrace/testing';
import type { ServiceProcess } from '@millrace/scaled-system';
import {
  isRunning,
  pythonExecutor,
  pythonPolicy,
  pythonProcesses,
  signal,
  until,
  zygoteOf,
} from '../system/python-executors.fixture';
import { PythonSink } from '../system/python-sink.fixture';
import { startTestSystem } from '../system/test-system';
import type { TestSystem } from '../system/test-system';

/** A webhook, and a call that waits for its answer. Each has a flow of its own. */
const kinds = ['webhook', 'run'] as const;
const callMilliseconds = 200_000;
const patience = 300_000;

interface StoredRun {
  readonly id: string;
  readonly status: string;
  readonly attempt: number;
}

/** A moment in which an executor is killed, while both runs are in it. */
interface Moment {
  /** The vertices between the first one, which calls `<group>/<kind>/first`, and the output; in order. */
  readonly vertices: (group: string, kind: string) => readonly FlowNode[];
  readonly edges: readonly string[];
  /** Resolves when both runs stand still, in the moment or before it. */
  begin(group: string): Promise<void>;
  /** Resolves when both runs are in the moment, at once. */
  reach?(group: string): Promise<void>;
  /** Called after the kill. */
  after?(): Promise<void>;
  /** Where the first vertex has finished, and the attempts that follow do not compute it again. */
  readonly isFirstDone: boolean;
  /** The runs have ended before the kill. */
  readonly haveEnded?: boolean;
}

let system: TestSystem;
let sink: PythonSink;
let executor: ServiceProcess;
/** The folder of the pools of all executors. */
const folder = mkdtempSync(join(tmpdir(), 'kills-'));

beforeAll(async () => {
  sink = await PythonSink.open();
  system = await startTestSystem({ pools: {}, environment: pythonPolicy });
  executor = await startPythonExecutor();
}, 120_000);

afterAll(async () => {
  sink?.close();
  await system?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

/** Its zygote starts a process only for a run, but for the first one. */
const startPythonExecutor = (): Promise<ServiceProcess> =>
  system.startExecutor('python', {
    ...pythonExecutor,
    MILLRACE_PYTHON_READY_PROCESSES: '0',
    MILLRACE_PYTHON_PROCESSES: '4',
    MILLRACE_PYTHON_FOLDER: folder,
  });

const both = (path: (kind: string) => string) => (): boolean =>
  kinds.every((kind) => sink.count(path(kind)) > 0);
const second = 'CallOne-a.result > CallTwo-b.after';

const moments: Readonly<Record<string, Moment>> = {
  'its processes start': {
    vertices: () => [],
    edges: ['CallOne-a.result > ChatOutput-z.input_value'],
    begin: async (group) => {
      await until('both runs wait for a process', async () => (await processes('starting')) === 2);
      expect(sink.count(`${group}/`)).toBe(0);
    },
    after: async () => {
      if (isRunning(stopped)) signal(stopped, 'SIGCONT');
    },
    isFirstDone: false,
  },
  'vertices compute': {
    vertices: (group, kind) => [sink.caller('CallTwo-b', `${group}/${kind}/spin`)],
    edges: [second, 'CallTwo-b.result > ChatOutput-z.input_value'],
    begin: async (group) => {
      await until(
        'both vertices compute',
        both((kind) => `${group}/${kind}/spin`),
      );
      await pause(200);
    },
    // Those of the next attempt end.
    reach: (group) => Promise.resolve(sink.release(group)),
    isFirstDone: true,
  },
  'vertices wait for the executor': {
    vertices: (group, kind) => [sink.model('OpenAIModel-m', `${group}/${kind}`), sink.asker('AskModel-b')],
    edges: [
      'CallOne-a.result > AskModel-b.after',
      'OpenAIModel-m.model_output > AskModel-b.model',
      'AskModel-b.result > ChatOutput-z.input_value',
    ],
    begin: (group) =>
      until(
        'both models are asked',
        both((kind) => `${group}/${kind}/model`),
      ),
    isFirstDone: true,
  },
  'its runs are between two vertices in Python': {
    vertices: (group, kind) => [
      sink.model('OpenAIModel-m', `${group}/${kind}`),
      sink.caller('CallTwo-b', `${group}/${kind}/second`),
    ],
    edges: [
      'CallOne-a.result > OpenAIModel-m.input_value',
      'OpenAIModel-m.text_output > CallTwo-b.after',
      'CallTwo-b.result > ChatOutput-z.input_value',
    ],
    begin: async (group) => {
      await until(
        'both models are asked',
        both((kind) => `${group}/${kind}/model`),
      );
      expect(await processes('leased')).toBe(2);
    },
    isFirstDone: true,
  },
  'results are stored': {
    vertices: (group, kind) => [sink.caller('CallTwo-b', `${group}/${kind}/held`)],
    edges: [second, 'CallTwo-b.result > ChatOutput-z.input_value'],
    begin: async (group) => {
      await until(
        'both vertices call',
        both((kind) => `${group}/${kind}/held`),
      );
    },
    reach: async (group) => {
      await system.database.query('BEGIN; LOCK TABLE runs IN EXCLUSIVE MODE');
      sink.release(group);
      await until('both results wait for the table', async () => (await waitingStatements()) === 2);
    },
    after: async () => {
      await system.database.query('ROLLBACK');
    },
    isFirstDone: true,
  },
  'processes are returned': {
    vertices: (group, kind) => [
      sink.caller('CallTwo-b', `${group}/${kind}/held`),
      sink.caller('CallThree-c', `${group}/${kind}/block`),
    ],
    edges: [second, 'CallTwo-b.result > CallThree-c.after', 'CallThree-c.result > ChatOutput-z.input_value'],
    begin: (group) =>
      until(
        'both vertices call',
        both((kind) => `${group}/${kind}/held`),
      ),
    reach: async (group) => {
      sink.release(group);
      await until('both runs have ended', () => haveSucceeded(group));
    },
    isFirstDone: true,
    haveEnded: true,
  },
};

/** The zygote that is stopped. */
let stopped = 0;

test.each(Object.entries(moments))(
  'an executor is killed while %s',
  async (name, moment) => {
    const group = name.replaceAll(' ', '-');
    for (const kind of kinds) await upload(group, kind, moment);
    const zygote = zygoteOf(executor.pid) ?? 0;
    if (moment === moments['its processes start']) {
      // It takes the process that every pool starts first.
      await upload('first', 'run', moment);
      expect((await system.post('/api/v1/run/first-run', { input_value: '' })).status).toBe(200);
      stopped = signal(zygote, 'SIGSTOP');
    }
    const accepted = await system.post(`/api/v1/webhook/${group}-webhook`, {});
    expect(accepted.status).toBe(202);
    const answers: Response[] = [];
    const call = system
      .post(
        `/api/v1/run/${group}-run`,
        { input_value: '' },
        { signal: AbortSignal.timeout(callMilliseconds) },
      )
      .then((answer) => void answers.push(answer));
    await moment.begin(group);
    // Without a further executor, callers get 503 at once.
    const next = await startPythonExecutor();
    await moment.reach?.(group);
    const processesBefore = [zygote, ...pythonProcesses(executor.pid)];
    executor.kill();
    await executor.exited;
    await moment.after?.();
    executor = next;
    sink.release(group);
    await call;
    await until('both runs have ended', () => haveSucceeded(group));
    const ended = await runsOf(group);

    // One visible end each.
    const [answer] = answers;
    expect([answer?.status, await answer?.text()]).toEqual([200, expect.stringMatching(/done|hello|block/)]);
    expect(ended).toHaveLength(2);
    expect(ended.map(({ id }) => id)).toContain(answer?.headers.get('x-run-id'));
    if (moment.haveEnded === true) expect(ended.map(({ attempt }) => attempt)).toEqual([1, 1]);
    if (moment.isFirstDone) expect(sink.count(`${group}/webhook/first`)).toBe(1);
    await pause(1_000);
    expect(await runsOf(group)).toEqual(ended);

    // Nothing is left of the executor.
    await until('its Python processes have ended', () => !processesBefore.some(isRunning));
    await until('all processes are returned', async () => (await processes('leased')) === 0);
  },
  patience,
);

test(
  'an executor removes the folders that killed ones have left',
  async () => {
    expect(readdirSync(folder).length).toBeGreaterThan(1);
    const next = await startPythonExecutor();
    await until('two folders are left', () => readdirSync(folder).length === 2);
    expect((await next.stop()).code).toBe(0);
    expect(readdirSync(folder)).toHaveLength(1);
  },
  patience,
);

async function upload(group: string, kind: string, { vertices, edges }: Moment): Promise<void> {
  const name = `${group}-${kind}`;
  const nodes = [
    sink.caller('CallOne-a', `${group}/${kind}/first`),
    ...vertices(group, kind),
    node('ChatOutput-z', {}, 'message'),
  ];
  const answer = await system.post('/api/v1/flows/', {
    name,
    endpoint_name: name,
    data: flowData(nodes, edges),
  });
  expect(answer.status).toBe(201);
}

async function haveSucceeded(group: string): Promise<boolean> {
  const runs = await runsOf(group);
  return runs.length === kinds.length && runs.every(({ status }) => status === 'succeeded');
}

/** The runs of the two flows of a moment; also while the table is locked for writers. */
async function runsOf(group: string): Promise<readonly StoredRun[]> {
  const { rows } = await system.database.query<StoredRun>(
    `SELECT runs.id, runs.status, runs.attempt FROM runs JOIN flows ON flows.id = runs.flow_id
     WHERE flows.endpoint_name LIKE $1 ORDER BY flows.endpoint_name`,
    [`${group}-%`],
  );
  return rows;
}

/** The statements that store the ends of runs and wait for the lock of this suite. */
async function waitingStatements(): Promise<number> {
  // A transaction sees the activities of its first query otherwise.
  await system.database.query('SELECT pg_stat_clear_snapshot()');
  const { rows } = await system.database.query<{ count: string }>(
    `SELECT count(DISTINCT left(query, 20)) AS count FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'
       AND (query LIKE 'WITH ended AS%' OR query LIKE 'WITH recorded AS%')`,
  );
  return Number(rows[0]?.count);
}

/** How many Python processes of the executor are in a state, from its metrics. */
async function processes(state: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${String(executor.ready['healthPort'])}/metrics`);
  const line = (await response.text())
    .split('\n')
    .find((text) => text.startsWith(`millrace_python_processes{state="${state}"`));
  return Number(line?.split(' ').at(-1) ?? 0);
}
