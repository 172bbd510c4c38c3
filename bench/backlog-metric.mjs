// `node tools/node/run.cjs bench/backlog-metric.mjs`: accepts webhooks of one user while no executor runs, and prints what
// ingest's metrics, the broker and the database say of the backlog.
import '../tools/workspace/require-node-version.mjs';
import '../tools/workspace/print-uncaught-errors.mjs';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'amqplib';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { wholeNumber } from '../libs/service/src/options/number-text.cjs';
import { prepareWorkspace } from '../tools/workspace/prepare-workspace.mjs';
import { servicesOption } from '../tools/services/acquire-services.mjs';
import { BenchEnvironment } from './bench-environment.mjs';
import { upload, webhookFlow } from './flows.mjs';
import { closedLoop } from './load/closed-loop.mjs';

const usage = `node tools/node/run.cjs bench/backlog-metric.mjs [options]
  --runs <n>         100000
  --services <ways>  where to get the servers: env, local, private, compose, apt (comma separated)
  --help`;
const { values: flags } = readCommandLine({
  usage,
  options: {
    runs: { type: 'string', default: '100000', parse: wholeNumber({ minimum: 1 }) },
    services: servicesOption,
  },
});
const CONNECTIONS = 64;
/** Longer than ingest takes to count anew. */
const COUNTED_WITHIN_MILLISECONDS = 120_000;

prepareWorkspace({ build: true });
const benchEnvironment = new BenchEnvironment({ services: flags.services, seconds: 10 });
try {
  const system = await benchEnvironment.startSystem({ pools: { default: 1 } });
  const { endpoint } = await upload(system, webhookFlow('waiting'));
  // It has made the queues.
  await system.executors.splice(0)[0].stop();
  const ingest = `http://127.0.0.1:${system.ingestPort}`;
  const accepted = await closedLoop({
    url: `${ingest}/api/v1/webhook/${endpoint}`,
    headers: system.headers,
    body: { text: 'three pencils' },
    expected: 'run_id',
    connections: CONNECTIONS,
    amount: flags.runs,
  });
  console.log(`accepted ${accepted.requests} webhooks of one user, ${Math.round(accepted.perSecond)}/s, ${accepted.errors} errors`); // prettier-ignore
  const backlog = /^millrace_backlog_runs\{[^}]*lane="background"[^}]*\} (\d+)$/m;
  /** @type {string} */
  let metrics = '';
  for (let waited = 0; waited < COUNTED_WITHIN_MILLISECONDS; waited += 500) {
    metrics = await (await fetch(`${ingest}/metrics`)).text();
    if (Number(backlog.exec(metrics)?.[1]) === flags.runs) break;
    await pause(500);
  }
  console.log(`GET ${ingest}/metrics`);
  for (const line of metrics.split('\n').filter((one) => /^millrace_(?:backlog|lane)/.test(one)))
    console.log(`  ${line}`);
  console.log(
    `passive declaration of ${system.prefix}runs.background.default: ${await messagesIn(system)} messages`,
  );
  const [row] = await system.query('SELECT count(*)::int AS waiting FROM runs WHERE finished_at IS NULL');
  console.log(`rows of runs that have not ended: ${Object.values(row).join()}`);
  const autoscale = await fetch(`${system.url}/api/v1/autoscale`, { headers: system.headers });
  console.log(`GET /api/v1/autoscale ${await autoscale.text()}`);
} finally {
  await benchEnvironment.close();
}

/** @param {import('./bench-environment.mjs').BenchSystem} system */
async function messagesIn({ prefix, brokerUrl }) {
  const connection = await connect(brokerUrl);
  const channel = await connection.createChannel();
  const { messageCount } = await channel.checkQueue(`${prefix}runs.background.default`);
  await connection.close();
  return messageCount;
}
