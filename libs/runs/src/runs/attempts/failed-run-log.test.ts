import type { RunFailure } from '@millrace/messages';
import { createLogger, createMetrics } from '@millrace/service';
import type { Logger } from '@millrace/service';
import { FailedRunLog } from '../../index';
import type { FailedRun } from '../../index';

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly reason: string;
  readonly suppressed?: number;
  readonly subjects?: object;
}

function opened() {
  const lines: Line[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Line) };
  const log = new FailedRunLog({
    logger: createLogger({ name: 'test', level: 'info', destination }),
    metrics: createMetrics(),
  });
  return { lines, log };
}

function written(...runs: readonly Partial<FailedRun>[]): Line[] {
  const { lines, log } = opened();
  const run = {
    runId: 'run',
    flowId: 'flow',
    userId: 'user',
    attempt: 1,
    status: 'failed',
    failure,
  } as const;
  for (const changes of runs) log.write({ ...run, ...changes });
  log.close();
  return lines;
}

const failure: RunFailure = {
  code: 'component_failed',
  message: 'It broke.',
  vertex: { id: 'Prompt-1', displayName: 'Letter', type: 'Prompt' },
  problems: [],
};
const problem = { vertexId: 'Custom-1', componentType: 'Custom', message: 'is unknown' };

test.each([
  ['a failure', { status: 'failed' }, 'warn', 'run failed'],
  ['a deadline', { status: 'timed_out' }, 'warn', 'run timed out'],
  ['the last attempt', { status: 'dead' }, 'warn', 'run given up'],
  ['a cancellation', { status: 'cancelled' }, 'info', 'run cancelled'],
  ['a refused flow', { failure: { ...failure, code: 'flow_refused' } }, 'warn', 'run refused'],
  ['another attempt', { retryInMilliseconds: 5 }, 'warn', 'run attempt failed; another one follows'],
  [
    'a stop of the executor',
    { givenBackBy: 'shutdown' },
    'info',
    'run attempt given back; another one follows',
  ],
  [
    'an outage',
    { givenBackBy: 'outage', error: new Error('away') },
    'warn',
    'run attempt given back; another one follows',
  ],
  ['an error of our own', { error: new Error('broken') }, 'error', 'run failed'],
] as const)('%s is logged as its own event', (_what, changes, level, msg) => {
  expect(written(changes)).toMatchObject([
    { level, msg, runId: 'run', flowId: 'flow', userId: 'user', attempt: 1 },
  ]);
});

test.each([
  ['executor_lost', 'warn', /crashed, hangs or cannot be reached/],
  ['redelivered', 'warn', /delivered the job again/],
  ['given_back', 'info', /gave the run back/],
  ['handed_off', 'info', /handed the run off/],
  ['failed', 'info', /failed, and the flow allows another/],
] as const)('a further attempt after %s has a line with the reason', (reason, level, text) => {
  const { lines, log } = opened();
  const ids = { runId: 'run', flowId: 'flow', userId: 'user', requestId: 'request' };
  log.writeRepeat({ ...ids, attempt: 2, reason, previousWorker: 'worker-1' });
  const event = { level, msg: 'run begins another attempt', attempt: 2, previousWorker: 'worker-1' };
  expect(lines).toMatchObject([{ ...ids, ...event, reason: expect.stringMatching(text) }]);
});

test('a lost attempt has a line with the executor that had it', () => {
  const { lines, log } = opened();
  const fields = { runId: 'run', flowId: 'flow', userId: 'user', attempt: 1, worker: 'worker-1' };
  const place = { requestId: null, lane: 'background', pool: 'default' } as const;
  log.writeLost({ ...fields, ...place, retryInMilliseconds: null });
  log.writeLost({ ...fields, ...place, retryInMilliseconds: 7_500 });
  const event = { level: 'warn', msg: 'run attempt lost; another one follows' };
  const line = { ...fields, ...event, reason: 'its executor crashed, hangs or cannot be reached' };
  expect(lines).toMatchObject([line, { ...line, retryInMilliseconds: 7_500 }]);
  for (const key of ['requestId', 'retryInMilliseconds']) expect(lines[0]).not.toHaveProperty(key);
});

test('an error of our own is logged with its stack; other failures have none', () => {
  const [broken, failed] = written({ error: new Error('broken') }, {});
  expect(broken).toMatchObject({ error: { message: 'broken', stack: expect.stringContaining('at ') } });
  expect(failed).not.toHaveProperty('error');
});

test('does not log a run that succeeded', () => {
  expect(written({ status: 'succeeded', failure: null })).toEqual([]);
});

