import { until } from '@millrace/service/testing';
import { flowData, forAllTests, node } from '@millrace/testing';
import type { Page } from 'playwright-core';
import { accessibilityViolations, openConsole } from './console-browser';
import { readExample, startConsoleSystem } from './console-standalone';
import type { ConsoleSystem } from './console-standalone';

let call: ConsoleSystem['call'];

const system = forAllTests(startConsoleSystem);
beforeAll(async () => {
  ({ call } = system);
}, 180_000);

const LAYERS = 7;
const ROWS = 4;
const VERTICES = LAYERS * ROWS + 2;

/** An input, seven layers of four prompts, each of which reads two of the layer before, and an output. */
function layeredFlow() {
  const nodes = [node('ChatInput-start', {}, 'message')];
  const edges: string[] = [];
  let before = ['ChatInput-start.message'];
  for (let layer = 1; layer <= LAYERS; layer += 1) {
    const ids = Array.from({ length: ROWS }, (_, row) => `Prompt Template-${layer}x${row}`);
    for (const [row, id] of ids.entries()) {
      nodes.push(node(id, { template: `${layer} {a} {b}`, a: '', b: '' }, 'prompt'));
      const [one, other] = [before[row % before.length], before[(row + 1) % before.length]];
      edges.push(`${one} > ${id}.a`);
      if (other !== one) edges.push(`${other} > ${id}.b`);
    }
    before = ids.map((id) => `${id}.prompt`);
  }
  nodes.push(node('ChatOutput-end', { input_value: '' }, 'message'));
  edges.push(`${before[0]} > ChatOutput-end.input_value`);
  return flowData(nodes, edges);
}

