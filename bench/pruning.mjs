// `node tools/node/run.cjs bench/pruning.mjs`: shows that old runs and versions of flows are deleted in short statements, and
// that lists of runs stay fast, with a million generated runs in a database of its own.
import '../tools/workspace/require-node-version.mjs';
import '../tools/workspace/print-uncaught-errors.mjs';
import { join } from 'node:path';
import { wholeNumber } from '../libs/service/src/options/number-text.cjs';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { loadWorkspaceCode } from '../tools/workspace/load-workspace-code.mjs';
import { acquireServices, servicesOption } from '../tools/services/acquire-services.mjs';
import { workspaceRoot } from '../tools/workspace/workspace-root.mjs';

const usage = `node tools/node/run.cjs bench/pruning.mjs [options]
  --runs <n>         1000000
  --versions <n>     versions of one flow; 20000
  --services <ways>  where to get PostgreSQL: env, local, private, compose, apt (comma separated)
  --help`;
const { values: flags } = readCommandLine({
  usage,
  options: {
    runs: { type: 'string', default: '1000000', parse: wholeNumber({ minimum: 1_000 }) },
    versions: { type: 'string', default: '20000', parse: wholeNumber({ minimum: 10 }) },
    services: servicesOption,
  },
});
const USER = '00000000-0000-4000-8000-000000000001';
const FLOW = '00000000-0000-4000-9000-000000000001';
const MILLISECONDS = 1_000;
const GENERATION_SECONDS = 600;

const code = await loadWorkspaceCode(
  `export { migrate, openDatabase } from '@millrace/database';
   export { createLogger } from '@millrace/service';
   export { RunStore, pruneBatches } from './index';`,
  'libs/runs/src',
);
const services = await acquireServices({ names: ['database'], only: flags.services });
const logger = code.createLogger({ name: 'pruning', level: 'warn' });
const database = await code.openDatabase({ url: services.urls.database, logger, name: 'pruning' });
try {
  await code.migrate(database, { logger, directory: join(workspaceRoot, 'libs/database/migrations') });
  await generate();
  await showLists();
  await showPruning();
} finally {
  await database.close();
  await services.stop();
}

/** Runs of nine days, two of them past their retention, of one flow; a version every few runs. Half have no run. */
async function generate() {
  const { runs, versions } = flags;
  const failure = '{"code":"component_failed","message":"it failed","vertex":null,"problems":[]}';
  const statements = [
    `INSERT INTO users (id, username) VALUES ('${USER}', 'pruning')`,
    `INSERT INTO flows (id, user_id, name, version, settings, attributes) VALUES ('${FLOW}', '${USER}', 'f', ${versions}, '{}', '{}')`,
    `INSERT INTO flow_versions (flow_id, version, document, created_at)
     SELECT '${FLOW}', v, ('{"nodes":[],"text":"' || (SELECT string_agg(md5(v::text || n), '') FROM generate_series(1, 250) n) || '"}')::json,
       now() - interval '9 days' + v * interval '9 days' / ${versions} FROM generate_series(1, ${versions}) v`,
    `INSERT INTO runs (id, flow_id, user_id, flow_version, attempt, maximum_attempts, limit_milliseconds, accepted_at,
       started_at, finished_at, durable, status, lane, origin, pool, session_id, request, result, failure)
     SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(md5(i::text), 1, 3) || '8' || substr(md5(i::text), 4, 15))::uuid,
       '${FLOW}', '${USER}', greatest(1, (i * ${versions}::bigint / ${runs} / 2) * 2), 1, 3, 600000, at, at, at, true,
       CASE WHEN i % 50 = 0 THEN 'failed' ELSE 'succeeded' END, 'background', 'webhook', CASE WHEN i % 10000 = 0 THEN 'rare' ELSE 'default' END, 'session-' || i / 20, '{}',
       CASE WHEN i % 50 <> 0 THEN repeat('x', 500) END, CASE WHEN i % 50 = 0 THEN '${failure}' END
     FROM (SELECT i, now() - interval '9 days' + i * (interval '9 days' / ${runs}) AS at FROM generate_series(1, ${runs}) i) AS generated`,
    // Records of every failed run and of 5 % of the others.
    `INSERT INTO run_traces (run_id, flow_id, user_id, body)
     SELECT id, flow_id, user_id, (SELECT string_agg(md5(id::text || n), '') FROM generate_series(1, 60) n) FROM runs
     WHERE status = 'failed' OR abs(hashtext(id::text)) % 20 = 0`,
    'ANALYZE',
  ];
  const options = { timeoutMilliseconds: GENERATION_SECONDS * MILLISECONDS };
  for (const text of statements)
    await database.transaction(
      (/** @type {typeof database} */ connection) => connection.query({ text }),
      options,
    );
}

