import { Data, defineComponent, handle, listOf, text } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';

export default defineComponent({
  type: 'Listen',
  displayName: 'Listen',
  description: 'Gives what Notify components of the same key have told.',
  approximates: 'It runs once, when all that notify it have run; Langflow runs it again for each.',
  inputs: {
    context_key: text({ displayName: 'Context Key', required: true }),
    notifications: listOf(handle({ displayName: 'What is heard' })),
  },
  outputs: { data: { types: ['Data', 'JSON'], displayName: 'Data', method: 'listen_for_data' } },
  deterministic: true,
  hears: { type: 'Notify', output: 'notification', input: 'notifications', field: 'context_key' },
  run: ({ notifications }, context) => {
    const heard = notifications.reduce(withNotification, null) ?? new Data({ text: '' });
    context.status(heard);
    return { data: heard };
  },
});

/** What is told is added to what was heard before, or takes its place. */
function withNotification(heard: PythonValue, notification: PythonValue): PythonValue {
  if (!(notification instanceof Data)) return heard;
  const { append, told = null } = notification.data;
  if (append !== true) return told;
  const before: readonly PythonValue[] = Array.isArray(heard) ? heard : heard === null ? [] : [heard];
  return [...before, told];
}
