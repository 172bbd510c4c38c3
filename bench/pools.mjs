// Two pools: how long runs of one take while the other is overloaded with slow runs, beside the idle system.
// Usage: node bench/pools.mjs [--rate 50] [--seconds 15] [--callers 128] [--services private]
import { parseArgs } from 'node:util';
import { prepareWorkspace } from '../tools/prepare-workspace.mjs';
import scaledTools from '@millrace/scaled-system';
import { acquireServices } from '../tools/services/acquire-services.mjs';
import { closedLoop } from './closed-loop.mjs';
import { openLoop } from './open-loop.mjs';
import { uploadExample } from './upload-example.mjs';

const { values: flags } = parseArgs({
  options: {
    rate: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '15' },
    callers: { type: 'string', default: '128' },
    services: { type: 'string' },
  },
});
const perSecond = Number(flags.rate);
const seconds = Number(flags.seconds);
const connections = Number(flags.callers);

prepareWorkspace({ build: true });
const services = await acquireServices({ only: flags.services });
const stopping = [() => services.stop()];
try {
  const model = await scaledTools.startModelProcess();
  stopping.push(() => model.stop());
  const system = await scaledTools.startScaledSystem({
    urls: services.urls,
    pools: { default: 1, slow: 1 },
    concurrency: 16,
    prefix: `${services.prefix}.`,
    environment: {
      LOG_LEVEL: 'info',
      MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'sk-bench',
    },
  });
  stopping.push(system.stop);
  const headers = { 'x-api-key': system.key };
  const quick = await uploadExample(system, 'echo', 'bench-quick');
  const slow = await uploadExample(system, 'chat', 'bench-slow', { pool: 'slow' });
  const quickRuns = {
    url: `${system.url}/api/v1/run/${quick}`,
    headers,
    body: { input_value: 'hello' },
    perSecond,
    seconds,
  };
  const slowRuns = {
    url: `${system.url}/api/v1/run/${slow}`,
    headers,
    body: { input_value: '[[delay=250 reply="done"]]' },
    connections,
  };
  await openLoop({ ...quickRuns, seconds: 5 });
  const idle = await openLoop(quickRuns);
  const load = closedLoop({ ...slowRuns, seconds: seconds + 5 });
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const loaded = await openLoop(quickRuns);
  const beside = await load;
  console.log(
    `\n${perSecond} runs/s of one pool; the other: ${connections} callers of 250 ms runs on 16 slots`,
  );
  console.log(
    `alone    p50 ${idle.p50} ms  p99 ${idle.p99} ms  worst ${idle.worst} ms  errors ${idle.errors}`,
  );
  console.log(
    `beside   p50 ${loaded.p50} ms  p99 ${loaded.p99} ms  worst ${loaded.worst} ms  errors ${loaded.errors}`,
  );
  console.log(
    `overloaded pool: ${beside.perSecond.toFixed(0)} runs/s, p99 ${beside.p99} ms, errors ${beside.errors}`,
  );
  console.log(`p99 beside / alone = ${(loaded.p99 / idle.p99).toFixed(2)}`);
} finally {
  for (const stop of stopping.reverse()) await stop();
}
