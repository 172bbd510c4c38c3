import { BenchEnvironment } from '../bench-environment.mjs';
import { processListeningOn, processorTimes } from '../costs/process-trees.mjs';
import { exampleFlow, upload } from '../flows.mjs';

/** @import { BenchSystem } from '../bench-environment.mjs' */

/**
 * @typedef {object} KeptFlow
 * @property {string} name
 * @property {string} example the file of `examples/`
 * @property {number} share how many of the runs are measured: 1 for all
 * @property {object | string} body of each request
 * @property {boolean} [isWebhook]
 * @property {string} [records] the setting of the flow
 *
 * @typedef {object} KeptFigures Per run.
 * @property {string} flow
 * @property {number} runs
 * @property {number} tableBytes
 * @property {number} toastBytes
 * @property {number} indexBytes
 * @property {number} logBytes of the write-ahead log, over two checkpoints
 * @property {number} databaseMicroseconds CPU time of all processes of PostgreSQL
 * @property {number} keyValueMicroseconds CPU time of Redis
 * @property {Readonly<Record<string, number>>} tables bytes by table, with its indexes
 */

const CALLERS = 16;
/** Runs before the measurement: for plans, connections and statements that are prepared once. */
const WARM_UP = 200;

/** @type {readonly KeptFlow[]} */
const FLOWS = [
  { name: 'echo', example: 'echo', share: 1, body: { input_value: 'hello world' } },
  { name: 'echo, lean', example: 'echo', share: 1, body: { input_value: 'hello world' }, records: 'lean' },
  { name: 'echo, none', example: 'echo', share: 1, body: { input_value: 'hello world' }, records: 'none' },
  {
    name: 'chat with memory',
    example: 'chat-with-memory',
    share: 0.3,
    body: { input_value: '[[reply="done"]]', session_id: 'kept' },
  },
  {
    name: 'agent with two tools',
    example: 'agent-with-tools',
    share: 0.3,
    body: {
      input_value: '[[call=evaluate_expression with="expression=6*7"]]',
      session_id: 'agent',
    },
  },
  {
    name: 'webhook',
    example: 'order-webhook',
    share: 1,
    body: { customer: 'Ann', quantity: 3, product: 'pencils' },
    isWebhook: true,
  },
];

const SIZES = `SELECT relname AS name, pg_relation_size(oid) AS "table",
    coalesce(pg_total_relation_size(nullif(reltoastrelid, 0)), 0) AS toast, pg_indexes_size(oid) AS indexes
  FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace`;

/**
 * Measures what runs of some flows leave in PostgreSQL: bytes, log and CPU time per run.
 * @param {{ services: readonly string[] | undefined, runs: number, environment?: Record<string, string> }} options
 * @returns {Promise<KeptFigures[]>}
 */
export async function measureKeptRuns({ services, runs, environment = {} }) {
  const bench = new BenchEnvironment({ services, seconds: 1 });
  try {
    const figures = [];
    for (const flow of FLOWS) {
      const model = await bench.startModel();
      const system = await bench.startSystem({
        environment: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-bench', ...environment },
      });
      const figure = await measure(system, flow, Math.ceil(runs * flow.share));
      printKept(figure);
      figures.push(figure);
      await bench.closeScenario();
    }
    return figures;
  } finally {
    await bench.close();
  }
}

/**
 * @param {BenchSystem} system
 * @param {KeptFlow} flow
 * @param {number} runs
 * @returns {Promise<KeptFigures>}
 */
