import type { Run, RunRequest, Trace } from '../api/answers';

/** The input of a run, from the first of: its request, its result, the records of its vertices. */
export function inputOf(
  run: Run,
  request: RunRequest | null | undefined,
  trace: Trace | null | undefined,
): string {
  const payload = request?.webhook_payload;
  if (payload !== undefined && payload !== null)
    return typeof payload === 'string' ? payload : JSON.stringify(payload);
  const sent = request?.inputs[0]?.input_value ?? run.result?.outputs?.[0]?.inputs?.input_value;
  if (sent) return sent;
  for (const { inputs, type } of trace?.vertices ?? []) {
    const value = inputs?.['input_value'] ?? (type === 'Webhook' ? inputs?.['data'] : undefined);
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}
