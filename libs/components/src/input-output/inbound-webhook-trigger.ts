import { boolean, defineComponent, jsonText, text } from '@millrace/flow';
import { parseTriggerEvent } from './parse-trigger-event';

export default defineComponent({
  type: 'InboundWebhookTrigger',
  displayName: 'Inbound Webhook',
  description: 'Provides the event of a signed delivery that started the run.',
  inputs: {
    event_payload: jsonText({ displayName: 'Event', multiline: true, advanced: true, inputTypes: [] }),
    payload_schema: text({ displayName: 'Payload schema', multiline: true, advanced: true, inputTypes: [] }),
    share_session: boolean({
      displayName: 'Share session across deliveries',
      default: false,
      advanced: true,
    }),
  },
  outputs: { trigger_event: { types: ['JSON', 'Data'], displayName: 'Event' } },
  deterministic: true,
  run: ({ event_payload: payload }, context) => {
    const { event, status } = parseTriggerEvent(payload, {
      kind: 'inbound_webhook',
      attempt: context.run.attempt,
    });
    context.status(status);
    return { trigger_event: event };
  },
});
