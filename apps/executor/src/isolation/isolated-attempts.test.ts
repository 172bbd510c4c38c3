import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PythonFloat } from '@millrace/flow';
import type { RunEvent } from '@millrace/flow';
import { createLogger } from '@millrace/service';
import type { PlacedOrder } from '../place-attempt';
import { IsolatedAttempts } from './isolated-attempts';

const directory = mkdtempSync(join(tmpdir(), 'millrace-isolation-'));
const logger = createLogger({ name: 'isolation-test', level: 'silent' });

afterAll(() => rmSync(directory, { recursive: true, force: true }));

let programs = 0;
const ready = `process.send({ kind: 'ready' });`;

/** Attempts in a program that asks for its order and then does this, with `order` or with what it is told later. */
function attempts(onRun: string, onAbort = '', begin = ready): IsolatedAttempts {
  const program = join(directory, `program-${++programs}.cjs`);
  writeFileSync(
    program,
    `process.on('message', ({ kind, order, reason }) => {
      if (kind === 'run') { ${onRun} } else { ${onAbort} }
    });
    ${begin}`,
  );
  return new IsolatedAttempts({ program, memoryBytes: 64 * 1024 * 1024, logger });
}

const tellOutcome = (body: string, status = 'succeeded') =>
  `process.send({ kind: 'outcome', outcome: {
    status: '${status}', body: ${body}, failure: null, messages: [{ timestamp: new Date(7) }], byOutage: false } });`;

function order(changes: Partial<PlacedOrder> = {}): PlacedOrder {
  return {
    runId: 'run',
    attempt: 3,
    userId: 'user',
    flowId: 'flow',
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

test('an attempt gets its order, tells its events in order, and ends with its outcome', async () => {
  const events: RunEvent[] = [];
  const told = `for (const n of ['1.0', '2']) process.send({ kind: 'event', text: '{"event": "token", "data": ' + n + '}' });
    ${tellOutcome("JSON.stringify([order.flowVersion, order.maximumAnswerBytes === Infinity, 'emit' in order])")}`;
  const outcome = await attempts(told).run(order({ emit: (event) => void events.push(event) }));
  expect(outcome).toMatchObject({ status: 'succeeded', body: '[2,true,false]' });
  expect(outcome.messages[0]?.timestamp).toEqual(new Date(7));
  expect(events.map(({ data }) => data)).toEqual([new PythonFloat(1), 2]);
});

test.each([
  ['killed', `process.kill(process.pid, 'SIGKILL')`],
  ['out of memory', 'const kept = []; for (;;) kept.push(new Array(1e5).fill(0.5));'],
  ['gone without a word', 'process.exit(0)'],
])(
  'an attempt whose process is %s is dead',
  async (_, onRun) => {
    expect(await attempts(onRun).run(order())).toMatchObject({
      status: 'dead',
      failure: { code: 'attempts_exhausted' },
    });
  },
  30_000,
);

test('that its process does not begin is no fault of the run’s', async () => {
  const outcome = await attempts('', '', 'process.exit(1);').run(order());
  expect(outcome).toMatchObject({ status: 'failed', failure: { code: 'internal' }, byOutage: true });
});

test('an attempt that never gives its process back is ended after its deadline', async () => {
  const outcome = await attempts('for (;;) {}').run(order({ deadline: Date.now() + 1_500 }));
  expect(outcome).toMatchObject({ status: 'timed_out', failure: { code: 'deadline_exceeded' } });
});

test('an attempt that is cancelled ends by itself, or is ended', async () => {
  for (const [onRun, body] of [
    ['', '"heard cancelled"'],
    ['for (;;) {}', null],
  ] as const) {
    const abort = new AbortController();
    setTimeout(() => abort.abort('cancelled'), 500);
    const told = tellOutcome(`'"heard ' + reason + '"'`, 'cancelled');
    const outcome = await attempts(onRun, told).run(order({ signal: abort.signal }));
    expect(outcome.status).toBe('cancelled');
    if (body !== null) expect(outcome.body).toBe(body);
  }
});

test('an attempt that is over before it has a process needs none', async () => {
  const isolation = attempts(tellOutcome("''"));
  expect(await isolation.run(order({ deadline: Date.now() - 1 }))).toMatchObject({ status: 'timed_out' });
  expect(await isolation.run(order({ signal: AbortSignal.abort('shutdown') }))).toMatchObject({
    status: 'cancelled',
  });
});
