import { until } from '@millrace/service/testing';
import { startConsoleSystem } from './console-standalone';
import type { ConsoleSystem } from './console-standalone';

let system: ConsoleSystem;
let call: ConsoleSystem['call'];

beforeAll(async () => {
  system = await startConsoleSystem();
  ({ call } = system);
}, 180_000);

afterAll(() => system?.stop(), 60_000);

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
  const rows = page.locator('.runs-body .runs-row');
  await until(async () => (await rows.count()) === 2);
  await page.getByRole('button', { name: 'Project Storefront' }).click();
  await until(async () => (await rows.count()) > 2);
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
