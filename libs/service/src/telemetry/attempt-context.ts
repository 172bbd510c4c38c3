import { createContextKey } from '@opentelemetry/api';
import type { Context } from '@opentelemetry/api';

/** The attempt of a run to which a span belongs. */
export interface SpanAttempt {
  readonly runId: string;
  readonly attempt: number;
}

const ATTEMPT = createContextKey('millrace attempt');

/** Returns the context in which spans belong to the attempt. */
export function contextOfAttempt(context: Context, { runId, attempt }: SpanAttempt): Context {
  return context.setValue(ATTEMPT, { runId, attempt });
}

/** Returns the attempt to which spans of this context belong; null for none. */
export function attemptOf(context: Context): SpanAttempt | null {
  return (context.getValue(ATTEMPT) as SpanAttempt | undefined) ?? null;
}
