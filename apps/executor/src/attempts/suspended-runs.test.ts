import { flowData, node } from '@millrace/testing';
import { until } from '@millrace/service/testing';
import { installForAllTests } from '../testing/install-for-tests';
import { WaitingRun } from '../testing/waiting-run';

const given = installForAllTests();

const create = (name: string, document: unknown) => given.flows.create(given.userId, { name, document });

test('a vertex that gave a text and a model gives the model again, and asks it nothing', async () => {
  const asking = flowData(
    [
      node('ChatInput-i', { input_value: '' }, 'message'),
      node('OpenAIModel-m', { api_key: 'sk-test', input_value: '' }, 'text_output', 'model_output'),
      node('HumanInput-h', { prompt: '' }, 'branch_approve', 'branch_reject'),
      node('ToolCallingAgent-a', { model: '', input_value: '' }, 'response'),
      node('ChatOutput-z', {}, 'message'),
    ],
    [
      'ChatInput-i.message > OpenAIModel-m.input_value',
      'OpenAIModel-m.text_output > HumanInput-h.prompt',
      'OpenAIModel-m.model_output > ToolCallingAgent-a.model',
      'HumanInput-h.branch_approve > ToolCallingAgent-a.input_value',
      'ToolCallingAgent-a.response > ChatOutput-z.input_value',
    ],
  );
  const run = await WaitingRun.start(given, await create('model before a pause', asking));
  await until(() => given.model.waiting === 1, 'the model was not asked');
  given.model.answer('ship it?');
  const [request] = await run.asks();
  expect(request).toMatchObject({ prompt: 'ship it?' });
  const suspended = given.logged('run suspended: it waits for human input');
  expect(suspended).toEqual([expect.objectContaining({ runId: run.id, attempt: 1, requests: 1 })]);
  const metrics = await given.metrics.prometheusText();
  expect(metrics).toContain('millrace_runs_suspended_total{pool="default"} 1');
  await run.answer(request, 'approve');
  await until(() => given.model.waiting === 1, 'the agent did not ask the model');
  given.model.answer('shipped');
  expect(await run.record()).toMatchObject({ status: 'succeeded', attempt: 2 });
  expect(given.model.prompts).toEqual(['durable', 'ship it?']);
});

test('a run that is cancelled before it would be suspended again asks nothing any more', async () => {
  const parallel = flowData(
    [
      node('ChatInput-i', { input_value: '' }, 'message'),
      node('HumanInput-a', { prompt: '' }, 'branch_approve'),
      node('HumanInput-b', { prompt: '' }, 'branch_approve'),
      node('OpenAIModel-m', { api_key: 'sk-test', input_value: '' }, 'text_output'),
      node('TextOutput-a', { input_value: '' }, 'text'),
      node('TextOutput-b', { input_value: '' }, 'text'),
    ],
    [
      'ChatInput-i.message > HumanInput-a.prompt',
      'ChatInput-i.message > HumanInput-b.prompt',
      'HumanInput-a.branch_approve > OpenAIModel-m.input_value',
      'OpenAIModel-m.text_output > TextOutput-a.input_value',
      'HumanInput-b.branch_approve > TextOutput-b.input_value',
    ],
  );
  const run = await WaitingRun.start(given, await create('cancelled between questions', parallel));
  const [first, second] = await run.asks();
  expect(second?.request_id).toBe(`HumanInput-b:${run.id}`);
  await run.answer(first, 'approve');
  await until(() => given.model.waiting === 1, 'the model was not asked');
  await given.runs.requestCancel(given.userId, run.id);
  given.model.answer('done');
  expect(await run.record()).toMatchObject({ status: 'cancelled' });
  expect(await run.asks()).toEqual([]);
});
