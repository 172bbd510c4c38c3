import { openLoop } from '../load/open-loop.mjs';

/** @import { CDPSession } from 'playwright-core' */
/** @import { BenchBrowser } from './open-browser.mjs' */

const MINUTE_MILLISECONDS = 60_000;
const MEGABYTE = 1_048_576;

/**
 * @typedef {object} LivePageOptions
 * @property {BenchBrowser} browser
 * @property {{ readonly url: string, readonly headers: Readonly<Record<string, string>> }} system
 * @property {string} endpoint the flow that runs
 * @property {number} perSecond
 * @property {number} minutes
 */

/**
 * Keeps the live list of runs open while runs end, and reads once a minute what the page holds after a collection of its garbage.
 * The list grows to 1,000 rows and begins again with 100, so that the heap rises and falls with them.
 * @param {LivePageOptions} options
 */
export async function measureLivePage({ browser, system, endpoint, perSecond, minutes }) {
  const page = await browser.openPage();
  try {
    await page.goto(`${system.url}/runs`);
    await page.locator('.runs-body [role="row"]').first().waitFor();
    const protocol = await page.context().newCDPSession(page);
    const load = openLoop({
      url: `${system.url}/api/v1/run/${endpoint}`,
      headers: { ...system.headers, 'content-type': 'application/json' },
      body: { input_value: 'hello' },
      perSecond,
      seconds: minutes * 60,
    });
    const heaps = [];
    for (let minute = 0; minute <= minutes; minute += 1) {
      if (minute > 0) await page.waitForTimeout(MINUTE_MILLISECONDS);
      const { megabytes, nodes, listeners } = await heldBy(protocol);
      const rows = Number(await page.locator('.runs [role="table"]').getAttribute('aria-rowcount')) - 1;
      console.log(
        `    minute ${minute}: ${megabytes.toFixed(2)} MB, ${nodes} nodes, ${listeners} listeners, ${rows} rows`,
      );
      heaps.push(megabytes);
    }
    const { requests, errors } = await load;
    const half = Math.ceil(heaps.length / 2);
    return {
      runs: requests,
      errors,
      firstHalf: meanOf(heaps.slice(0, half)),
      secondHalf: meanOf(heaps.slice(half)),
      largest: Math.max(...heaps),
    };
  } finally {
    await browser.closePage(page);
  }
}

/** @param {CDPSession} protocol */
async function heldBy(protocol) {
  await protocol.send('HeapProfiler.collectGarbage');
  const { usedSize } = await protocol.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners: listeners } = await protocol.send('Memory.getDOMCounters');
  return { megabytes: usedSize / MEGABYTE, nodes, listeners };
}

/** @param {readonly number[]} numbers */
function meanOf(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
