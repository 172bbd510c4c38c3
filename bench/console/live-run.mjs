import { setTimeout as pause } from 'node:timers/promises';
import { longTasksOf, recorded, spreadOf, timeOf, watchFrames } from './page-probe.mjs';

/** @import { Page } from 'playwright-core' */
/** @import { BenchBrowser } from './open-browser.mjs' */

const BEFORE_FIRST_TOKEN_MILLISECONDS = 5_000;
const KEY_MILLISECONDS = 100;
/** How long the page may need after the last token. */
const SHOWN_WITHIN_MILLISECONDS = 60_000;
const LOOK_MILLISECONDS = 50;
const MILLISECONDS = 1_000;

/**
 * @typedef {object} LiveRunOptions
 * @property {BenchBrowser} browser
 * @property {{ readonly url: string, readonly headers: Readonly<Record<string, string>> }} system
 * @property {string} flowId a flow that calls the paced model
 * @property {string} modelUrl
 * @property {number} perSecond
 * @property {number} seconds
 */

/**
 * Opens the page of a run whose model sends `perSecond` tokens a second; every token is an event of the real API. Meanwhile a key
 * is pressed every 100 ms. Resolves to what the page did between the first and the last token.
 * @param {LiveRunOptions} options
 */
export async function measureLiveRun({ browser, system, flowId, modelUrl, perSecond, seconds }) {
  const tokens = perSecond * seconds;
  const input = `pace=${perSecond} tokens=${tokens} delay=${BEFORE_FIRST_TOKEN_MILLISECONDS}`;
  const runId = await startRun(system, flowId, input);
  const page = await browser.openPage();
  try {
    await page.goto(`${system.url}/runs/${runId}`);
    await page.locator('.vertex').first().waitFor();
    await watchFrames(page);
    await page.locator('.messages li', { hasText: 'the run of' }).waitFor();
    const from = await timeOf(page);
    const mainThread = await watchMainThread(page);
    const before = await mainThread();
    const model = await pressUntil(page, () => lastAnswer(modelUrl));
    const to = await timeOf(page);
    const after = await mainThread();
    const shownAt = await whenShown(page);
    const span = { from, to };
    const record = await recorded(page);
    const share = (/** @type {string} */ name) => (after[name] - before[name]) / ((to - from) / MILLISECONDS);
    return {
      seconds: (to - from) / MILLISECONDS,
      sentPerSecond: (tokens * MILLISECONDS) / (model.endedAt - model.startedAt),
      ...(await countEvents(system, runId)),
      ...longTasksOf(record, span),
      keys: spreadOf(record.keys, span),
      painted: spreadOf(record.painted, span),
      frames: spreadOf(record.frames, span),
      shownAfterLastToken: shownAt - model.endedAt,
      busy: share('TaskDuration'),
      script: share('ScriptDuration'),
      layout: share('LayoutDuration') + share('RecalcStyleDuration'),
    };
  } finally {
    await browser.closePage(page);
  }
}

/**
 * Starts a background run of a flow; resolves to its id.
 * @param {LiveRunOptions['system']} system
 * @param {string} flowId
 * @param {string} input
 */
export async function startRun({ url, headers }, flowId, input) {
  const answer = await fetch(`${url}/api/v2/workflows`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ flow_id: flowId, mode: 'background', input_value: input }),
  });
  if (!answer.ok) throw new Error(`a run was answered with ${answer.status}: ${await answer.text()}`);
  const { job_id: id } = /** @type {{ job_id: string }} */ (await answer.json());
  return id;
}

/**
 * Presses a key every 100 ms until `ended` resolves to an answer of the model.
 * @param {Page} page
 * @param {() => Promise<{ startedAt: number, endedAt: number } | null>} ended
 */
async function pressUntil(page, ended) {
  let due = performance.now();
  for (;;) {
    await page.keyboard.press('ArrowRight');
    const model = await ended();
    if (model !== null) return model;
    due += KEY_MILLISECONDS;
    await pause(Math.max(0, due - performance.now()));
  }
}

/**
 * Resolves to the times of the model's last answer once it has ended; null before.
 * @param {string} modelUrl
 * @returns {Promise<{ startedAt: number, endedAt: number } | null>}
 */
async function lastAnswer(modelUrl) {
  const last = /** @type {{ startedAt: number, endedAt: number | null } | null} */ (
    await (await fetch(modelUrl)).json()
  );
  return last === null || last.endedAt === null ? null : { ...last, endedAt: last.endedAt };
}

/**
 * Resolves to the time at which the page showed the last token.
 * @param {Page} page
 */
async function whenShown(page) {
  const end = Date.now() + SHOWN_WITHIN_MILLISECONDS;
  while (Date.now() < end) {
    /** @type {boolean} */
    const isShown = await page.evaluate(
      `document.querySelector('[role="tabpanel"]')?.textContent.includes(' END') ?? false`,
    );
    if (isShown) return Date.now();
    await pause(LOOK_MILLISECONDS);
  }
  throw new Error('the page did not show the last token');
}

/**
 * Resolves to a function that reads how many seconds the main thread has worked since, by kind of work.
 * @param {Page} page
 */
async function watchMainThread(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  };
}

/**
 * Reads the events of the ended run again, as the page received them.
 * @param {LiveRunOptions['system']} system
 * @param {string} runId
 */
async function countEvents({ url, headers }, runId) {
  const answer = await fetch(`${url}/api/v2/workflows/${runId}/events`, {
    headers,
    signal: AbortSignal.timeout(SHOWN_WITHIN_MILLISECONDS),
  });
  const text = await answer.text();
  return { events: text.split('\ndata: ').length - 1, eventBytes: text.length };
}
