import { until } from '@millrace/service/testing';
import { forAllTests } from '@millrace/testing';
import { accessibilityViolations } from './console-browser';
import type { ConsolePage } from './console-browser';
import { HOSTILE, readExample, startConsoleSystem } from './console-standalone';
import type { ConsoleSystem } from './console-standalone';

let admin: ConsolePage;
let call: ConsoleSystem['call'];
let newFlow: ConsoleSystem['newFlow'];

const system = forAllTests(startConsoleSystem);
beforeAll(async () => {
  ({ admin, call, newFlow } = system);
}, 180_000);

/** Runs a flow by the API; resolves to the id of the run. */
async function runOf(flow: string, input: string): Promise<string> {
  await call('POST', `/api/v1/run/${flow}`, { input_value: input, session_id: 'calls' });
  const { runs } = await call<{ runs: { id: string }[] }>('GET', `/api/v1/runs?flow_id=${flow}&limit=1`);
  return runs[0]?.id ?? '';
}

const rows = () => admin.page.locator('.timeline-row');

test('with default settings the page of a run has the time and size of each vertex, without values', async () => {
  const { page, visit, offences } = admin;
  const { id } = await newFlow('chat', { name: 'Ordinary' });
  await visit(`/runs/${await runOf(id, 'hello')}`);
  await rows().filter({ hasText: 'Language Model' }).first().click();
  const panel = page.getByRole('complementary', { name: /Language Model/ });
  await panel.getByText('Values are not kept').last().waitFor();
  await panel.getByRole('term').filter({ hasText: 'Output' }).waitFor();
  expect(await page.getByText('No timeline').count()).toBe(0);
  expect(offences).toEqual([]);
}, 120_000);

test('what a model was sent is two clicks from the list of runs, also where the values of a run are not kept', async () => {
  const { page, visit, offences } = admin;
  const { id } = await newFlow('chat', { name: 'Asked again' });
  const run = await runOf(id, 'what was sent');
  await visit(`/runs?flow=${id}`);
  await page.getByRole('link', { name: 'Asked again' }).first().click();
  await page.getByRole('button', { name: 'Run again with values' }).click();
  const calls = page.getByRole('region', { name: 'Calls' });
  await calls.locator('details[open]').getByText('what was sent').first().waitFor();
  expect(page.url()).not.toContain(run);
  expect(await page.getByRole('button', { name: 'Run again with values' }).count()).toBe(0);
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(offences).toEqual([]);
}, 120_000);

test('calls of models and tools are below their vertex, with messages by role, arguments, results and tokens', async () => {
  const { page, visit, offences } = admin;
  const { id } = await newFlow('agent-with-tools', { name: 'Called' });
  await visit(`/flows/${id}?tab=playground`);
  await page
    .getByLabel('Message', { exact: true })
    .fill('[[call=evaluate_expression with="expression=17*23"]]');
  await page.keyboard.press('Enter');
  await page.locator('.messages li').nth(1).getByRole('time').waitFor();
  await page.locator('.messages li').nth(1).getByRole('link', { name: 'run' }).click();
  await page.getByRole('tab', { name: 'Timeline' }).click();
  const calls = page.locator('.timeline-row.of-call');
  await calls.nth(2).waitFor();
  expect(await calls.locator('.timeline-name').allInnerTexts()).toEqual([
    expect.any(String),
    'evaluate_expression',
    expect.any(String),
  ]);
  await calls.nth(1).click();
  const panel = page.getByRole('region', { name: 'Calls' });
  await panel.getByRole('region', { name: 'Arguments of call 2' }).getByText('17*23').waitFor();
  await panel.locator('details[open]').getByText('391').waitFor();
  await calls.nth(2).click();
  const last = panel.locator('details[open]');
  await last.getByText(/After \d+ messages of the call before/).waitFor();
  expect(await last.locator('.value-name').allInnerTexts()).toEqual(['assistant', 'tool', 'assistant']);
  await last
    .locator('summary')
    .getByText(/\d+ in · \d+ out/)
    .waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(offences).toEqual([]);
}, 120_000);

test('hostile texts in messages of calls are text, and the page fits 360 px without a violation', async () => {
  const { id } = await newFlow('chat', {
    name: 'Hostile calls',
    settings: { records: { sampleRate: 1, values: 'all' } },
  });
  const runId = await runOf(id, HOSTILE.join(' '));
  const { vertices } = await call<{ vertices: { id: string; calls: unknown[] }[] }>(
    'GET',
    `/api/v1/runs/${runId}/trace`,
  );
  const vertex = vertices.find(({ calls }) => calls.length > 0)?.id ?? '';
  const faults = await system.faultsOf([`/runs/${runId}?vertex=${vertex}&call=1`], (page) =>
    page.getByRole('region', { name: 'Calls' }).getByText('onerror').first().waitFor(),
  );
  expect(faults).toEqual([]);
}, 180_000);