async function showLists() {
  const { runs } = timedStore();
  const hour = new Date(Date.now() - 3_600 * MILLISECONDS);
  const filters = {
    'failed in the last hour': { userId: USER, statuses: ['failed'], acceptedFrom: hour },
    'failed in the last hour, all users': { userId: null, statuses: ['failed'], acceptedFrom: hour },
    'error code': { userId: USER, errorCode: 'component_failed' },
    'error code without a run, all users': { userId: null, errorCode: 'internal' },
    session: { userId: USER, sessionId: 'session-1000' },
    flow: { userId: USER, flowId: FLOW },
    pool: { userId: USER, pool: 'rare' },
    'pool, all users': { userId: null, pool: 'rare' },
    'pool without a run': { userId: USER, pool: 'none' },
    'version of the flow': { userId: USER, flowId: FLOW, flowVersion: 1_000 },
    'all users': { userId: null },
  };
  for (const [name, filter] of Object.entries(filters)) {
    const started = performance.now();
    const found = await runs.list(filter, { limit: 50 });
    const milliseconds = (performance.now() - started).toFixed(1);
    console.log(`list: ${name}: ${found.runs.length} runs in ${milliseconds} ms`);
  }
}

async function showPruning() {
  const { runs, times } = timedStore();
  console.log(`before: ${await sizes()}`);
  const batches = code.pruneBatches();
  const deleted = { runs: 0, versions: 0, calls: 0 };
  for (let passes = 0; passes < 2; passes += 1) {
    /** @type {object | null} */
    let afterVersion = null;
    for (let isMore = true; isMore;) {
      const limit = batches.runs.size;
      /** @type {import('../libs/runs/src/runs/pruning/prune-records.ts').Pruned} */
      const pruned = await runs.prune({
        ...{ retentionDays: 7, keptFlowVersions: 20, limit, afterVersion },
        versionLimit: batches.flowVersions.size,
      });
      batches.runs.measured(pruned.runs, pruned.milliseconds.runs);
      batches.flowVersions.measured(pruned.inspectedVersions, pruned.milliseconds.flowVersions);
      deleted.runs += pruned.runs;
      deleted.versions += pruned.flowVersions;
      deleted.calls += 1;
      afterVersion = pruned.nextVersion;
      isMore = pruned.runs === limit || afterVersion !== null;
    }
  }
  console.log(`deleted: ${deleted.runs} runs and ${deleted.versions} versions in ${deleted.calls} calls`);
  console.log(`after: ${await sizes()}`);
  for (const [name, measured] of times) {
    const sorted = measured.toSorted((one, other) => one - other);
    const at = (/** @type {number} */ share) =>
      `${sorted[Math.ceil(sorted.length * share) - 1].toFixed(1)} ms`;
    console.log(`${name}: median ${at(0.5)}, 99 % ${at(0.99)}, longest ${at(1)}`);
  }
}

/** A store that measures its statements in transactions. */
function timedStore() {
  /** @type {Map<string, number[]>} */
  const times = new Map();
  /** @param {(connection: typeof database) => Promise<unknown>} work */
  const transaction = (work) =>
    database.transaction((/** @type {typeof database} */ connection) =>
      work({
        query: async (/** @type {{ readonly name?: string, readonly text: string }} */ statement) => {
          const started = performance.now();
          const result = await connection.query(statement);
          const name = statement.name ?? 'search';
          times.set(name, [...(times.get(name) ?? []), performance.now() - started]);
          return result;
        },
      }),
    );
  const query = (/** @type {object} */ statement) => database.query(statement);
  return { times, runs: new code.RunStore({ database: { query, transaction } }) };
}

async function sizes() {
  const { rows } = await database.query({
    text: `SELECT (SELECT count(*)::int FROM flow_versions) AS versions, (SELECT count(*)::int FROM runs) AS runs,
      (SELECT count(*)::int FROM run_traces) AS records, pg_size_pretty(pg_total_relation_size('run_traces')) AS record_size,
      (SELECT count(DISTINCT flow_version)::int FROM runs) AS referred, pg_size_pretty(pg_total_relation_size('flow_versions')) AS size`,
  });
  const { versions, runs, records, record_size: recordSize, referred, size } = rows[0];
  return `${versions} versions (${referred} with runs) in ${size}, ${records} vertex records in ${recordSize}, ${runs} runs`;
}