interface Point {
  readonly start: string;
  readonly succeeded: number;
  readonly failed: number;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const boxesOf = (page: Page, selector: string) =>
  page.evaluate<Box[]>(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].map((each) => each.getBoundingClientRect().toJSON())`,
  );

/** The smallest text of vertices in pixels of the screen, as they are zoomed. */
const smallestText = (page: Page) =>
  page.evaluate<number>(
    `Math.min(...[...document.querySelectorAll('.vertex-title, .vertex-foot')].map((each) =>
      parseFloat(getComputedStyle(each).fontSize) * (each.getBoundingClientRect().width / each.offsetWidth)))`,
  );

const isInside = (inner: Box | undefined, outer: Box | undefined) =>
  inner !== undefined &&
  outer !== undefined &&
  inner.left >= outer.left &&
  inner.right <= outer.right &&
  inner.top >= outer.top &&
  inner.bottom <= outer.bottom;

test('a graph of 30 vertices is read at 1440 px, beside a panel and on the whole page; at 360 px it is a list', async () => {
  const { id: flow } = await call<{ id: string }>('POST', '/api/v1/flows/', {
    name: 'Layers',
    endpoint_name: 'layers',
    data: layeredFlow(),
    settings: { records: { sampleRate: 1, values: 'all' } },
  });
  await call('POST', '/api/v1/run/layers', { input_value: 'x' });
  const { runs } = await call<{ runs: { id: string }[] }>('GET', `/api/v1/runs?flow_id=${flow}`);
  const path = `/runs/${runs[0]?.id ?? ''}`;
  const { page, visit, offences, close } = await openConsole(system.browser, system.url, system.key, {
    width: 1440,
    height: 900,
  });
  await visit(path);
  await page.getByLabel('Map of the graph').waitFor();
  await until(async () => (await page.locator('.vertex.good').count()) === VERTICES);
  expect(await smallestText(page)).toBeGreaterThanOrEqual(10);
  const boxes = await boxesOf(page, '.vertex');
  const overlapping = boxes.filter((one, index) =>
    boxes
      .slice(index + 1)
      .some(
        (other) =>
          one.left < other.right &&
          other.left < one.right &&
          one.top < other.bottom &&
          other.top < one.bottom,
      ),
  );
  expect(overlapping).toEqual([]);
  // Seven layers, input and output make nine columns.
  expect(new Set(boxes.map(({ left }) => Math.round(left))).size).toBe(LAYERS + 2);

  // The focus is visible, Enter selects, and the frame moves to the vertex when the panel makes it narrower.
  await page.locator('.react-flow__node').last().focus();
  await page.keyboard.press('Shift+Tab');
  expect(
    await page.evaluate(`getComputedStyle(document.activeElement.querySelector('.vertex')).outlineStyle`),
  ).toBe('solid');
  await page.keyboard.press('Enter');
  await page.getByRole('complementary', { name: 'Vertex Prompt Template' }).waitFor();
  await until(async () => {
    const [[vertex], [frame]] = [await boxesOf(page, '.vertex.chosen'), await boxesOf(page, '.graph-frame')];
    return isInside(vertex, frame);
  });
  await page.getByRole('button', { name: 'Whole page' }).click();
  const dialog = page.getByRole('dialog', { name: 'Graph' });
  await dialog.getByRole('complementary').waitFor();
  await until(async () =>
    isInside(
      (await boxesOf(page, '.graph-page .vertex.chosen'))[0],
      (await boxesOf(page, '.graph-page .graph'))[0],
    ),
  );
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(offences).toEqual([]);

  await page.setViewportSize({ width: 360, height: 740 });
  await visit(path);
  const items = page.locator('.vertex-list > li');
  await until(async () => (await items.count()) === VERTICES);
  expect(await page.locator('.react-flow').count()).toBe(0);
  expect(await smallestText(page)).toBeGreaterThanOrEqual(12);
  const texts = await items.allInnerTexts();
  expect(texts[0]).toMatch(/^ChatInput/);
  expect(texts.at(-1)).toMatch(/^ChatOutput/);
  await items.nth(5).getByRole('button').click();
  await items.nth(5).getByRole('complementary', { name: 'Vertex Prompt Template' }).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  await close();
}, 180_000);

test('a bar of the strip and of a chart opens its runs, and the states have their counts', async () => {
  const { id: flow } = await call<{ id: string }>('POST', '/api/v1/flows/', {
    ...readExample('chat'),
    name: 'Counted',
    endpoint_name: 'counted',
  });
  for (let count = 0; count < 3; count += 1) await call('POST', '/api/v1/run/counted', { input_value: 'x' });
  await call('POST', '/api/v1/run/counted', { input_value: '[[status=400]]' }).catch(() => undefined);
  let points: readonly Point[] = [];
  // The record of a run is stored after its answer.
  await until(async () => {
    const path = `/api/v1/runs/history?hours=24&interval=3600&flow_id=${flow}`;
    ({ points } = await call<{ points: Point[] }>('GET', path));
    return points.reduce((sum, { succeeded, failed }) => sum + succeeded + failed, 0) === 4;
  });
  const last = points.findLast(({ succeeded, failed }) => succeeded + failed > 0);
  const { page, visit, offences, close } = await openConsole(system.browser, system.url, system.key, {
    width: 1440,
    height: 900,
  });
  await visit(`/runs?flow=${flow}`);
  const bar = page.getByRole('toolbar').getByRole('button', { name: `${last?.succeeded} succeeded` });
  await bar.waitFor();
  expect(await page.getByRole('toolbar').getByRole('button').count()).toBe(24);
  await page.getByRole('button', { name: 'succeeded 3' }).waitFor();
  await page.getByRole('button', { name: 'failed 1' }).waitFor();
  // From the last bar to the first one and back, by the keyboard.
  await page.getByRole('toolbar').getByRole('button').last().focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await page.getByText('No run matches').waitFor();
  await page.keyboard.press('Enter');
  await bar.click();
  await until(() => page.url().includes(`from=${encodeURIComponent(last?.start ?? '')}`));
  const rows = page.locator('.runs-body .runs-row');
  await until(async () => (await rows.count()) === (last?.succeeded ?? 0) + (last?.failed ?? 0));
  expect(await accessibilityViolations(page)).toEqual([]);
  const shared = page.url();
  await page.goto(shared);
  await until(async () => (await rows.count()) === (last?.succeeded ?? 0) + (last?.failed ?? 0));

  await visit(`/history?hours=6&flow=${flow}`);
  await page.getByText('3 · 75.0 %').waitFor();
  const chart = page.getByRole('slider', { name: /Runs by how they ended/ });
  await chart.focus();
  await page.keyboard.press('End');
  for (let step = 0; step < 3; step += 1) {
    if (!/ended|Succeeded 0, Failed 0/.test((await chart.getAttribute('aria-valuetext')) ?? '')) break;
    await page.keyboard.press('ArrowLeft');
  }
  expect(await chart.getAttribute('aria-valuetext')).toMatch(/Succeeded [1-3]|Failed 1/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
  expect(page.url()).toContain(`flow=${flow}`);
  await until(async () => (await rows.count()) > 0);

  await page.setViewportSize({ width: 360, height: 740 });
  await visit(`/runs?flow=${flow}`);
  await until(async () => (await page.getByRole('toolbar').getByRole('button').count()) === 12);
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(offences).toEqual([]);
  await close();
}, 180_000);