test('the vertex is the one that failed, or the first one that cannot run', () => {
  const refused = {
    ...failure,
    code: 'flow_refused',
    vertex: null,
    problems: [problem, { ...problem, vertexId: 'b' }],
  };
  expect(written({}, { failure: refused }, { failure: { ...failure, vertex: null } })).toMatchObject([
    { vertex: { id: 'Prompt-1', displayName: 'Letter', type: 'Prompt' } },
    { vertex: { id: 'Custom-1', type: 'Custom' } },
    { vertex: null },
  ]);
});

test('texts of the flow are cut, and secrets among them hidden', () => {
  const long = 'x'.repeat(100_000);
  const key = 'sk-0123456789abcdefghijkl';
  const vertex = { id: long, displayName: long, type: long };
  const lines = written({ failure: { ...failure, message: `${key} ${long}`, vertex }, requestId: long });
  expect(JSON.stringify(lines).length).toBeLessThan(2_000);
  expect(lines[0]?.reason).toContain('[hidden] xxx');
  expect(JSON.stringify(lines)).not.toContain(key);
});

test('a flood of failures of one flow is logged in part, with the number of suppressed lines', () => {
  const lines = written(...Array.from({ length: 100 }, () => ({})), { flowId: 'other' });
  const suppressed = lines.find(({ msg }) => msg === 'lines about failed runs suppressed');
  expect(lines.filter(({ msg }) => msg === 'run failed').length).toBe(101 - (suppressed?.suppressed ?? 0));
  expect(suppressed?.suppressed).toBeGreaterThan(0);
  expect(Object.keys(suppressed?.subjects ?? {})).toEqual(['flow']);
});

/** The calls of a logger at this level. */
function callsAt(level: Logger['level'], write: (log: FailedRunLog) => void): unknown[] {
  const calls: unknown[] = [];
  const at = (name: string) => (fields: object, message: string) => void calls.push([name, message, fields]);
  const logger = { level, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  const log = new FailedRunLog({ logger: logger as unknown as Logger, metrics: createMetrics() });
  write(log);
  log.close();
  return calls;
}

test('a run that begins or succeeds is written for the level debug alone', () => {
  const ids = { runId: 'run', flowId: 'flow', userId: 'user', attempt: 1 };
  const write = (log: FailedRunLog) => {
    log.writeBegun({ ...ids, requestId: 'request' });
    log.write({ ...ids, requestId: null, status: 'succeeded', failure: null });
  };
  expect(callsAt('info', write)).toEqual([]);
  expect(callsAt('debug', write)).toEqual([
    ['debug', 'run begins', { ...ids, requestId: 'request' }],
    ['debug', 'run succeeded', { ...ids, status: 'succeeded' }],
  ]);
});

test('a line has these fields and no others', () => {
  const ids = { runId: 'run', flowId: 'flow', userId: 'user' };
  const error = new Error('broken');
  const calls = callsAt('info', (log) => {
    log.write({
      ...ids,
      attempt: 2,
      requestId: 'r',
      status: 'failed',
      failure,
      retryInMilliseconds: 5,
      error,
    });
    log.write({ ...ids, attempt: null, status: 'dead', failure: null, givenBackBy: 'outage' });
    log.writeRepeat({ ...ids, attempt: 2, reason: 'suspended', previousWorker: null });
  });
  expect(calls).toEqual([
    [
      'error',
      'run attempt failed; another one follows',
      {
        ...ids,
        requestId: 'r',
        attempt: 2,
        status: 'failed',
        code: 'component_failed',
        reason: 'It broke.',
        vertex: { id: 'Prompt-1', displayName: 'Letter', type: 'Prompt' },
        retryInMilliseconds: 5,
        error,
      },
    ],
    [
      'warn',
      'run attempt given back; another one follows',
      {
        ...ids,
        attempt: null,
        status: 'dead',
        code: null,
        reason: null,
        vertex: null,
        givenBackBy: 'outage',
      },
    ],
    [
      'info',
      'run begins another attempt',
      { ...ids, attempt: 2, reason: 'a person has answered its request, or the time of that is over' },
    ],
  ]);
});

test.each([
  [500, 200, ''],
  [501, 201, '…'],
])('a reason of %i characters and names of %i have this after their part: %j', (reason, name, end) => {
  const vertex = { id: 'i'.repeat(name), displayName: 'd'.repeat(name), type: 't'.repeat(name) };
  const shown = written({
    failure: { ...failure, message: 'm'.repeat(reason), vertex },
    requestId: 'r'.repeat(name),
  });
  const cut = (letter: string, length: number) => `${letter.repeat(length)}${end}`;
  expect(shown).toMatchObject([
    {
      reason: cut('m', 500),
      requestId: cut('r', 200),
      vertex: { id: cut('i', 200), displayName: cut('d', 200), type: cut('t', 200) },
    },
  ]);
});
