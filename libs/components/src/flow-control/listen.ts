import { defineComponent, handle, listOf, text } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';

export default defineComponent({
  type: 'Listen',
  displayName: 'Listen',
  description: 'Returns the values that Notify components with the same key have sent.',
  approximates: 'It runs once, after all Notify components of its key; Langflow runs it again for each.',
  inputs: {
    context_key: text({ displayName: 'Context Key', required: true }),
    notifications: listOf(handle({ displayName: 'Notifications' })),
  },
  outputs: { data: { types: ['Data', 'JSON'], displayName: 'Data', method: 'listen_for_data' } },
  deterministic: true,
  implicitEdge: { type: 'Notify', output: 'notification', input: 'notifications', field: 'context_key' },
  run: ({ notifications }) => ({
    data: notifications.reduce(withNotification, null) ?? new Data({ text: '' }),
  }),
});

/** Appends a notification to the earlier ones, or replaces them. */
function withNotification(received: PythonValue, notification: PythonValue): PythonValue {
  if (!(notification instanceof Data)) return received;
  const { append, value = null } = notification.data;
  if (append !== true) return value;
  const before: readonly PythonValue[] = Array.isArray(received)
    ? received
    : received === null
      ? []
      : [received];
  return [...before, value];
}
