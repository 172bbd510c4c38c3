import { hash } from 'node:crypto';
import type { Lane } from '@millrace/messages';

const SPAN_ID_DIGITS = 16;

/** An attempt as its span describes it. */
export interface SpannedAttempt {
  readonly runId: string;
  readonly attempt: number;
  readonly userId: string;
  readonly flowId: string;
  readonly flowVersion: number;
  readonly lane: Lane;
  readonly pool: string;
}

/** Returns the id of the span of an attempt, which each process can compute. */
export function attemptSpanId({ runId, attempt }: Pick<SpannedAttempt, 'runId' | 'attempt'>): string {
  return hash('sha256', `${runId} ${attempt}`).slice(0, SPAN_ID_DIGITS);
}

export function attemptSpanName(flowId: string, flowName: string | null): string {
  return `invoke_workflow ${flowName ?? flowId}`;
}

export function attemptAttributes(attempt: SpannedAttempt): Record<string, string | number> {
  return {
    'gen_ai.operation.name': 'invoke_workflow',
    'millrace.run.id': attempt.runId,
    'millrace.run.attempt': attempt.attempt,
    'millrace.flow.id': attempt.flowId,
    'millrace.flow.version': attempt.flowVersion,
    'millrace.lane': attempt.lane,
    'millrace.pool': attempt.pool,
    'user.id': attempt.userId,
  };
}

/** Attributes with the name of the flow. Releases of the conventions disagree about the attribute. */
export function flowNameAttributes(flowName: string | null): Record<string, string> {
  return flowName === null ? {} : { 'gen_ai.workflow.name': flowName, 'gen_ai.agent.name': flowName };
}
