import { setTimeout as pause } from 'node:timers/promises';
import { loadWorkspaceCode } from '../../tools/build/load-workspace-code.mjs';
import { exampleFlow, upload } from '../flows.mjs';
import { atMost } from '../goals.mjs';
import { closedLoop } from '../load/closed-loop.mjs';

/** @import { Figures, LoadSize, Medians, Scenario, Side } from '../scenario.ts' */
/** @import { BenchEnvironment } from '../bench-environment.mjs' */

/** The share of CPU time that the defaults may add to a run. */
const MAXIMUM_SHARE = 1.05;

/** A connection reports its transactions after a second without work. */
const STATISTICS_MILLISECONDS = 1_200;
/** Of this database; a statement outside of a transaction is one. */
const TRANSACTIONS = `SELECT xact_commit::int AS count FROM pg_stat_database WHERE datname = current_database()`;

/** A run that succeeds has no other line. */
const off = { MILLRACE_ACCESS_LOG: 'off', MILLRACE_VERTEX_RECORDS: 'false' };

/** @param {string} collector */
const full = (collector) => ({
  LOG_LEVEL: 'debug',
  MILLRACE_VERTEX_RECORD_SAMPLE_RATE: '1',
  MILLRACE_VERTEX_RECORD_VALUES: 'all',
  OTEL_EXPORTER_OTLP_ENDPOINT: collector,
  OTEL_METRICS_EXPORTER: 'otlp',
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
});

const common = {
  limit: 'logs, traces and vertex records off',
  goal: 'the defaults add at most 5 % to the CPU time of a run',
  of: 'the CPU time of a run with all of them off',
  conclude,
};

/** @type {readonly Scenario[]} */
export const observability = [
  {
    ...common,
    id: 'B22',
    title:
      'Chat Input → Chat Output with logs, traces and vertex records off, as by default, and full, 1 connection',
    open: (benchEnvironment) => open(benchEnvironment, { connections: 1, counts: true }),
  },
  {
    ...common,
    id: 'B23',
    title: 'the same, 64 connections',
    open: (benchEnvironment) => open(benchEnvironment, { connections: 64 }),
  },
  {
    ...common,
    id: 'B24',
    title: 'the same with a prompt and a model without latency, 64 connections',
    open: (benchEnvironment) => open(benchEnvironment, { connections: 64, usesModel: true }),
  },
];

/**
 * @param {BenchEnvironment} benchEnvironment
 * @param {{ connections: number, usesModel?: boolean, counts?: boolean }} load
 * @returns {Promise<Record<string, Side>>}
 */
