import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KeyValueUnavailableError } from '@millrace/key-value';
import { recordingLogger } from '@millrace/service/testing';
import { openTestGateway } from '../../testing/test-gateway';
import type { TestGateway } from '../../testing/test-gateway';

const echo = JSON.parse(readFileSync(join(__dirname, '../../../../../examples/echo.json'), 'utf8')) as object;
const large = { input_value: 'x'.repeat(100_000) };

const logger = recordingLogger();
let gateway: TestGateway;
beforeAll(async () => {
  // A Redis to which no connection is possible.
  gateway = await openTestGateway({ keyValueUrl: 'redis://127.0.0.1:1', logger });
  await gateway.createFlow({ ...echo, endpoint_name: 'echo' });
}, 60_000);
afterAll(() => gateway.close());
afterEach(() => {
  gateway.executor.handleJob = null;
});

test('a large request is stored before its job is sent while the key-value store is away', async () => {
  const stored: unknown[] = [];
  gateway.executor.handleJob = async ({ job, final }) => {
    const record = await gateway.runs.find(job.userId, job.runId);
    stored.push([
      job.durable,
      job.request,
      job.claimCheck,
      record?.status,
      record?.request?.inputs[0]?.inputValue.length,
    ]);
    await final('succeeded', { session_id: 's', outputs: [] });
  };
  expect(await gateway.call('POST', '/api/v1/run/echo', large)).toMatchObject({ status: 200 });
  expect(stored).toEqual([[true, null, null, expect.stringMatching(/accepted|queued/), 100_000]]);
  const [{ runId } = { runId: '' }] = gateway.executor.jobs;
  const away = 'key-value store unavailable; a large request is stored in the database instead';
  expect(logger.fieldsOf(away)).toEqual([{ error: expect.any(KeyValueUnavailableError), runId }]);
});

test.each([
  ['autoscale', 'their slots count as none'],
  ['workers', 'the answer has none'],
  ['monitor/job_queue', 'their runs are not counted'],
])('%s answers while the executors cannot be read, which is logged', async (route, consequence) => {
  expect((await gateway.call('GET', `/api/v1/${route}`)).status).toBe(200);
  const unread = logger.fieldsOf(`the executors could not be read; ${consequence}`);
  expect(unread).toEqual([{ error: expect.any(KeyValueUnavailableError) }]);
});

test('a large request that cannot be stored at all is refused, and nothing waits for its run', async () => {
  await gateway.database.query({
    text: `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '53100'; END $$;
        CREATE TRIGGER refuse BEFORE INSERT ON runs EXECUTE FUNCTION refuse()`,
  });
  const sent = gateway.executor.jobs.length;
  const refused = await gateway.call('POST', '/api/v1/run/echo', large);
  await gateway.database.query({ text: 'DROP FUNCTION refuse CASCADE' });
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([503, 'database_unavailable']);
  expect(gateway.executor.jobs.length).toBe(sent);
  expect(await gateway.metrics.prometheusText()).toMatch(/^millrace_runs_waiting 0$/m);
});
