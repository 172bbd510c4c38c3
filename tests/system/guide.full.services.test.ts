import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { accessibilityViolations, startBrowser } from './console-browser';
import { startStandalone } from './start-standalone';
import type { Standalone } from './start-standalone';

const ROOT = join(__dirname, '..', '..');
const MAXIMUM_BYTES = 200_000;
const PAGES = [
  '/guide/',
  '/guide/use/first-hour',
  '/guide/use/errors',
  '/guide/use/webhooks',
  '/guide/operate/configuration',
  '/guide/components/language-models',
  '/guide/api/',
  '/guide/api/runs',
  '/guide/api/schemas',
  '/guide/changelog',
];
/** What a reader searches for, and a page that must be among the first results. */
const TERMS = [
  ['idempotency', '/guide/use/clients'],
  ['quarantine', '/guide/operate/broker'],
  ['PgBouncer', '/guide/operate/postgresql'],
  ['key_missing', '/guide/use/errors#key_missing'],
  ['listRuns', '/guide/api/runs'],
  ['webhook signature', '/guide/use/'],
  ['cron', '/guide/use/schedules'],
  ['erase user', '/guide/operate/erasure'],
  ['glossary', '/guide/extend/glossary'],
  ['upgrade roll back', '/guide/operate/upgrades'],
] as const;

interface GuidePage {
  readonly page: Page;
  /** Refusals of the policy, messages of errors, failed requests, and requests to other hosts. */
  readonly offences: string[];
  /** The compressed bytes of all that was loaded. */
  readonly loaded: () => Promise<number>;
  readonly close: () => Promise<void>;
}

let app: Standalone;
let url: string;
let browser: Browser;

beforeAll(async () => {
  app = await startStandalone();
  url = app.url;
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

async function openGuide(path: string, theme: 'light' | 'dark' = 'light', width = 1280): Promise<GuidePage> {
  const context = await browser.newContext({ colorScheme: theme, viewport: { width, height: 900 } });
  await context.addInitScript(
    `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      console.error('Content Security Policy: ' + violatedDirective + ' ' + blockedURI))`,
  );
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const offences: string[] = [];
  const sizes: Promise<number>[] = [];
  page.on('request', (request) => {
    const address = request.url();
    if (!address.startsWith(`${url}/`) && !address.startsWith('data:')) offences.push(`requests ${address}`);
  });
  page.on('requestfinished', (request) => {
    const size = request.sizes().then(({ responseBodySize }) => responseBodySize);
    // A request can end while its page is closed; only `loaded` needs the size.
    size.catch(() => undefined);
    sizes.push(size);
  });
  page.on('requestfailed', (request) => offences.push(`failed: ${request.url()}`));
  page.on('response', (response) => {
    if (response.status() >= 400) offences.push(`${String(response.status())} ${response.url()}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') offences.push(message.text());
  });
  page.on('pageerror', (error) => offences.push(error.message));
  await page.goto(url + path, { waitUntil: 'networkidle' });
  return {
    page,
    offences,
    loaded: async () => (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0),
    close: () => context.close(),
  };
}

test.each(PAGES)('%s loads at most 200 kB of its own server, without an offence', async (path) => {
  const { page, offences, loaded, close } = await openGuide(path);
  expect(await page.locator('h1').count()).toBe(1);
  expect(await loaded()).toBeLessThanOrEqual(MAXIMUM_BYTES);
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(offences).toEqual([]);
  await close();
});

test.each(PAGES)('%s can be read with a dark theme on a phone', async (path) => {
  const { page, offences, close } = await openGuide(path, 'dark', 360);
  expect(await page.locator('html').getAttribute('class')).toContain('dark');
  const overflow = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(overflow).toBe(0);
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(offences).toEqual([]);
  await close();
});

test('the search finds pages by their terms, and a link leads to another page without an offence', async () => {
  const { page, offences, close } = await openGuide('/guide/');
  for (const [term, expected] of TERMS) {
    await page.keyboard.press('Control+k');
    await page.locator('#localsearch-input').fill(term);
    const results = page.locator(`.VPLocalSearchBox .results a[href^="${expected}"]`);
    await results.first().waitFor();
    await page.keyboard.press('Escape');
  }
  await page.keyboard.press('Control+k');
  await page.locator('#localsearch-input').fill('key_missing');
  await page.locator('.VPLocalSearchBox .results a').first().click();
  await page.waitForURL('**/guide/use/errors#key_missing');
  await page.locator('#key_missing').waitFor();
  await page.locator('.VPSwitchAppearance').first().click();
  expect(await page.locator('html').getAttribute('class')).toContain('dark');
  expect(offences).toEqual([]);
  await close();
});

test('diagrams are drawn', async () => {
  const { page, close } = await openGuide('/guide/use/runs');
  const widths = await page
    .locator('.diagram img')
    .evaluateAll((images) => images.map((image) => Reflect.get(image, 'naturalWidth') as number));
  expect(widths.length).toBeGreaterThanOrEqual(2);
  for (const width of widths) expect(width).toBeGreaterThan(100);
  await close();
});

test('each error code has an address', async () => {
  const document = readFileSync(join(ROOT, 'docs', 'use', 'errors.md'), 'utf8');
  const codes = [...document.matchAll(/^\| `(\w+)` /gm)].map(([, code = '']) => code);
  expect(codes.length).toBeGreaterThan(60);
  const page = await (await fetch(`${url}/guide/use/errors`)).text();
  expect(codes.filter((code) => !page.includes(`<tr id="${code}"`))).toEqual([]);
});
