import type { Run, StoredMessage, Trace } from '../api/types';

/** The input of a run, from the first of: its request, its result, its messages, the records of its vertices. */
export function inputOf(
  run: Run,
  messages: readonly StoredMessage[] | undefined,
  trace: Trace | null | undefined,
): string {
  const fromRequest = run.request?.input_value ?? run.result?.outputs?.[0]?.inputs?.input_value;
  if (fromRequest) return fromRequest;
  const message = messages?.find(({ sender }) => sender === 'User');
  if (message !== undefined) return message.text;
  for (const { inputs, type } of trace?.vertices ?? []) {
    const value = inputs?.['input_value'] ?? (type === 'Webhook' ? inputs?.['data'] : undefined);
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}
