// `npm run scaled -- --executors 4`: gateway, ingest and executors as separate processes, with prefixed log lines.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { prepareWorkspace } from './prepare-workspace.mjs';
import { acquireServices } from './services/acquire-services.mjs';

const { values: flags } = parseArgs({
  options: {
    executors: { type: 'string', default: '2' },
    concurrency: { type: 'string', default: '64' },
    pool: { type: 'string', default: 'default' },
    port: { type: 'string', default: '7860' },
    host: { type: 'string', default: '127.0.0.1' },
    services: { type: 'string' },
    data: { type: 'string', default: '.millrace' },
  },
});

prepareWorkspace({ build: true });
// Only now is it there: a fresh checkout has no packages yet.
const { startScaledSystem } = (await import('@millrace/scaled-system')).default;
const print = (line) => process.stdout.write(`${line}\n`);
const services = await acquireServices({ only: flags.services, keepData: true, print });
const system = await startScaledSystem({
  urls: { database: services.urls.database, broker: services.urls.broker, keyValue: services.urls.keyValue },
  pools: { [flags.pool]: Number(flags.executors) },
  concurrency: Number(flags.concurrency),
  port: Number(flags.port),
  host: flags.host,
  key:
    process.env.MILLRACE_BOOTSTRAP_API_KEY ||
    kept('api-key', () => `sk-${randomBytes(32).toString('base64url')}`),
  environment: {
    MILLRACE_ENCRYPTION_KEY:
      process.env.MILLRACE_ENCRYPTION_KEY || kept('encryption-key', () => randomBytes(32).toString('base64')),
  },
  print,
}).catch(async (error) => {
  await services.stop();
  throw error;
});

let stopping = false;
for (const executor of system.executors) void keepRunning(executor);

print(
  `\nMillrace runs at ${system.url} with ${flags.executors} executors; API key ${system.key}\nCtrl-C stops everything.\n`,
);
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, async () => {
    if (stopping) return;
    stopping = true;
    await system.stop();
    await services.stop();
    process.exit(0);
  });
}

/** An executor that ends, because it was killed or has used too much memory, is followed by another one. */
async function keepRunning(executor) {
  const { code, signal } = await executor.exited;
  if (stopping) return;
  print(`${executor.name} ended (${signal ?? code}); another one follows`);
  await sleep(1_000);
  if (!stopping) void keepRunning(await system.startExecutor(flags.pool));
}

/** A secret that outlives this command: read from the data folder, or made there (only its owner may read it). */
function kept(name, make) {
  const file = join(flags.data, `scaled-${name}`);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    mkdirSync(flags.data, { recursive: true });
    const value = make();
    writeFileSync(file, `${value}\n`, { mode: 0o600 });
    return value;
  }
}
