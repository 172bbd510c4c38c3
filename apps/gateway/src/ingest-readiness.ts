import { machineTime } from '@millrace/service';
import type { Health } from '@millrace/service';

const TIMEOUT_MILLISECONDS = 1_000;
const MAXIMUM_START_MILLISECONDS = 30_000;

/**
 * Adds ingest to the gateway's readiness. Until ingest has been ready once, or 30 s have passed, the gateway is ready
 * only if ingest is, so that a new gateway also accepts webhooks. Later the check is shown but does not count, because
 * runs do not need ingest.
 */
export function addIngestReadiness(
  health: Pick<Health, 'add'>,
  url: string,
  now: () => number = machineTime,
): void {
  const readiness = new URL('/readyz', url);
  const startedAt = now();
  let wasReady = false;
  const check = async () => {
    const answer = await fetch(readiness, { signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS) });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`ingest answered ${answer.status}`);
    wasReady = true;
  };
  health.add('ingest', check, {
    timeoutMilliseconds: TIMEOUT_MILLISECONDS,
    isNeeded: () => !wasReady && now() - startedAt < MAXIMUM_START_MILLISECONDS,
  });
}
