import { closedLoop } from '../load/closed-loop.mjs';
import { median, medianRound, quantile } from '../rounds.mjs';
import { startRun } from './live-run.mjs';
import { lowerPriority } from './open-browser.mjs';
import { servicesTimes } from './services-times.mjs';
import { repeatRequests, TabRequests } from './tab-requests.mjs';

/** @import { Page } from 'playwright-core' */
/** @import { BenchSystem } from '../bench-environment.mjs' */
/** @import { Figures } from '../scenario.ts' */
/** @import { BenchBrowser } from './open-browser.mjs' */
/** @import { TabRequest } from './tab-requests.mjs' */

/** @typedef {'closed' | 'browser' | 'repeated'} TabState */

const CONNECTIONS = 64;
const WARM_UP_SECONDS = 8;
const SETTLE_MILLISECONDS = 3_000;
/** The run that goes on in one of the tabs and, so that the sides have the same work, without tabs too. */
const TOKENS_PER_SECOND = 20;

/**
 * @typedef {object} OpenTabsOptions
 * @property {BenchSystem} system
 * @property {BenchBrowser} browser
 * @property {{ readonly id: string, readonly endpoint: string }} echo
 * @property {string} chatId
 * @property {string} webhookId
 * @property {number} rounds
 * @property {number} seconds
 */

/**
 * Records what ten visible tabs of a browser request during the load of B2, then measures that load in pairs: without tabs, and with
 * these requests. The two of a pair follow each other, so that other work on the machine affects both.
 * @param {OpenTabsOptions} options
 */
export async function measureOpenTabs({ system, browser, echo, chatId, webhookId, rounds, seconds }) {
  const load = {
    url: `${system.url}/api/v1/run/${echo.endpoint}`,
    headers: system.headers,
    body: { input_value: 'hello', session_id: 'bench' },
    expected: '"text":"hello"',
    connections: CONNECTIONS,
  };
  const recorder = new TabRequests();
  const paths = livePaths(webhookId);
  /** @type {Page[]} */
  const pages = [];
  for (let count = 0; count <= paths.length; count += 1) pages.push(await browser.openPage());
  lowerPriority(browser.pid);
  /** @type {readonly TabRequest[]} */
  let requests = [];
  /** @param {TabState} state */
  const measure = async (state) => {
    const input = `pace=${TOKENS_PER_SECOND} tokens=${TOKENS_PER_SECOND * seconds * 2} delay=0`;
    const runId = await startRun(system, chatId, input);
    const repeating = new AbortController();
    /** @type {Promise<number>} */
    let repeated = Promise.resolve(0);
    if (state === 'browser') {
      recorder.watch(pages);
      await Promise.all(
        pages.map((page, index) => open(page, system.url + (paths[index] ?? `/runs/${runId}`))),
      );
    }
    if (state === 'browser') {
      await pages[0].waitForTimeout(SETTLE_MILLISECONDS);
      recorder.start();
    }
    // The run of the recording has ended: the one of this round is followed in its place.
    if (state === 'repeated') repeated = repeatRequests(ofRun(requests, runId), repeating.signal);
    const before = await servicesTimes(system, { browser: browser.pid });
    const figures = await closedLoop({ ...load, seconds });
    const after = await servicesTimes(system, { browser: browser.pid });
    if (state === 'browser') requests = await recorder.stop(pages);
    repeating.abort();
    const refused = await repeated;
    if (state === 'browser') for (const page of pages) await page.goto('about:blank');
    const costs = costsOf({ before, after, requests: figures.requests, seconds });
    return { ...figures, ...costs, errors: figures.errors + refused };
  };
  await closedLoop({ ...load, seconds: WARM_UP_SECONDS });
  const besideBrowser = await measure('browser');
  console.log(`    browser  ${line(besideBrowser)}`);
  /** @type {Pair[]} */
  const pairs = [];
  for (let round = 0; round < rounds; round += 1) {
    const isClosedFirst = round % 2 === 0;
    const first = await measure(isClosedFirst ? 'closed' : 'repeated');
    const second = await measure(isClosedFirst ? 'repeated' : 'closed');
    const [closed, repeated] = isClosedFirst ? [first, second] : [second, first];
    pairs.push({ closed, repeated });
    console.log(`    closed   ${line(closed)}\n    repeated ${line(repeated)}`);
  }
  for (const page of pages) await browser.closePage(page);
  recorder.print(seconds);
  const [closed, repeated] = [pairs.map((pair) => pair.closed), pairs.map((pair) => pair.repeated)];
  return {
    tabs: pages.length,
    cost: ratioOf(pairs, 'cpuMicroseconds'),
    throughput: ratioOf(pairs, 'perSecond'),
    besideBrowser: besideBrowser.perSecond / median(closed.map(({ perSecond }) => Number(perSecond))),
    closed: medianRound(closed),
    repeated: medianRound(repeated),
  };
}

