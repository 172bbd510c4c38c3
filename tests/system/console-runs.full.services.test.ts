import { flowData, forAllTests, node } from '@millrace/testing';
import { until } from '@millrace/service/testing';
import { accessibilityViolations, openConsole } from './console-browser';
import type { ConsolePage } from './console-browser';
import { HOSTILE, readExample, startConsoleSystem } from './console-standalone';
import type { ConsoleSystem } from './console-standalone';

let admin: ConsolePage;
let call: ConsoleSystem['call'];

const system = forAllTests(startConsoleSystem);
beforeAll(async () => {
  ({ admin, call } = system);
}, 180_000);

const newFlow = async (endpoint: string, flow: object, settings: unknown = {}): Promise<string> =>
  (
    await call<{ id: string }>('POST', '/api/v1/flows/', {
      ...flow,
      name: endpoint,
      endpoint_name: endpoint,
      settings,
    })
  ).id;

const askingFlow = {
  data: flowData(
    [
      node('ChatInput-a', { input_value: '' }, 'message'),
      node('HumanInput-h', { prompt: '' }, 'branch_approve', 'branch_reject'),
      node('ChatOutput-z', { input_value: '' }, 'message'),
    ],
    ['ChatInput-a.message > HumanInput-h.prompt', 'HumanInput-h.branch_approve > ChatOutput-z.input_value'],
  ),
};

/** An agent whose calculator a person has to approve. */
function approvingFlow(): object {
  const flow = readExample('agent-with-tools');
  const row = { name: 'evaluate_expression', tags: ['evaluate_expression'], status: true };
  for (const { data } of flow.data.nodes)
    if (data.type === 'CalculatorComponent')
      Object.assign(data.node['template'] as object, {
        tools_metadata: {
          type: 'table',
          show: true,
          value: [{ ...row, approval_actions: ['approve', 'edit', 'reject', 'respond'] }],
        },
      });
  return flow;
}

/** Starts a run that waits for a person, and returns its id. */
async function suspend(flow_id: string, input_value: string): Promise<string> {
  const body = { flow_id, input_value, mode: 'sync' };
  const { job_id, status } = await call<{ job_id: string; status: string }>(
    'POST',
    '/api/v2/workflows',
    body,
  );
  expect(status).toBe('suspended');
  return job_id;
}

test('questions of suspended runs wait on one page, are counted, and are answered there', async () => {
  const { page, visit } = admin;
  await visit('/pending');
  await page.getByText('Nothing waits for a person').waitFor();
  const flowId = await newFlow('console-asking', askingFlow);
  const [hostile = ''] = HOSTILE;
  const first = await suspend(flowId, `Ship ${hostile}?`);
  const second = await suspend(flowId, 'Ship the second?');
  await visit('/pending');
  await page.locator('nav .badge').getByText('2').waitFor();
  const cards = page.locator('.card', { has: page.locator('.question') });
  await cards.first().getByText(`Ship ${hostile}?`).waitFor();
  await cards
    .first()
    .getByText(/\d+ days left/)
    .waitFor();
  // Another person is faster.
  const body = { request_id: `HumanInput-h:${first}`, decision: { action_id: 'reject' } };
  await call('POST', `/api/v2/workflows/${first}/resume`, body);
  await cards.first().getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('status').getByText('The answer was not taken: another one was given at').waitFor();
  await until(async () => (await cards.count()) === 1);
  await cards.first().getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('status').getByText('Answered “Approve”').getByRole('link').click();
  await page.locator('h1 .state.good').waitFor();
  expect(page.url()).toContain(second);
  await page.getByRole('tab', { name: 'Timeline' }).click();
  await page.getByRole('tabpanel').getByText('waited for a person').waitFor();
  expect(admin.offences).toEqual([]);
}, 120_000);

test('the page of a run that asks shows the question, the vertex and the calls, whose arguments can be changed', async () => {
  const flowId = await newFlow('console-approving', approvingFlow());
  const id = await suspend(flowId, '[[call=evaluate_expression with="expression=6*7"]] what is it?');
  const phone = await openConsole(system.browser, system.url, system.key, { width: 360, height: 740 });
  const { page, visit } = phone;
  await visit(`/runs/${id}`);
  await page.getByText('evaluate_expression').first().waitFor();
  await page.locator('.vertex.warn').getByText('waits for a person').waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Edit…' }).click();
  await page.getByLabel('Arguments, as JSON').fill('{');
  await page.getByRole('button', { name: 'Call with these' }).click();
  await page.getByText('The arguments are no JSON').waitFor();
  await page.getByLabel('Arguments, as JSON').fill('{"expression": "2+3"}');
  await page.getByRole('button', { name: 'Call with these' }).click();
  await page.locator('h1 .state.good').waitFor();
  await page.getByRole('tab', { name: 'Output' }).click();
  await page.getByRole('tabpanel').getByText('5').first().waitFor();
  expect(phone.offences).toEqual([]);
  await phone.close();
}, 120_000);

test('the owner of a question for others sees the names of those in place of decisions', async () => {
  const { page, visit } = admin;
  await call('POST', '/api/v1/users', { username: 'decider' });
  const flowId = await newFlow('console-assigned', askingFlow, { answeredBy: ['decider'] });
  const id = await suspend(flowId, 'Ship the third?');
  for (const path of ['/pending', `/runs/${id}`]) {
    await visit(path);
    const card = page.locator('.card', { hasText: 'Ship the third?' });
    await card.getByText('The flow asks others: decider.').waitFor();
    expect(await card.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  }
  expect(await page.locator('nav .badge').count()).toBe(0);
  await call('POST', '/api/v2/workflows/stop', { job_id: id });
}, 120_000);

test('a run that waits says why, on its page, in the list and in the list of its pool', async () => {
  const { page, visit } = admin;
  const flowId = await newFlow('console-limited', readExample('chat'), { concurrency: 1 });
  const start = async () => {
    const body = { flow_id: flowId, input_value: '[[delay=600000]]', mode: 'background' };
    return (await call<{ job_id: string }>('POST', '/api/v2/workflows', body)).job_id;
  };
  const [running, first, second] = [await start(), await start(), await start()];
  await visit(`/runs/${second}`);
  const sentence = 'The flow allows 1 at a time; it is 2nd in line.';
  await page.getByRole('status').getByText(sentence).waitFor();
  await visit(`/runs?flow=${flowId}`);
  await page.getByText('flow limit 1 · place 2').waitFor();
  await page.getByText('flow limit 1 · place 1').waitFor();
  await visit('/system/workers');
  // A pool whose runs wait is open, with the shares of users and flows.
  await page.getByText('flow limit 1 · place 2').waitFor();
  await page
    .getByRole('definition')
    .filter({ hasText: /^admin \d+$/ })
    .waitFor();
  await page
    .getByRole('row', { name: /default/ })
    .getByRole('button', { name: 'Runs' })
    .click();
  await page.getByText('flow limit 1 · place 2').waitFor({ state: 'detached' });
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByTitle('Waiting runs of default').click();
  await page.getByText('flow limit 1 · place 1').waitFor();
  expect(page.url()).toContain('pool=default');
  await call('POST', `/api/v1/flows/${flowId}/pause`, { reason: 'the model is down' });
  await visit(`/runs/${second}`);
  await page.getByRole('status').getByText('The flow is paused: the model is down').waitFor();
  for (const id of [second, first, running]) await call('POST', `/api/v1/runs/${id}/cancel`);
  await page.locator('h1').getByText('cancelled').waitFor();
  await page.getByText('The flow is paused').waitFor({ state: 'detached' });
}, 120_000);
