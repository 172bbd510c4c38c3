import { boolean, defineComponent, jsonText, text } from '@millrace/flow';
import { parseTriggerEvent } from './parse-trigger-event';

export default defineComponent({
  type: 'ScheduleTrigger',
  displayName: 'Schedule',
  description: 'Provides the event of an occurrence of the schedule that started the run.',
  inputs: {
    cron_expression: text({ displayName: 'Cron expression', default: '0 8 * * 1-5', inputTypes: [] }),
    timezone: text({ displayName: 'Timezone', default: 'UTC', inputTypes: [] }),
    catchup_policy: text({
      displayName: 'Catch-up policy',
      default: 'coalesce',
      advanced: true,
      inputTypes: [],
    }),
    event_payload: jsonText({ displayName: 'Event', multiline: true, advanced: true, inputTypes: [] }),
    share_session: boolean({ displayName: 'Share session across runs', default: false, advanced: true }),
  },
  outputs: { trigger_event: { types: ['JSON', 'Data'], displayName: 'Event' } },
  deterministic: true,
  run: ({ event_payload: payload }, context) => {
    const { event, status } = parseTriggerEvent(payload, { kind: 'schedule', attempt: context.run.attempt });
    context.status(status);
    return { trigger_event: event };
  },
});
