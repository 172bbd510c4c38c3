// Synchronous runs of Chat Input → Chat Output through RabbitMQ, Redis and PostgreSQL, beside the same machine's
// Express with one bare broker round trip, alternating in one run.
// Usage: node bench/sync-runs.mjs [--connections 64] [--seconds 8] [--rounds 3] [--executors 1] [--services private]
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { prepareWorkspace } from '../tools/prepare-workspace.mjs';
import scaledTools from '@millrace/scaled-system';
import { acquireServices } from '../tools/services/acquire-services.mjs';
import { closedLoop, median } from './closed-loop.mjs';
import { uploadExample } from './upload-example.mjs';

const { values: flags } = parseArgs({
  options: {
    connections: { type: 'string', default: '64' },
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '3' },
    executors: { type: 'string', default: '1' },
    services: { type: 'string' },
  },
});
const connections = Number(flags.connections);
const seconds = Number(flags.seconds);

prepareWorkspace({ build: true });
const services = await acquireServices({ only: flags.services, print: console.log });
const stopping = [() => services.stop()];
try {
  const bare = await startBare(services.urls.broker);
  stopping.push(bare.stop);
  const system = await scaledTools.startScaledSystem({
    urls: services.urls,
    pools: { default: Number(flags.executors) },
    prefix: `${services.prefix}.`,
    environment: { LOG_LEVEL: 'info' },
  });
  stopping.push(system.stop);
  const headers = { 'x-api-key': system.key };
  const endpoint = await uploadExample(system, 'echo', 'bench-echo');
  const body = { input_value: 'hello', session_id: 'bench' };
  const targets = {
    bare: { url: `${bare.url}/run`, body, headers: {} },
    millrace: { url: `${system.url}/api/v1/run/${endpoint}`, body, headers },
  };
  for (const target of Object.values(targets)) await closedLoop({ ...target, connections, seconds: 3 });
  const results = { bare: [], millrace: [] };
  for (let round = 0; round < Number(flags.rounds); round += 1)
    for (const [name, target] of Object.entries(targets)) {
      const result = await closedLoop({ ...target, connections, seconds });
      results[name].push(result);
      console.log(`${name.padEnd(9)} ${format(result)}`);
    }
  const middle = Object.fromEntries(
    Object.entries(results).map(([name, list]) => [name, median(list.map(({ perSecond }) => perSecond))]),
  );
  console.log(
    `\n${connections} connections, ${flags.executors} executor(s), Node ${process.version}: bare ${Math.round(middle.bare)}/s, ` +
      `Millrace ${Math.round(middle.millrace)}/s = ${(middle.millrace / middle.bare).toFixed(2)} of the limit`,
  );
} finally {
  for (const stop of stopping.reverse()) await stop();
}

function format({ perSecond, p50, p99, errors }) {
  return `${String(Math.round(perSecond)).padStart(6)}/s  p50 ${p50} ms  p99 ${p99} ms  errors ${errors}`;
}

async function startBare(broker) {
  const queue = `bench.bare.${randomBytes(4).toString('hex')}`;
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const environment = { ...process.env, AMQP_URL: broker, BENCH_QUEUE: queue };
  const start = (...role) =>
    new Promise((resolve, reject) => {
      const script = new URL('bare/round-trip.cjs', import.meta.url).pathname;
      const child = spawn(process.execPath, [script, ...role], {
        env: environment,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      child.once('exit', (code) => reject(new Error(`bare ${role[0]} ended with ${code}`)));
      child.stdout.once('data', () => resolve(child));
    });
  const children = [await start('answer'), await start('serve', String(port))];
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      for (const child of children) {
        child.removeAllListeners('exit');
        child.kill('SIGKILL');
      }
    },
  };
}
