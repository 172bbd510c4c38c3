import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent } from '@millrace/flow';
import { createLogger } from '@millrace/service';
import { PythonFloat } from '@millrace/python-text';
import type { DispatchOrder } from '../attempt-order';
import { IsolatedAttempts } from './isolated-attempts';

const directory = mkdtempSync(join(tmpdir(), 'millrace-isolation-'));
const lines: Record<string, unknown>[] = [];
const destination = {
  write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
};
const logger = createLogger({ name: 'isolation-test', level: 'info', destination });

beforeEach(() => void lines.splice(0));

afterAll(() => rmSync(directory, { recursive: true, force: true }));

let programs = 0;
const ready = `process.send({ kind: 'ready' });`;

/** Isolated attempts in a program that runs `onRun` with its order, and `onAbort` with the reason of an abort. */
function attempts(onRun: string, onAbort = '', begin = ready): IsolatedAttempts {
  const program = join(directory, `program-${++programs}.cjs`);
  writeFileSync(
    program,
    `process.on('message', ({ kind, order, reason }) => {
      if (kind === 'run') { ${onRun} } else { ${onAbort} }
    });
    ${begin}`,
  );
  return new IsolatedAttempts({ program, memoryBytes: 64 * 1024 * 1024 });
}

const sendOutcome = (body: string, status = 'succeeded') =>
  `process.send({ kind: 'outcome', outcome: {
    status: '${status}', body: ${body}, failure: null, messages: [{ timestamp: new Date(7) }], byOutage: false } });`;

function order(changes: Partial<DispatchOrder> = {}): DispatchOrder {
  return {
    runId: 'run',
    attempt: 3,
    userId: 'user',
    flowId: 'flow',
    keyId: null,
    flowVersion: 2,
    isolated: true,
    durable: true,
    plan: async () => null,
    request: {
      form: 'simple',
      inputs: [],
      outputs: { by: 'type', type: 'chat' },
      tweaks: {},
      stream: true,
      sessionId: 'session',
      globalVariables: {},
    },
    deadline: Date.now() + 30_000,
    signal: new AbortController().signal,
    maximumAnswerBytes: Number.POSITIVE_INFINITY,
    emit: () => undefined,
    watch: null,
    ...changes,
  };
}

test('an attempt gets its order, sends its events in order, and ends with its outcome', async () => {
  const events: RunEvent[] = [];
  const script = `for (const n of ['1.0', '2']) process.send({ kind: 'event', text: '{"event": "token", "data": ' + n + '}' });
    ${sendOutcome("JSON.stringify([order.flowVersion, order.maximumAnswerBytes === Infinity, 'emit' in order])")}`;
  const outcome = await attempts(script).run(order({ emit: (event) => void events.push(event) }), logger);
  expect(outcome).toMatchObject({ status: 'succeeded', body: '[2,true,false]' });
  expect(outcome.messages[0]?.timestamp).toEqual(new Date(7));
  expect(events.map(({ data }) => data)).toEqual([new PythonFloat(1), 2]);
});

test.each([
  ['killed', `process.kill(process.pid, 'SIGKILL')`],
  // Without its message: jest takes it for one of its own worker.
  [
    'out of memory',
    'require("node:fs").closeSync(2); const kept = []; for (;;) kept.push(new Array(1e5).fill(0.5));',
  ],
  ['exited without an outcome', 'process.exit(0)'],
])(
  'an attempt whose process is %s is dead',
  async (_, onRun) => {
    expect(await attempts(onRun).run(order(), logger)).toMatchObject({
      status: 'dead',
      failure: { code: 'attempts_exhausted' },
    });
    const event = { level: 'warn', msg: 'a run crashed its separate process', runId: 'run', attempt: 3 };
    expect(lines).toMatchObject([event]);
  },
  30_000,
);

test('an attempt whose process does not start counts as an outage', async () => {
  const outcome = await attempts('', '', 'process.exit(1);').run(order(), logger);
  expect(outcome).toMatchObject({ status: 'failed', failure: { code: 'internal' }, byOutage: true });
  const event = { level: 'warn', msg: 'a process for an isolated attempt did not start', exitCode: 1 };
  expect(lines).toMatchObject([{ ...event, runId: 'run', attempt: 3 }]);
});

test('an attempt that is cancelled before its process has started is no outage', async () => {
  const abort = new AbortController();
  setTimeout(() => abort.abort('cancelled'), 500);
  const outcome = await attempts('', 'process.exit(1);', '').run(order({ signal: abort.signal }), logger);
  expect(outcome).toMatchObject({ status: 'cancelled', byOutage: false });
});

test('an attempt that blocks its process is killed after its deadline', async () => {
  const outcome = await attempts('for (;;) {}').run(order({ deadline: Date.now() + 1_500 }), logger);
  expect(outcome).toMatchObject({ status: 'timed_out', failure: { code: 'deadline_exceeded' } });
  expect(lines).toMatchObject([{ signal: 'SIGKILL' }]);
});

test('an attempt that is cancelled ends, or is killed', async () => {
  for (const [onRun, body] of [
    ['', '"aborted: cancelled"'],
    ['for (;;) {}', null],
  ] as const) {
    const abort = new AbortController();
    setTimeout(() => abort.abort('cancelled'), 500);
    const script = sendOutcome(`'"aborted: ' + reason + '"'`, 'cancelled');
    const outcome = await attempts(onRun, script).run(order({ signal: abort.signal }), logger);
    expect(outcome.status).toBe('cancelled');
    if (body !== null) expect(outcome.body).toBe(body);
  }
});

test('an attempt that is over before it has a process starts none', async () => {
  const isolation = attempts(sendOutcome("''"));
  expect(await isolation.run(order({ deadline: Date.now() - 1 }), logger)).toMatchObject({
    status: 'timed_out',
  });
  expect(await isolation.run(order({ signal: AbortSignal.abort('shutdown') }), logger)).toMatchObject({
    status: 'cancelled',
  });
});