/**
 * @typedef {{ readonly closed: Figures, readonly repeated: Figures }} Pair
 * @typedef {Readonly<Record<string, number>>} Times CPU time by process, in microseconds
 */

/**
 * Returns the median and the quartiles of a figure with the requests of the tabs, divided by that without tabs.
 * @param {readonly Pair[]} pairs
 * @param {string} name
 */
function ratioOf(pairs, name) {
  const ratios = pairs.map((pair) => Number(pair.repeated[name]) / Number(pair.closed[name]));
  const sorted = ratios.sort((left, right) => left - right);
  return { median: median(sorted), p25: quantile(sorted, 0.25), p75: quantile(sorted, 0.75) };
}

/**
 * Returns the CPU time of each part for one request, in microseconds, and the cores that the browser used.
 * @param {{ readonly before: Times, readonly after: Times, readonly requests: number, readonly seconds: number }} measured
 */
function costsOf({ before, after, requests, seconds }) {
  const used = (/** @type {string} */ name) => Math.max(0, (after[name] ?? 0) - (before[name] ?? 0));
  const sum = (/** @type {(name: string) => boolean} */ isWanted) =>
    Object.keys(after)
      .filter(isWanted)
      .reduce((total, name) => total + used(name), 0) / requests;
  return {
    cpuMicroseconds: sum((name) => name !== 'browser'),
    gatewayMicroseconds: sum((name) => name === 'gateway'),
    executorMicroseconds: sum((name) => name.startsWith('executor')),
    databaseMicroseconds: sum((name) => name.startsWith('backend')),
    browserCores: used('browser') / 1e6 / seconds,
  };
}

/**
 * @param {readonly TabRequest[]} requests
 * @param {string} runId
 */
function ofRun(requests, runId) {
  const id = /\/(runs|workflows)\/[\da-f]{8}-[\da-f-]{27}/;
  return requests.map((request) => ({ ...request, url: request.url.replace(id, `/$1/${runId}`) }));
}

/**
 * Nine pages that change by themselves; the tenth is the page of a run.
 * @param {string} flowId
 */
function livePaths(flowId) {
  return [
    '/runs',
    '/runs?status=failed&all=1',
    '/flows',
    `/flows/${flowId}?tab=webhook`,
    '/dead-letters',
    '/callbacks',
    '/history',
    '/system/workers',
    '/system/health',
  ];
}

/**
 * @param {Page} page
 * @param {string} address
 */
async function open(page, address) {
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
}

/** @param {Figures} figures */
function line(figures) {
  const shown = ['perSecond', 'p50', 'p99', 'cpuMicroseconds', 'gatewayMicroseconds', 'executorMicroseconds'];
  return [...shown, 'databaseMicroseconds', 'browserCores', 'errors']
    .map((name) => `${name} ${Number(Number(figures[name]).toPrecision(4))}`)
    .join('  ');
}
