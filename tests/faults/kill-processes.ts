import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@millrace/testing';
import type { TestSystem } from '../system/test-system';

const BETWEEN_KILLS_MILLISECONDS = 1_500;
const GATEWAY_LIFE_MILLISECONDS = 3_000;

/**
 * Kills a second ingest service and an executor again and again, and starts others in their places. Resolves to the number
 * of kills once the signal is aborted.
 */
export async function killProcesses(system: TestSystem, stopped: AbortSignal): Promise<number> {
  const startIngest = () =>
    system.startService({ app: 'ingest', environment: { MILLRACE_INGEST_PORT: '0' } });
  let ingest = await startIngest();
  let kills = 0;
  // At least once, however late the first process is ready on a busy machine.
  do {
    await pause(Math.random() * BETWEEN_KILLS_MILLISECONDS);
    ingest.kill();
    await ingest.exited;
    const [victim] = system.executors.splice(0, 1);
    victim?.kill();
    await victim?.exited;
    kills += 2;
    [ingest] = await Promise.all([
      startIngest(),
      system.startExecutor().then((executor) => system.executors.push(executor)),
    ]);
  } while (!stopped.aborted);
  return kills;
}

/** Kills a second gateway again and again; `url` is that of the one that runs. `done` resolves once the signal is aborted. */
export function killGateways(system: TestSystem, stopped: AbortSignal) {
  const kills = { url: system.url, count: 0 };
  const start = async () => {
    const port = await freePort('127.0.0.1');
    const environment = { PORT: String(port), INGEST_URL: `http://127.0.0.1:${system.ingestPort}` };
    const gateway = await system.startService({ app: 'gateway', name: 'gateway-2', environment });
    kills.url = `http://127.0.0.1:${port}`;
    return gateway;
  };
  const done = (async () => {
    do {
      const gateway = await start();
      await pause(Math.random() * GATEWAY_LIFE_MILLISECONDS);
      gateway.kill();
      await gateway.exited;
      kills.count += 1;
    } while (!stopped.aborted);
  })();
  return { kills, done };
}
