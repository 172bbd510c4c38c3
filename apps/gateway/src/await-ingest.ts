import type { Health } from '@millrace/service';

const ANSWER_WITHIN_MILLISECONDS = 1_000;
const LONGEST_START_MILLISECONDS = 30_000;

/**
 * Says in the gateway's readiness whether its ingest takes webhooks. It decides until it has been ready once, or 30 s
 * have passed: who waits for a new gateway may then send webhooks, too. Later an ingest that is away is shown and does
 * not decide, because runs need none.
 */
export function awaitIngest(health: Pick<Health, 'add'>, url: string, now: () => number = Date.now): void {
  const readiness = new URL('/readyz', url);
  const startedAt = now();
  let wasReady = false;
  const ask = async () => {
    const answer = await fetch(readiness, { signal: AbortSignal.timeout(ANSWER_WITHIN_MILLISECONDS) });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`ingest answered ${answer.status}`);
    wasReady = true;
  };
  health.add('ingest', ask, {
    timeoutMilliseconds: ANSWER_WITHIN_MILLISECONDS,
    isNeeded: () => !wasReady && now() - startedAt < LONGEST_START_MILLISECONDS,
  });
}
