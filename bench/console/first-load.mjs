import { get } from 'node:http';
import { median } from '../rounds.mjs';
import { longTasksOf, recorded } from './page-probe.mjs';

/** @import { BenchBrowser } from './open-browser.mjs' */

/** A page without a long task for this long has become interactive. */
const QUIET_MILLISECONDS = 1_000;

/**
 * What the first page needs: its files, compressed by gzip and as sent to a browser, and when it is interactive, with an empty
 * cache and a session. Each round has a profile of its own.
 * @param {{ readonly browser: BenchBrowser, readonly url: string, readonly rounds: number }} options
 */
export async function measureFirstLoad({ browser, url, rounds }) {
  /** @type {Record<string, number>[]} */
  const loads = [];
  /** @type {ReadonlySet<string>} */
  let files = new Set();
  for (let round = 0; round < rounds; round += 1) {
    const load = await loadPage(browser, url);
    files = load.files;
    loads.push(load.figures);
    console.log(`    ${line(load.figures)}`);
  }
  const gzipped = await Promise.all([...files].map(gzippedBytes));
  const figures = Object.fromEntries(
    Object.keys(loads[0]).map((name) => [name, median(loads.map((load) => load[name]))]),
  );
  return { files: files.size, gzipped: gzipped.reduce((sum, bytes) => sum + bytes, 0), ...figures };
}

/**
 * @param {BenchBrowser} browser
 * @param {string} url
 */
async function loadPage(browser, url) {
  const page = await browser.openPage();
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  /** @type {Map<string, string>} */
  const requested = new Map();
  /** @type {Set<string>} */
  const files = new Set();
  let bytes = 0;
  network.on('Network.requestWillBeSent', ({ requestId, request }) => requested.set(requestId, request.url));
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const address = requested.get(requestId) ?? '';
    if (!isFile(address)) return;
    files.add(address);
    bytes += encodedDataLength;
  });
  try {
    await page.goto(`${url}/runs`);
    await page.locator('.runs-body [role="row"]').first().waitFor();
    await page.waitForTimeout(QUIET_MILLISECONDS);
    const record = await recorded(page);
    /** @type {number} */
    const firstPaint = await page.evaluate(
      `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0`,
    );
    const firstRow = record.firstRow ?? NaN;
    const lastLongTask = Math.max(0, ...record.longTasks.map(([at, duration]) => at + duration));
    return {
      files,
      figures: {
        sentBytes: bytes,
        firstPaint,
        firstRow,
        interactive: Math.max(firstRow, lastLongTask),
        ...longTasksOf(record, { from: 0, to: Infinity }),
      },
    };
  } finally {
    await browser.closePage(page);
  }
}

/** @param {string} address */
function isFile(address) {
  return address.startsWith('http') && !/\/(api|readyz)\b/.test(new URL(address).pathname);
}

/**
 * @param {string} address
 * @returns {Promise<number>}
 */
function gzippedBytes(address) {
  return new Promise((resolve, reject) => {
    get(address, { headers: { 'accept-encoding': 'gzip' }, timeout: 10_000 }, (response) => {
      let bytes = 0;
      response.on('data', (chunk) => (bytes += chunk.length)).once('end', () => resolve(bytes));
    }).once('error', reject);
  });
}

/** @param {Readonly<Record<string, number>>} figures */
function line(figures) {
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${Math.round(value)}`)
    .join('  ');
}
