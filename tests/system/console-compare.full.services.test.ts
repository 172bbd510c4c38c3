import { until } from '@millrace/service/testing';
import { accessibilityViolations } from './console-browser';
import type { ConsolePage } from './console-browser';
import { HOSTILE, readExample, startConsoleSystem } from './console-standalone';
import type { ConsoleSystem } from './console-standalone';

let system: ConsoleSystem;
let admin: ConsolePage;
let call: ConsoleSystem['call'];

beforeAll(async () => {
  system = await startConsoleSystem();
  ({ admin, call } = system);
}, 180_000);

afterAll(() => system?.stop(), 60_000);

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
