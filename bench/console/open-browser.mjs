import { setPriority } from 'node:os';
import { chromium } from 'playwright-core';
import { processTree } from '../costs/process-trees.mjs';
import { requireProgram } from '../../tools/services/find-program.mjs';
import { PROBE } from './page-probe.mjs';

/** @import { Browser, BrowserContext, Page } from 'playwright-core' */

/**
 * @typedef {object} BenchBrowser
 * @property {number} pid
 * @property {(key: string) => Promise<void>} signIn Signs in once; later pages have the session.
 * @property {() => Promise<Page>} openPage Opens a page in a profile of its own: its cache and connections are its own.
 * @property {(page: Page) => Promise<void>} closePage
 * @property {() => Promise<void>} close
 */

/** The lowest priority: a browser beside the servers takes the time that they leave. */
const LOWEST = 19;

/**
 * Starts the Chromium of this machine for the console at `url`.
 * @param {string} url
 * @returns {Promise<BenchBrowser>}
 */
export async function openBrowser(url) {
  const executablePath =
    process.env.CHROMIUM ||
    requireProgram('chromium', 'google-chrome-stable', 'google-chrome', 'chromium-browser');
  const server = await chromium.launchServer({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  const pid = server.process().pid ?? NaN;
  const browser = await chromium.connect(server.wsEndpoint());
  /** @type {Awaited<ReturnType<BrowserContext['storageState']>> | undefined} */
  let session;
  const newPage = async () => {
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      ...(session === undefined ? {} : { storageState: session }),
    });
    await context.addInitScript(PROBE);
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    return page;
  };
  return {
    pid,
    openPage: newPage,
    async signIn(key) {
      const page = await newPage();
      await page.goto(url);
      await page.getByLabel('API key').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
      session = await page.context().storageState();
      await page.context().close();
    },
    closePage: (page) => page.context().close(),
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/**
 * Gives the processes of a browser the lowest priority.
 * @param {number} pid
 */
export function lowerPriority(pid) {
  for (const id of processTree(pid))
    try {
      setPriority(id, LOWEST);
    } catch {
      // It has ended.
    }
}
