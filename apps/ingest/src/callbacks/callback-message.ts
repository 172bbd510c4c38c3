import { createHmac } from 'node:crypto';
import { callbackType } from '@millrace/flow';
import type { DueCallback, WaitingReport } from '@millrace/runs';
import { standardWebhooks } from '../intake/webhooks/signatures/signature-schemes';

/**
 * Returns the body of a callback: the same bytes for every attempt. The texts of result, failure and usage are inserted
 * as they were stored, so that their numbers stay as they are.
 */
export function callbackBody(callback: DueCallback): string {
  const { kind, run, waiting, budget, alert } = callback;
  const type = callbackType(kind);
  const timestamp = reportTime(callback);
  if (alert !== null) return JSON.stringify({ type, timestamp, data: alert });
  if (budget !== null) {
    const { passed_at: passedAt, ...data } = budget;
    return JSON.stringify({ type, timestamp: passedAt, data });
  }
  const data = {
    run_id: run.id,
    flow_id: run.flowId,
    flow_version: run.flowVersion,
    session_id: run.sessionId,
    status: kind === 'waiting' ? 'suspended' : run.status,
    attempts: run.attempt,
    replay_of: run.replayOf,
    accepted_at: run.acceptedAt.toISOString(),
    finished_at: run.finishedAt?.toISOString() ?? null,
    result_omitted: run.isResultTooLarge,
    ...(waiting && { request: requestOf(waiting.request), links: waiting.links }),
  };
  const texts = `"error":${run.failureText ?? 'null'},"usage":${run.usageText ?? 'null'},"result":${run.resultText ?? 'null'}`;
  const head = JSON.stringify({ type, timestamp }).slice(0, -1);
  return `${head},"data":${JSON.stringify(data).slice(0, -1)},${texts}}}`;
}

/** Returns when what is reported happened, in ISO 8601. */
export function reportTime({ run, waiting, budget, alert }: DueCallback): string | null {
  if (alert !== null) return alert.ended_at ?? alert.began_at;
  if (budget !== null) return budget.passed_at;
  return (waiting?.request.pausedAt ?? run.finishedAt)?.toISOString() ?? null;
}

function requestOf({ pausedAt, dueAt, ...request }: WaitingReport['request']) {
  const { request_id, kind, prompt, options, allowed_decisions, action_requests = [] } = request;
  const shown = { request_id, kind, prompt, options, allowed_decisions, action_requests };
  return { ...shown, paused_at: pausedAt.toISOString(), due_at: dueAt?.toISOString() ?? null };
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
