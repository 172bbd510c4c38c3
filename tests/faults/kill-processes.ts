import { setTimeout as pause } from 'node:timers/promises';
import type { TestSystem } from '../system/test-system';

const BETWEEN_KILLS_MILLISECONDS = 1_500;

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
