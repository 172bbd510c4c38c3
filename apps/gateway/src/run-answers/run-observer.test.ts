import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger } from '@millrace/service';
import { openTestGateway } from '../testing/test-gateway';
import type { TestGateway } from '../testing/test-gateway';

type Line = Readonly<Record<string, unknown>>;

const echo = JSON.parse(readFileSync(join(__dirname, '../../../../examples/echo.json'), 'utf8')) as object;
const lines: Line[] = [];

let gateway: TestGateway;
let flowId: string;
beforeAll(async () => {
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Line) };
  const logger = createLogger({ name: 'gateway-test', level: 'info', destination });
  gateway = await openTestGateway({ logger });
  flowId = await gateway.createFlow({ ...echo, endpoint_name: 'echo' });
}, 60_000);
afterAll(() => gateway.close());

const failure = (code: string) => ({ code, message: 'text', vertex: null, problems: [] });

/** Runs the flow; resolves to the status of the answer, and the lines with the id of the request. */
async function linesOf(
  handleJob: TestGateway['executor']['handleJob'],
  requestId: string,
  headers: Record<string, string> = {},
): Promise<readonly [number, readonly Line[]]> {
  gateway.executor.handleJob = handleJob;
  const { status } = await gateway.call(
    'POST',
    '/api/v1/run/echo',
    {},
    { 'x-request-id': requestId, ...headers },
  );
  const isOwn = ({ requestId: id, msg }: Line): boolean => id === requestId && msg !== 'request answered';
  return [status, lines.filter(isOwn)];
}

test.each([
  ['failed', 'component_failed', 500],
  ['cancelled', 'cancelled', 503],
  ['dead', 'attempts_exhausted', 500],
] as const)('a run that ended as %s is logged by its executor alone', async (status, code, answered) => {
  expect(await linesOf(({ final }) => final(status, failure(code)), status)).toEqual([answered, []]);
});

test('a run that its executor ended at its deadline is logged here', async () => {
  const ended = linesOf(({ final }) => final('timed_out', failure('deadline_exceeded')), 'late');
  const fields = { flowId, userId: gateway.user.id, attempt: 1, code: 'deadline_exceeded' };
  expect(await ended).toMatchObject([504, [{ level: 'warn', msg: 'run timed out', ...fields }]]);
});

test('a run whose executor does not answer is logged here, without an attempt', async () => {
  const lost = linesOf(async () => undefined, 'lost', { 'x-deadline-seconds': '1' });
  const fields = { flowId, attempt: null, status: 'timed_out', code: 'deadline_exceeded', vertex: null };
  expect(await lost).toMatchObject([504, [{ level: 'warn', msg: 'run timed out', ...fields }]]);
});

test('the metric of answered runs has their outcomes', async () => {
  const text = await gateway.metrics.prometheusText();
  for (const outcome of ['failed', 'cancelled', 'dead', 'timed_out', 'lost'])
    for (const metric of [
      'millrace_run_answer_count',
      'millrace_run_answer_seconds_count',
      'millrace_runs_answered_total',
    ])
      expect(text).toContain(`${metric}{form="simple",outcome="${outcome}"} 1`);
});