async function measure(system, flow, runs) {
  const { endpoint } = await upload(
    system,
    exampleFlow(flow.example, 'kept', flow.records === undefined ? {} : { records: flow.records }),
  );
  await callers(system, flow, endpoint, WARM_UP);
  await allEnded(system, flow, WARM_UP);
  const before = await look(system);
  await callers(system, flow, endpoint, Math.ceil(runs / 2));
  await system.query('CHECKPOINT');
  await callers(system, flow, endpoint, Math.floor(runs / 2));
  await allEnded(system, flow, runs + WARM_UP);
  const after = await look(system);
  /** @param {(look: Look) => number} figure */
  const perRun = (figure) => (figure(after) - figure(before)) / runs;
  /** @param {'table' | 'toast' | 'indexes'} part */
  const bytes = (part) =>
    perRun(({ sizes }) => Object.values(sizes).reduce((sum, size) => sum + size[part], 0));
  const grown = Object.entries(after.sizes).map(([name, size]) => {
    const old = before.sizes[name] ?? { table: 0, toast: 0, indexes: 0 };
    return [name, (total(size) - total(old)) / runs];
  });
  return {
    flow: flow.name,
    runs,
    tableBytes: bytes('table'),
    toastBytes: bytes('toast'),
    indexBytes: bytes('indexes'),
    logBytes: perRun(({ log }) => log),
    databaseMicroseconds: perRun(({ times }) => times.database ?? NaN),
    keyValueMicroseconds: perRun(({ times }) => times.keyValue ?? NaN),
    tables: Object.fromEntries(grown.filter(([, grownBytes]) => Number(grownBytes) >= 1)),
  };
}

/** @param {{ table: number, toast: number, indexes: number }} size */
const total = ({ table, toast, indexes }) => table + toast + indexes;

/**
 * @typedef {object} Look
 * @property {Record<string, { table: number, toast: number, indexes: number }>} sizes
 * @property {number} log
 * @property {Record<string, number>} times
 * @param {BenchSystem} system
 * @returns {Promise<Look>}
 */
async function look(system) {
  await system.query('CHECKPOINT');
  /** @type {{ name: string, table: string, toast: string, indexes: string }[]} */
  const rows = await system.query(SIZES);
  /** @type {{ log: string }[]} */
  const [{ log }] = await system.query("SELECT pg_current_wal_lsn() - '0/0' AS log");
  const times = processorTimes({ database: processListeningOn(5432), keyValue: processListeningOn(6379) });
  const sizes = Object.fromEntries(
    rows.map(({ name, table, toast, indexes }) => [
      name,
      { table: Number(table), toast: Number(toast), indexes: Number(indexes) },
    ]),
  );
  return { sizes, log: Number(log), times };
}

/**
 * Sends requests, `CALLERS` at a time.
 * @param {BenchSystem} system
 * @param {KeptFlow} flow
 * @param {string} endpoint
 * @param {number} requests
 */
async function callers(system, flow, endpoint, requests) {
  const url = `${system.url}/api/v1/${flow.isWebhook ? 'webhook' : 'run'}/${endpoint}`;
  const headers = { ...system.headers, 'content-type': 'application/json' };
  const body = JSON.stringify(flow.body);
  let left = requests;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      const response = await fetch(url, { method: 'POST', headers, body });
      const text = await response.text();
      if (!response.ok) throw new Error(`${flow.name} was answered ${response.status}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

/**
 * Waits, at most two minutes, until as many runs have ended.
 * @param {BenchSystem} system
 * @param {KeptFlow} flow
 * @param {number} runs
 */
async function allEnded(system, flow, runs) {
  const text =
    flow.records === 'none'
      ? 'SELECT coalesce(sum(runs), 0) AS ended FROM unrecorded_runs'
      : 'SELECT count(*) AS ended FROM runs WHERE finished_at IS NOT NULL';
  for (let waits = 0; waits < 240; waits += 1) {
    /** @type {{ ended: string }[]} */
    const [{ ended }] = await system.query(text);
    if (Number(ended) >= runs) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`${runs} runs did not end in two minutes`);
}

/** @param {KeptFigures} figures */
function printKept({ flow, tableBytes, toastBytes, indexBytes, tables, ...figures }) {
  const whole = (/** @type {number} */ value) => String(Math.round(value));
  const parts = `${whole(tableBytes)} in tables, ${whole(toastBytes)} in TOAST, ${whole(indexBytes)} in indexes`;
  const sum = whole(tableBytes + toastBytes + indexBytes);
  console.log(`${flow}: ${sum} bytes a run (${parts}), ${whole(figures.logBytes)} bytes of log`);
  const processor = `PostgreSQL ${whole(figures.databaseMicroseconds)} µs, Redis ${whole(figures.keyValueMicroseconds)} µs`;
  const byTable = Object.entries(tables).map(([name, bytes]) => `${name} ${whole(bytes)}`);
  console.log(`  ${processor}; ${byTable.join(', ')}`);
}
