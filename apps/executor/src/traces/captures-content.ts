import type { Environment } from '@millrace/service';

/** The values of newer releases of the conventions that ask for content on spans count too. */
const CAPTURING: ReadonlySet<string> = new Set(['true', 'span_only', 'span_and_event']);

/** Returns whether the operator asks for prompts and answers in traces. */
export function capturesContent(environment: Environment): boolean {
  const value = environment['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT'] ?? '';
  return CAPTURING.has(value.trim().toLowerCase());
}
