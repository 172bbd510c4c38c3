import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from './console-browser';

const ROOT = join(__dirname, '..', '..');
const DIAGRAM = /^```mermaid\n([\s\S]*?)^```$/gm;
const mermaid = readFileSync(require.resolve('@mermaid-js/tiny'), 'utf8');

const diagrams = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT })
  .toSorted()
  .flatMap((path) =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(DIAGRAM)].map(
      ([, source = ''], index): [string, string] => [`${path}, diagram ${String(index + 1)}`, source],
    ),
  );

let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await startBrowser();
  page = await browser.newPage();
  await page.setContent('<!doctype html><title>Diagrams</title><body></body>');
  await page.addScriptTag({ content: mermaid });
  await page.evaluate(`mermaid.initialize({ startOnLoad: false })`);
});
afterAll(() => browser.close());

/** Renders a diagram; resolves to its size in pixels and its texts. */
function draw(source: string): Promise<{ width: number; height: number; text: string }> {
  return page.evaluate<{ width: number; height: number; text: string }>(
    `mermaid.render('diagram', ${JSON.stringify(source)}).then(({ svg }) => {
      document.body.innerHTML = svg;
      const { width, height } = document.querySelector('svg').getBoundingClientRect();
      return { width, height, text: document.body.textContent };
    })`,
  );
}

test('the documentation has diagrams', () => {
  expect(diagrams.length).toBeGreaterThanOrEqual(5);
});

test.each(diagrams)('%s can be drawn', async (_, source) => {
  const { width, height, text } = await draw(source);
  expect(width).toBeGreaterThan(100);
  expect(height).toBeGreaterThan(50);
  expect(text).not.toContain('Syntax error');
});

test('a diagram with an error is refused', async () => {
  await expect(draw('stateDiagram-v2\n  [*] -->')).rejects.toThrow(/error/i);
});
