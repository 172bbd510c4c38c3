import { accessibilityViolations } from './console-browser';
import type { ConsolePage } from './console-browser';
import { HOSTILE, startConsoleSystem } from './console-standalone';
import type { ConsoleSystem } from './console-standalone';

let system: ConsoleSystem;
let admin: ConsolePage;
let call: ConsoleSystem['call'];
let newFlow: ConsoleSystem['newFlow'];

beforeAll(async () => {
  system = await startConsoleSystem();
  ({ admin, call, newFlow } = system);
}, 180_000);

afterAll(() => system?.stop(), 60_000);

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
  const run = await runOf(id, HOSTILE.join(' '));
  const { vertices } = await call<{ vertices: { id: string; calls: unknown[] }[] }>(
    'GET',
    `/api/v1/runs/${run}/trace`,
  );
  const vertex = vertices.find(({ calls }) => calls.length > 0)?.id ?? '';
  const faults = await system.faultsOf([`/runs/${run}?vertex=${vertex}&call=1`], (page) =>
    page.getByRole('region', { name: 'Calls' }).getByText('onerror').first().waitFor(),
  );
  expect(faults).toEqual([]);
}, 180_000);