async function open(benchEnvironment, { connections, usesModel = false, counts = false }) {
  const collector = await benchEnvironment.startBare('otlp-sink.cjs', { needsServers: false });
  const model = usesModel ? await benchEnvironment.startModel() : undefined;
  /** @type {Record<string, string>} */
  const toModel = model === undefined ? {} : { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-bench' };
  const tools = counts ? await countingTools() : null;
  const collectedBytes = async () => Number(await (await fetch(collector.url)).text());
  /** @type {Record<string, Side>} */
  const sides = {};
  // The second system without shows how much two equal systems differ in the same measurement.
  const environments = { off, default: {}, again: off, full: full(collector.url) };
  for (const [name, environment] of Object.entries(environments)) {
    let printedBytes = 0;
    const counter = tools === null ? null : new WireCounter(benchEnvironment, tools);
    const system = await benchEnvironment.startSystem({
      environment: { ...toModel, ...environment },
      print: (line) => void (printedBytes += line.length),
      ...(counter === null ? {} : { route: (urls) => counter.route(urls) }),
    });
    const { endpoint } = await upload(system, exampleFlow(usesModel ? 'chat' : 'echo', 'bench-observed'));
    const target = {
      url: `${system.url}/api/v1/run/${endpoint}`,
      headers: system.headers,
      body: { input_value: usesModel ? '[[reply="done"]]' : 'hello', session_id: 'bench' },
      expected: `"text":"${usesModel ? 'done' : 'hello'}"`,
      connections,
    };
    const meter = await benchEnvironment.createMeter(system);
    const transactions = async () => {
      await pause(STATISTICS_MILLISECONDS);
      /** @type {{ count: number }[]} */
      const [{ count }] = await system.query(TRANSACTIONS);
      return count;
    };
    const measure = async (/** @type {number} */ seconds) => {
      const before = { printedBytes, collected: await collectedBytes(), transactions: await transactions() };
      counter?.clear();
      /** @type {Figures} */
      const figures = await meter(() => closedLoop({ ...target, seconds }));
      const { requests } = figures;
      const cpu = ['gateway', 'ingest', 'executor'].map((service) =>
        Number(figures[`${service}Microseconds`]),
      );
      return {
        ...figures,
        cpuMicroseconds: cpu.reduce((sum, one) => sum + one, 0),
        transactions: ((await transactions()) - before.transactions) / requests,
        printedBytes: (printedBytes - before.printedBytes) / requests,
        collectedBytes: name === 'full' ? ((await collectedBytes()) - before.collected) / requests : 0,
        ...counter?.perRun(requests),
      };
    };
    const throughput = (/** @type {LoadSize} */ size) => closedLoop({ ...target, ...size });
    sides[name] = Object.assign(measure, { throughput });
  }
  return sides;
}

/**
 * @param {Readonly<Record<string, Medians>>} sides
 * @returns {import('../scenario.ts').Conclusion}
 */
function conclude({ off: without, default: byDefault, again, full: complete }) {
  const share = (2 * byDefault.cpuMicroseconds) / (without.cpuMicroseconds + again.cpuMicroseconds);
  console.log(table({ off: without, default: byDefault, again, full: complete }));
  return {
    ratio: share,
    perSecond: byDefault.perSecond,
    p50: byDefault.p50,
    p99: byDefault.p99,
    goals: [atMost('CPU time of a run by default, compared with off', share, MAXIMUM_SHARE)],
  };
}

/** @param {Readonly<Record<string, Medians>>} sides */
function table(sides) {
  const names = [
    'cpuMicroseconds',
    'gatewayMicroseconds',
    'executorMicroseconds',
    'databaseMicroseconds',
    'perSecond',
    'p50',
    'p99',
    'transactions',
    'statements',
    'messages',
    'messageBytes',
    'commands',
    'logBytes',
    'storedBytes',
    'printedBytes',
    'collectedBytes',
  ];
  const line = (/** @type {readonly string[]} */ cells) => cells.map((cell) => cell.padEnd(22)).join('');
  const rows = names
    .filter((name) => sides.off[name] !== undefined)
    .map((name) =>
      line([name, ...Object.values(sides).map((side) => Number(side[name].toPrecision(4)).toString())]),
    );
  return [line(['per run', ...Object.keys(sides)]), ...rows].join('\n');
}

/**
 * @typedef {{ readonly url: string, take(): readonly { readonly bytes: number }[], close(): Promise<void> }} CountingProxy
 * @typedef {object} CountingTools
 * @property {(url: string, createReader: unknown) => Promise<CountingProxy>} startCountingProxy
 * @property {unknown} amqpReader
 * @property {unknown} postgresReader
 * @property {unknown} redisReader
 */

/** @returns {Promise<CountingTools>} */
function countingTools() {
  return loadWorkspaceCode(
    `export { startCountingProxy } from './counting-proxy';
     export { amqpReader, postgresReader, redisReader } from './wire-readers';`,
    'tests/system',
  );
}

/** Counts what a system sends to its servers, by proxies in front of them. */
class WireCounter {
  #benchEnvironment;
  #tools;
  /** @type {readonly CountingProxy[]} */
  #proxies = [];

  /**
   * @param {BenchEnvironment} benchEnvironment
   * @param {CountingTools} tools
   */
  constructor(benchEnvironment, tools) {
    this.#benchEnvironment = benchEnvironment;
    this.#tools = tools;
  }

  /** @param {{ readonly database: string, readonly broker: string, readonly keyValue: string }} urls */
  async route(urls) {
    const { startCountingProxy, postgresReader, amqpReader, redisReader } = this.#tools;
    this.#proxies = await Promise.all([
      startCountingProxy(urls.database, postgresReader),
      startCountingProxy(urls.broker, amqpReader),
      startCountingProxy(urls.keyValue, redisReader),
    ]);
    for (const proxy of this.#proxies) this.#benchEnvironment.onScenarioEnd(() => proxy.close());
    const [database, broker, keyValue] = this.#proxies.map(({ url }) => url);
    return { database, broker, keyValue };
  }

  clear() {
    for (const proxy of this.#proxies) proxy.take();
  }

  /** @param {number} runs */
  perRun(runs) {
    const [statements, messages, commands] = this.#proxies.map((proxy) => proxy.take());
    return {
      statements: statements.length / runs,
      messages: messages.length / runs,
      messageBytes: messages.reduce((sum, { bytes }) => sum + bytes, 0) / runs,
      commands: commands.length / runs,
    };
  }
}
