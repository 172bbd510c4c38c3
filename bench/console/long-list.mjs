import { longTasksOf, recorded, spreadOf, timeOf, watchFrames } from './page-probe.mjs';

/** @import { Page } from 'playwright-core' */
/** @import { BenchBrowser } from './open-browser.mjs' */

const WHEEL_PIXELS = 240;
const WHEEL_MILLISECONDS = 16;
const MAXIMUM_STEPS = 3_000;

/**
 * Scrolls the list of runs by the wheel: to its end, which loads all pages, then again from its beginning.
 * @param {{ readonly browser: BenchBrowser, readonly url: string, readonly runs: number }} options
 */
export async function measureLongList({ browser, url, runs }) {
  const page = await browser.openPage();
  try {
    await page.goto(`${url}/runs`);
    await page.locator('.runs-body [role="row"]').first().waitFor();
    await watchFrames(page);
    await page.locator('.runs').hover();
    const loading = await scrollThrough(page, runs);
    await page.evaluate(`document.querySelector('.runs').scrollTo(0, 0)`);
    return { loading, loaded: await scrollThrough(page, runs) };
  } finally {
    await browser.closePage(page);
  }
}

/**
 * @param {Page} page
 * @param {number} runs
 */
async function scrollThrough(page, runs) {
  const from = await timeOf(page);
  for (let steps = 0; !(await isAtEnd(page, runs)); steps += 1) {
    if (steps > MAXIMUM_STEPS) throw new Error('the end of the list was not reached');
    await page.mouse.wheel(0, WHEEL_PIXELS);
    await page.waitForTimeout(WHEEL_MILLISECONDS);
  }
  const span = { from, to: await timeOf(page) };
  const record = await recorded(page);
  return {
    seconds: (span.to - from) / 1_000,
    ...longTasksOf(record, span),
    frames: spreadOf(record.frames, span),
  };
}

/**
 * @param {Page} page
 * @param {number} runs
 * @returns {Promise<boolean>}
 */
function isAtEnd(page, runs) {
  return page.evaluate(`(() => {
    const list = document.querySelector('.runs');
    const rows = Number(list.querySelector('[role="table"]').getAttribute('aria-rowcount')) - 1;
    return rows >= ${runs} && list.scrollTop + list.clientHeight >= list.scrollHeight - 4;
  })()`);
}
