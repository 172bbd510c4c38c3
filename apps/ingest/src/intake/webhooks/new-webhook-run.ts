import { newRun } from '@millrace/dispatch';
import type { FlowReference, NewRun } from '@millrace/runs';

export interface ReceivedWebhook {
  /** The id of the run. */
  readonly id: string;
  readonly payload: string;
  readonly dedupeKey: string | null;
  readonly requestId: string | null;
}

export interface WebhookRunLimits {
  readonly backgroundLimitMilliseconds: number;
  readonly maximumAttempts: number;
}

/** Returns the run that a webhook starts. */
export function newWebhookRun(
  flow: FlowReference,
  { id, payload, dedupeKey, requestId }: ReceivedWebhook,
  { backgroundLimitMilliseconds, maximumAttempts }: WebhookRunLimits,
): NewRun {
  return newRun({
    id,
    flow,
    userId: flow.userId,
    lane: 'background',
    request: {
      form: 'webhook',
      inputs: [{ components: [], inputValue: '', type: 'chat' }],
      outputs: { by: 'type', type: 'chat' },
      tweaks: {},
      stream: false,
      sessionId: flow.id,
      globalVariables: {},
      webhookPayload: payload,
    },
    dedupeKey,
    requestId,
    limitMilliseconds: backgroundLimitMilliseconds,
    maximumAttempts,
  });
}