const run = (flow: string, input_value: string) =>
  call('POST', `/api/v1/run/${flow}`, { input_value }).catch(() => undefined);

test('a run shows the warnings of its attempts; a run without any says so', async () => {
  const { page, visit, offences } = system.admin;
  const { id } = await system.newFlow('chat', { name: 'Logging', endpoint_name: 'logging' });
  await run('logging', '[[status=400]]');
  await run('logging', 'well');
  const found = async () =>
    (await call<{ runs: { id: string; status: string }[] }>('GET', `/api/v1/runs?flow_id=${id}`)).runs;
  await until(async () => (await found()).length === 2);
  const failed = (await found()).find(({ status }) => status === 'failed')?.id ?? '';
  const ended = (await found()).find(({ status }) => status === 'succeeded')?.id ?? '';
  await visit(`/runs/${failed}`);
  await page.getByRole('tab', { name: 'Log' }).click();
  const line = page.getByRole('tabpanel').getByRole('row').filter({ hasText: 'run failed' });
  await line.getByText('warn', { exact: true }).waitFor();
  await line.getByText('component_failed').waitFor();
  await line.getByText('Language Model', { exact: true }).waitFor();
  await visit(`/runs/${ended}?tab=log`);
  await page.getByText('No warnings and no errors').waitFor();
  const faults = await system.faultsOf([`/runs/${failed}?tab=log`], (view) =>
    view.getByText('component_failed').last().waitFor(),
  );
  expect(faults).toEqual([]);
  expect(offences).toEqual([]);
}, 180_000);

test('a row of the usage by project opens the runs of its flows', async () => {
  const { page, visit, offences } = system.admin;
  const { id: project } = await call<{ id: string }>('POST', '/api/v1/projects/', { name: 'Storefront' });
  const inside = { name: 'Checkout', endpoint_name: 'checkout', folder_id: project };
  await system.newFlow('echo', inside);
  await system.newFlow('echo', { name: 'Elsewhere', endpoint_name: 'elsewhere' });
  for (const flow of ['checkout', 'checkout', 'elsewhere']) await run(flow, 'hello');
  await visit('/usage?by=project');
  const row = page.getByRole('row').filter({ hasText: 'Storefront' });
  await row.getByRole('link', { name: '2', exact: true }).click();
  await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
  expect(page.url()).toContain(`project=${project}`);
  const listed = page.locator('.runs-body .runs-row');
  await until(async () => (await listed.count()) === 2);
  await page.getByRole('button', { name: 'Project Storefront' }).click();
  await until(async () => (await listed.count()) > 2);
  expect(offences).toEqual([]);
}, 120_000);

test('rules of alerts are added and changed by the form of the settings, and refused ones are named', async () => {
  const { page, visit, offences } = system.admin;
  const { id } = await system.newFlow('echo', { name: 'Watched' });
  const stored = async () =>
    (await call<{ settings: { alerts?: unknown } }>('GET', `/api/v1/flows/${id}`)).settings.alerts;
  await visit(`/flows/${id}?tab=settings`);
  await page.getByRole('button', { name: 'Add an alert' }).click();
  const rule = page.getByRole('group', { name: 'Alert 1', exact: true });
  await rule.getByLabel('Name').fill('failing');
  await rule.getByLabel('Measure').selectOption('failures');
  await rule.getByLabel('Threshold').fill('1.5');
  await rule.getByLabel('Window, in minutes').fill('15');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('alert').getByText('threshold').first().waitFor();
  await rule.getByLabel('Threshold').fill('0.25');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await until(async () => (await stored()) !== undefined);
  expect(await stored()).toEqual([
    { name: 'failing', measure: 'failures', threshold: 0.25, windowMinutes: 15 },
  ]);
  const faults = await system.faultsOf([`/flows/${id}?tab=settings`], (view) =>
    view.getByRole('group', { name: 'Alert 1', exact: true }).waitFor(),
  );
  expect(faults).toEqual([]);
  expect(offences).toEqual([]);
}, 180_000);

