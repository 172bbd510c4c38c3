import { defineComponent, jsonText, text } from '@millrace/flow';
import { parseWebhookPayload } from './parse-webhook-payload';

export default defineComponent({
  type: 'Webhook',
  displayName: 'Webhook',
  description: 'Provides the body of a webhook as data.',
  inputs: {
    data: jsonText({ displayName: 'Payload', multiline: true, advanced: true }),
    curl: text({
      displayName: 'cURL',
      multiline: true,
      default: 'CURL_WEBHOOK',
      advanced: true,
      inputTypes: [],
    }),
    endpoint: text({ displayName: 'Endpoint', multiline: true, default: 'BACKEND_URL', inputTypes: [] }),
  },
  outputs: { output_data: { types: ['Data', 'JSON'], displayName: 'JSON' } },
  deterministic: true,
  run: ({ data }, context) => {
    const { value, note } = parseWebhookPayload(data);
    context.status(note ?? value);
    return { output_data: value };
  },
});
