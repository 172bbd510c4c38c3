import { setTimeout as sleep } from 'node:timers/promises';

/** @import { ScaledSystem, ServiceProcess } from '@millrace/scaled-system' */

const PAUSE_MILLISECONDS = 1_000;
/** A service that ran that long has not failed at its start. */
const STEADY_MILLISECONDS = 60_000;
const MAXIMUM_FAILURES = 5;

/**
 * Starts a service again when it ends, because it was killed, used too much memory or failed. Resolves when the signal aborts; rejects
 * when a service has ended five times in a row within a minute of its start.
 * @param {ScaledSystem} system
 * @param {AbortSignal} ending
 * @param {(line: string) => void} print
 */
export async function keepRunning(system, ending, print) {
  const aborted = new Promise((resolve) => {
    if (ending.aborted) resolve(undefined);
    ending.addEventListener('abort', resolve, { once: true });
  });
  const stopped = new AbortController();
  const options = { ending: AbortSignal.any([ending, stopped.signal]), print };
  const services = [system.gateway, system.ingest, ...system.executors];
  try {
    await Promise.race([aborted, ...services.map((service) => keepOne(system, service, options))]);
  } finally {
    stopped.abort();
  }
}

/**
 * @param {ScaledSystem} system
 * @param {ServiceProcess} first
 * @param {{ readonly ending: AbortSignal, readonly print: (line: string) => void }} options
 * @returns {Promise<void>}
 */
async function keepOne(system, first, { ending, print }) {
  let failures = 0;
  let service = first;
  let startedAt = performance.now();
  for (;;) {
    const { code, signal } = await service.exited;
    if (ending.aborted) return;
    print(`${service.name} ended (${signal ?? code}); starting it again`);
    failures = performance.now() - startedAt > STEADY_MILLISECONDS ? 1 : failures + 1;
    for (;;) {
      if (failures >= MAXIMUM_FAILURES)
        throw new Error(`${service.name} ended ${failures} times in a row within a minute of its start.`);
      await sleep(PAUSE_MILLISECONDS * 2 ** (failures - 1));
      if (ending.aborted) return;
      startedAt = performance.now();
      const started = await system.restart(service).catch((error) => {
        if (!ending.aborted) print(error.message);
      });
      if (ending.aborted) return;
      if (started !== undefined) {
        service = started;
        break;
      }
      failures += 1;
    }
  }
}