test('an alert that has not ended is shown in the menu, on the page of flows and on that of its flow', async () => {
  const { page, visit, offences } = system.admin;
  const alerts = [{ name: 'stuck', measure: 'waiting', threshold: 1, windowMinutes: 5 }];
  const settings = { concurrency: 1, alerts };
  const { id } = await system.newFlow('chat', { name: 'Held up', settings });
  const runs = await Promise.all(
    [1, 2].map(async () => {
      const answer = await fetch(`${system.url}/api/v1/run/${id}`, {
        method: 'POST',
        headers: { 'x-api-key': system.key, 'content-type': 'application/json', prefer: 'respond-async' },
        body: JSON.stringify({ input_value: '[[delay=600000]]' }),
      });
      return answer.headers.get('x-run-id') ?? '';
    }),
  );
  await visit('/flows');
  const note = page.getByRole('alert').filter({ hasText: 'stuck' });
  // Rules are evaluated, and the page asks, once a minute.
  await note.waitFor({ timeout: 240_000 });
  await note.getByText(/waiting .* in 5 min, threshold 1\.00 s/).waitFor();
  await page.getByRole('link', { name: /Flows *1 alert/ }).waitFor();
  await note.getByRole('link', { name: 'Held up' }).click();
  await page.getByRole('heading', { name: /Held up/, level: 1 }).waitFor();
  await note.getByRole('link', { name: 'Runs' }).click();
  await page.locator('.runs-body .runs-row').first().waitFor();
  expect(page.url()).toContain(`flow=${id}`);
  const faults = await system.faultsOf(['/flows', `/flows/${id}`], (view) =>
    view.getByText('stuck', { exact: true }).waitFor(),
  );
  expect(faults).toEqual([]);
  for (const each of runs) await call('POST', `/api/v1/runs/${each}/cancel`);
  expect(offences).toEqual([]);
}, 300_000);

/** A flow with three versions of its prompt, and a run of each of the first two. */
async function makeVersions(): Promise<string> {
  const example = readExample('chat');
  const { id } = await call<{ id: string }>('POST', '/api/v1/flows/', {
    ...example,
    name: 'Compared',
    endpoint_name: 'compared',
    settings: { records: { sampleRate: 1, values: 'all' } },
  });
  const withPrompt = (text: string) => {
    const data = structuredClone(example.data);
    for (const { data: vertex } of data.nodes) {
      const template = vertex.node['template'] as Record<string, { value: string }>;
      if (template['template']) template['template'].value = text;
    }
    return call('PATCH', `/api/v1/flows/${id}`, { data });
  };
  await call('POST', '/api/v1/run/compared', {
    input_value: `Parcel 17\nsent on Monday\n${HOSTILE[0]} [[tokens=5]]`,
  });
  await withPrompt('Be short. {question}');
  await call('POST', '/api/v1/run/compared', {
    input_value: `Parcel 18\nsent on Monday\n${HOSTILE[0]} [[tokens=9]]`,
  });
  await withPrompt('Be long. {question}');
  return id;
}

test('two runs and any two versions are compared', async () => {
  const flow = await makeVersions();
  const { page, visit, offences } = admin;
  await page.setViewportSize({ width: 1440, height: 900 });
  await visit(`/runs?flow=${flow}`);
  const boxes = page.locator('.runs-body').getByRole('checkbox');
  await boxes.nth(1).check();
  expect(await page.getByRole('link', { name: 'Compare', exact: true }).count()).toBe(0);
  await boxes.first().check();
  await page.getByRole('link', { name: 'Compare', exact: true }).click();
  await page.getByRole('heading', { name: 'Compare runs', level: 1 }).waitFor();
  const tokens = page.getByRole('row', { name: /Tokens out/ });
  await tokens.getByText('+4 (+80 %)').waitFor();
  const input = page.getByRole('region', { name: 'Input' });
  await input.locator('mark', { hasText: '7' }).waitFor();
  await input.locator('mark', { hasText: '8' }).waitFor();
  expect(await input.getByText('sent on Monday').count()).toBe(2);
  await page.getByRole('region', { name: 'Output' }).locator('mark').first().waitFor();
  const prompt = page.getByRole('row', { name: /Prompt Template/ });
  await prompt.getByRole('button', { name: 'Values' }).click();
  await page.getByRole('region', { name: 'template' }).getByText('Be short. {question}').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);

  await page.getByRole('link', { name: 'What changed from version 1 to 2' }).click();
  await page.getByRole('heading', { name: 'From version 1 to 2' }).waitFor();
  await page.getByLabel('The second version').selectOption('3');
  await page.getByLabel('The first version').selectOption('2');
  await page.getByRole('heading', { name: 'From version 2 to 3' }).waitFor();
  await page.getByText('Be long. {question}').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);

  const { runs } = await call<{ runs: { id: string }[] }>('GET', `/api/v1/runs?flow_id=${flow}`);
  await visit(`/runs/${runs[0]?.id ?? ''}`);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Compare with the run before' }).click();
  await until(() => page.url().endsWith(`/runs/compare?one=${runs[1]?.id}&other=${runs[0]?.id}`));
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await input.locator('mark', { hasText: '7' }).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  expect(offences).toEqual([]);
}, 180_000);
