import type { Job } from '@millrace/messages';
import type { RetryRule } from '@millrace/flow';
import { until } from '@millrace/service/testing';
import { flowData, node } from '@millrace/testing';
import { failingFlow } from '../testing/flow-document';
import { installForEachTest } from '../testing/install-for-tests';

const given = installForEachTest();
beforeEach(async () => {
  await given.startExecutor('worker-1');
});

const rule: RetryRule = { attempts: 3, backoffSeconds: 60 };
const find = (runId: string) => given.runs.find(given.userId, runId);
const reached = (runId: string, status: string) =>
  until(async () => (await find(runId))?.status === status, `run ${runId} is not ${status}`);

/** Sends the job and makes the model refuse its request. */
async function fail(job: Job): Promise<void> {
  await given.send(job);
  await until(() => given.model.waiting === 1, 'the run did not reach the model');
  given.model.refuse();
}

/** Sweeps as if so many seconds had passed; resolves to the ids of the runs to publish. */
async function sweepAfter(runId: string, seconds: number): Promise<string[]> {
  await given.database.query({
    text: `UPDATE runs SET next_sweep_at = next_sweep_at - $2 * interval '1 second' WHERE id = $1`,
    values: [runId, seconds],
  });
  return (await given.runs.sweep({ limit: 500 })).map(({ id }) => id);
}

test('a failed run shows its failure during the pause, then succeeds', async () => {
  const job = await given.accept(given.chat, { retry: rule });
  await fail(job);
  await reached(job.runId, 'accepted');
  expect(await find(job.runId)).toMatchObject({
    attempt: 1,
    retries: 1,
    failure: { code: 'component_failed', message: expect.stringContaining('The model refuses the request.') },
    finishedAt: null,
  });
  expect(given.finals(job.runId)).toHaveLength(0);
  expect(await sweepAfter(job.runId, 29)).not.toContain(job.runId);
  expect(await sweepAfter(job.runId, 31)).toContain(job.runId);
  await given.send(job);
  await until(() => given.model.waiting === 1, 'the run was not retried');
  given.model.answer('better');
  await reached(job.runId, 'succeeded');
  expect(await find(job.runId)).toMatchObject({ attempt: 2, retries: 1, failure: null });
});

test('a failure of the last attempt of the rule ends the run', async () => {
  const job = await given.accept(given.chat, { retry: { ...rule, attempts: 2 }, maximumAttempts: 1 });
  await fail(job);
  await reached(job.runId, 'accepted');
  expect(await sweepAfter(job.runId, 60)).toContain(job.runId);
  await fail(job);
  await reached(job.runId, 'failed');
  expect(await find(job.runId)).toMatchObject({ attempt: 2, retries: 1 });
});

test('a failure that the rule does not name ends the run at once', async () => {
  const job = await given.accept(given.chat, { retry: { ...rule, on: ['deadline_exceeded'] } });
  await fail(job);
  await reached(job.runId, 'failed');
  expect(await find(job.runId)).toMatchObject({ attempt: 1, retries: 0 });
});

test('a run that waits for its next attempt can be cancelled', async () => {
  const job = await given.accept(given.chat, { retry: rule });
  await fail(job);
  await reached(job.runId, 'accepted');
  expect(await given.runs.requestCancel(given.userId, job.runId)).toMatchObject({ status: 'cancelled' });
  expect(await sweepAfter(job.runId, 300)).not.toContain(job.runId);
});

test('a failure that every attempt would repeat is not retried', async () => {
  const flow = await given.flows.create(given.userId, { name: 'failing', document: failingFlow });
  const job = await given.accept(flow, { retry: rule });
  await given.send(job);
  await reached(job.runId, 'failed');
  expect(await find(job.runId)).toMatchObject({
    attempt: 1,
    retries: 0,
    failure: { code: 'component_failed', vertex: { id: 'Prompt-p' } },
  });
});

test('a webhook whose body has half of a surrogate pair fails once, also with a retry rule', async () => {
  const document = flowData(
    [node('Webhook-w', { data: '' }, 'output_data'), node('ChatOutput-o', { session_id: '' }, 'message')],
    ['Webhook-w.output_data > ChatOutput-o.input_value'],
  );
  const flow = await given.flows.create(given.userId, { name: 'hook', document });
  const tweaks = { 'Webhook-w': { data: String.raw`{"text":{"half":"\ud800"}}` } };
  const request = given.request('', { form: 'webhook', tweaks });
  const job = await given.accept(flow, { retry: rule, request });
  await given.send(job);
  await reached(job.runId, 'failed');
  const failure = { code: 'component_failed', message: expect.stringContaining('str is not valid UTF-8') };
  expect(await find(job.runId)).toMatchObject({ attempt: 1, retries: 0, failure });
});

const emptyTemplate = { type: 'str', display_name: 'Template', show: true, value: '' };

const fromVariable = { template: { value: 'TWEAKED', load_from_db: true } };

test.each([
  ['that fills an empty field', 'FILLING', ['Template'], {}],
  ['that a tweak names', 'TWEAKED', [], { 'Prompt-p': fromVariable }],
])('a failure that came of a variable %s is retried', async (_, name, defaultFields, tweaks) => {
  const document = flowData(
    [
      node('Prompt-p', { template: emptyTemplate }, 'prompt'),
      node('ChatOutput-o', { session_id: '' }, 'message'),
    ],
    ['Prompt-p.prompt > ChatOutput-o.input_value'],
  );
  const flow = await given.flows.create(given.userId, { name, document });
  const invalid = { name, value: '{"a": 1}', type: 'Generic', defaultFields };
  const { id } = await given.variables.create(given.userId, invalid);
  const job = await given.accept(flow, { retry: rule, request: given.request('', { tweaks }) });
  await given.send(job);
  await until(async () => (await find(job.runId))?.failure != null, 'the first attempt did not fail');
  expect(await find(job.runId)).toMatchObject({ status: 'accepted', failure: { code: 'component_failed' } });
  await given.variables.update(given.userId, id, { value: 'Good day' });
  expect(await sweepAfter(job.runId, 60)).toContain(job.runId);
  await given.send(job);
  await reached(job.runId, 'succeeded');
});
