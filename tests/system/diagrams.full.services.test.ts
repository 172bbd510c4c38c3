import { createHash } from 'node:crypto';
import { globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from './console-browser';

const ROOT = join(__dirname, '..', '..');
/** The drawn diagrams, which the guide shows. */
const DRAWN = join(ROOT, 'tools', 'site', 'diagrams');
/** Arial has the widths of what Debian shows for it. A style of the text itself, since an image has no page around it. */
const SETTINGS = {
  startOnLoad: false,
  htmlLabels: false,
  flowchart: { htmlLabels: false },
  fontFamily: 'Arial, Helvetica, sans-serif',
};
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
  await page.evaluate(`mermaid.initialize(${JSON.stringify(SETTINGS)})`);
});
afterAll(() => browser.close());

interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly text: string;
  /** As an image that needs no other file. */
  readonly svg: string;
}

/** Renders a diagram; resolves to its size in pixels, its texts and the image. */
function draw(source: string): Promise<Drawing> {
  return page.evaluate<Drawing>(
    `mermaid.render('diagram', ${JSON.stringify(source)}).then(({ svg }) => {
      document.body.innerHTML = svg;
      const drawn = document.querySelector('svg');
      const { width, height } = drawn.getBoundingClientRect();
      const size = drawn.viewBox.baseVal;
      drawn.setAttribute('width', Math.ceil(size.width));
      drawn.setAttribute('height', Math.ceil(size.height));
      const text = document.body.textContent;
      return { width, height, text, svg: new XMLSerializer().serializeToString(drawn) };
    })`,
  );
}

/** As the guide names the file: a change of the source is another name. */
function drawnFile(source: string): string {
  return `${createHash('sha256').update(source.trim()).digest('hex').slice(0, 16)}.svg`;
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

test('the guide has an image of each diagram, and no other', async () => {
  const names = diagrams.map(([, source]) => drawnFile(source)).toSorted();
  if (process.env['MILLRACE_UPDATE_DOCS'] === '1') {
    for (const name of readdirSync(DRAWN)) rmSync(join(DRAWN, name));
    for (const [, source] of diagrams)
      writeFileSync(join(DRAWN, drawnFile(source)), `${(await draw(source)).svg}\n`);
  }
  expect(readdirSync(DRAWN).toSorted()).toEqual(names);
});
