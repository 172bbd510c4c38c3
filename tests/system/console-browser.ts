import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';

/** A page of the console in a browser of its own, and what it must not do. */
export interface ConsolePage {
  readonly page: Page;
  /** Refusals of the Content-Security-Policy, uncaught errors, and dialogs that a page opened. */
  readonly offences: readonly string[];
  /** Opens a page of the console; waits for its heading. */
  visit(path: string): Promise<void>;
  close(): Promise<void>;
}

export interface ConsoleView {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
}

/** Starts the Chromium that `npm test` found. */
export function startBrowser(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM'];
  if (!executablePath) throw new Error('CHROMIUM is not set: npm test finds or installs it');
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}

/** Opens the console; with a key it is signed in. */
export async function openConsole(
  browser: Browser,
  url: string,
  key: string | undefined,
  { theme = 'light', width = 1280, height = 800 }: ConsoleView = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({ colorScheme: theme, viewport: { width, height } });
  // Each refusal of the policy is reported, also where the browser prints none.
  await context.addInitScript(
    `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      console.error('Content Security Policy: ' + violatedDirective + ' ' + blockedURI))`,
  );
  const page = await context.newPage();
  // A deadline for a hang: a busy machine is slow.
  page.setDefaultTimeout(300_000);
  const offences: string[] = [];
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) offences.push(message.text());
  });
  page.on('pageerror', (error) => offences.push(error.message));
  page.on('dialog', (dialog) => {
    offences.push(`a dialog says ${dialog.message()}`);
    void dialog.dismiss();
  });
  const visit = async (path: string) => {
    await page.goto(url + path);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
  };
  await visit('/');
  if (key !== undefined) {
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
  }
  return { page, offences, visit, close: () => context.close() };
}

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Returns what axe finds on the page: the rule and the elements. */
export async function accessibilityViolations(page: Page): Promise<readonly string[]> {
  // Evaluated by the debugger, which the policy of the page does not bind.
  await page.evaluate(`${axe}; undefined`);
  return page.evaluate<string[]>(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)}, resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' | ')))`,
  );
}
