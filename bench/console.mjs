// `node tools/node/run.cjs bench/console.mjs`: what the web console costs a browser and the servers, measured by a Chromium against a scaled system.
import '../tools/workspace/require-node-version.mjs';
import '../tools/workspace/print-uncaught-errors.mjs';
import { choicesText } from '../libs/service/src/text/choice-text.cjs';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { wholeNumber } from '../libs/service/src/text/number-text.cjs';
import { prepareWorkspace } from '../tools/workspace/prepare-workspace.mjs';
import { servicesOption } from '../tools/services/acquire-services.mjs';

const PARTS = /** @type {const} */ ([
  'first-load',
  'long-list',
  'live-run',
  'open-tabs',
  'live-page',
  'records',
]);
const { values: flags } = readCommandLine({
  usage: `node tools/node/run.cjs bench/console.mjs [options]
  --parts <names>    some of first-load, long-list, live-run, open-tabs, live-page, records (comma separated)
  --rounds <n>       how often first loads and records are measured; 5
  --pairs <n>        how often the load is measured without and with open tabs; 12
  --seconds <n>      how long a run streams, and the load of open tabs and records takes; 12
  --minutes <n>      how long a live page stays open; 15
  --events <n>       events a second of the run that streams; 1000
  --services <ways>  where to get the servers: env, local, private, compose, apt (comma separated)
  --built            skips the build
  --help`,
  options: {
    parts: { type: 'string', parse: choicesText(PARTS) },
    rounds: { type: 'string', default: '5', parse: wholeNumber({ minimum: 1 }) },
    seconds: { type: 'string', default: '12', parse: wholeNumber({ minimum: 1 }) },
    pairs: { type: 'string', default: '12', parse: wholeNumber({ minimum: 1 }) },
    minutes: { type: 'string', default: '15', parse: wholeNumber({ minimum: 1 }) },
    events: { type: 'string', default: '1000', parse: wholeNumber({ minimum: 1 }) },
    services: servicesOption,
    built: { type: 'boolean' },
  },
});

const RUNS = 1_000;
const CALLERS = 16;
const MAXIMUM_FIRST_LOAD_BYTES = 250_000;
const MAXIMUM_COST = 1.03;
const LIVE_RUNS_PER_SECOND = 10;
const MAXIMUM_GROWTH_MEGABYTES = 1;

prepareWorkspace({ build: !flags.built });
// Imported only now, because a fresh checkout had no packages.
const { BenchEnvironment } = await import('./bench-environment.mjs');
const { environment } = await import('./environment.mjs');
const { exampleFlow, upload } = await import('./flows.mjs');
const { atLeast, atMost } = await import('./goals.mjs');
const { closedLoop } = await import('./load/closed-loop.mjs');
const { openBrowser } = await import('./console/open-browser.mjs');
const { measureFirstLoad } = await import('./console/first-load.mjs');
const { measureLongList } = await import('./console/long-list.mjs');
const { measureLiveRun } = await import('./console/live-run.mjs');
const { measureOpenTabs } = await import('./console/open-tabs.mjs');
const { measureVertexRecords } = await import('./console/vertex-records.mjs');
const { measureLivePage } = await import('./console/live-page.mjs');

const { rounds, seconds } = flags;
const parts = new Set(flags.parts ?? PARTS);
const { revision, processor, processors, loadBefore } = environment();
console.log(`${revision.slice(0, 8)}, ${processors} × ${processor}, load ${loadBefore.toFixed(1)}`);
const benchEnvironment = new BenchEnvironment({ services: flags.services, seconds });
try {
  const model = await benchEnvironment.startBare('paced-model.cjs', { needsServers: false });
  const system = await benchEnvironment.startSystem({
    environment: { OPENAI_BASE_URL: `${model.url}/v1`, OPENAI_API_KEY: 'sk-bench' },
  });
  const echo = await upload(system, exampleFlow('echo', 'bench-echo'));
  const orders = await upload(system, exampleFlow('order-webhook', 'bench-orders'));
  const chat = await upload(system, exampleFlow('chat', 'bench-chat'));
  await closedLoop({
    url: `${system.url}/api/v1/run/${echo.endpoint}`,
    headers: system.headers,
    body: { input_value: 'hello' },
    connections: CALLERS,
    amount: RUNS,
  });
  const browser = await openBrowser(system.url);
  benchEnvironment.onScenarioEnd(() => browser.close());
  await browser.signIn(system.key);
  const { url } = system;
  if (parts.has('first-load')) {
    console.log('\nfirst load of /runs with an empty cache');
    const load = await measureFirstLoad({ browser, url, rounds });
    print(load, [atMost('bytes of the first load, gzipped', load.gzipped, MAXIMUM_FIRST_LOAD_BYTES)]);
  }
  if (parts.has('long-list')) {
    console.log(`\nscrolling a list of ${RUNS} runs`);
    const { loading, loaded } = await measureLongList({ browser, url, runs: RUNS });
    print({ 'while it loads': loading, 'once loaded': loaded }, [
      atMost('frames over 50 ms, once loaded', loaded.frames.over50, 0),
    ]);
  }
  if (parts.has('live-run')) {
    console.log(`\nthe page of a run that streams ${flags.events} events a second, with a key every 100 ms`);
    const live = await measureLiveRun({
      browser,
      system,
      flowId: chat.id,
      modelUrl: model.url,
      perSecond: flags.events,
      seconds,
    });
    print(live, [atMost('p99 of the delay of a key in ms', live.keys.p99, 100)]);
  }
  if (parts.has('open-tabs')) {
    console.log('\nB2 (64 callers) without tabs, and with what ten visible tabs request');
    const tabs = await measureOpenTabs({
      system,
      browser,
      echo,
      chatId: chat.id,
      webhookId: orders.id,
      rounds: flags.pairs,
      seconds,
    });
    const { cost, throughput } = tabs;
    print(tabs, [
      atMost('CPU time of a run with the requests of ten tabs', cost.median, MAXIMUM_COST),
      atLeast('throughput with them', throughput.median, 2 - MAXIMUM_COST),
    ]);
  }
  if (parts.has('live-page')) {
    console.log(
      `\nthe list of runs, open for ${flags.minutes} minutes with ${LIVE_RUNS_PER_SECOND} runs a second`,
    );
    const live = await measureLivePage({
      browser,
      system,
      endpoint: echo.endpoint,
      perSecond: LIVE_RUNS_PER_SECOND,
      minutes: flags.minutes,
    });
    const growth = live.secondHalf - live.firstHalf;
    print(live, [atMost('MB of the second half above the first', growth, MAXIMUM_GROWTH_MEGABYTES)]);
  }
  if (parts.has('records')) {
    console.log(
      '\nCPU time of a run in µs: without records of its vertices, by default, and with them for every run',
    );
    print(await measureVertexRecords({ system, rounds, seconds }), []);
  }
} finally {
  await benchEnvironment.close();
}

/**
 * @param {Readonly<Record<string, unknown>>} figures
 * @param {readonly import('./scenario.ts').Goal[]} goals
 */
function print(figures, goals) {
  for (const [name, value] of Object.entries(figures)) console.log(`  ${name}: ${shown(value)}`);
  for (const { what, value, bound, holds } of goals)
    console.log(`  ${holds ? 'held  ' : 'MISSED'} ${what}: ${shown(value)} (${bound})`);
}

/**
 * @param {unknown} value
 * @returns {string}
 */
function shown(value) {
  if (typeof value === 'number') return String(Number(value.toPrecision(4)));
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, member]) => `${name} ${shown(member)}`)
    .join(', ');
}
