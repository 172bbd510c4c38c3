import { createHmac } from 'node:crypto';
import type { DueCallback } from '@millrace/runs';
import { standardWebhooks } from '../intake/webhooks/signatures/signature-schemes';

/**
 * Returns the body of a callback: the same bytes for every attempt. The texts of result, failure and usage are inserted
 * as they were stored, so that their numbers stay as they are.
 */
export function callbackBody({ kind, run }: DueCallback): string {
  const data = {
    run_id: run.id,
    flow_id: run.flowId,
    flow_version: run.flowVersion,
    session_id: run.sessionId,
    status: run.status,
    attempts: run.attempt,
    replay_of: run.replayOf,
    accepted_at: run.acceptedAt.toISOString(),
    finished_at: run.finishedAt.toISOString(),
    result_omitted: run.isResultTooLarge,
  };
  const texts = `"error":${run.failureText ?? 'null'},"usage":${run.usageText ?? 'null'},"result":${run.resultText ?? 'null'}`;
  const head = JSON.stringify({ type: `run.${kind}`, timestamp: data.finished_at }).slice(0, -1);
  return `${head},"data":${JSON.stringify(data).slice(0, -1)},${texts}}}`;
}

/** Returns the headers of an attempt, signed by Standard Webhooks with each secret. `now` is in milliseconds. */
export function callbackHeaders(
  id: string,
  body: string,
  secrets: readonly string[],
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1_000));
  const signatures = secrets
    .map((secret) => standardWebhooks.keyOf(secret))
    .filter((key) => key !== null)
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`);
  return {
    'content-type': 'application/json',
    'user-agent': 'millrace',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
