import { readBackWebhookFields } from '../index';
import { flow, node } from '../flow-under-test.fixture';

const address = { baseUrl: 'https://runs.example/', flowId: 'f-1', endpointName: null, authRequired: true };

function fieldsOf(document: unknown, index = 0): Record<string, { value: unknown }> {
  const { data } = document as { data: { nodes: { data: { node: { template: never } } }[] } };
  return data.nodes[index]!.data.node.template;
}

test('says where a webhook is called, by address and as a command', () => {
  const read = fieldsOf(readBackWebhookFields(flow([node('Webhook-a', 'Webhook')]), address));
  expect(read['endpoint']?.value).toBe('https://runs.example/api/v1/webhook/f-1');
  expect(read['curl']?.value).toBe(
    [
      'curl -X POST \\',
      '  "https://runs.example/api/v1/webhook/f-1" \\',
      "  -H 'Content-Type: application/json' \\",
      "  -H 'x-api-key: <your api key>' \\",
      `  -d '{"any": "data"}'`,
    ].join('\n'),
  );
});

test('prefers the endpoint name, and leaves the key out where none is needed', () => {
  const open = { ...address, endpointName: 'orders', authRequired: false };
  const read = fieldsOf(readBackWebhookFields(flow([node('Webhook-a', 'Webhook')]), open));
  expect(read['endpoint']?.value).toBe('https://runs.example/api/v1/webhook/orders');
  expect(read['curl']?.value).not.toContain('x-api-key');
});

test('takes the bare form, too', () => {
  const { data } = flow([node('Webhook-a', 'Webhook')]) as { data: unknown };
  expect(JSON.stringify(readBackWebhookFields(data, address))).toContain('/api/v1/webhook/f-1');
});

test('changes neither what it is given nor what an author has written', () => {
  const written = flow([
    node('Webhook-a', 'Webhook', { endpoint: 'mine', curl: 'mine' }),
    node('ChatOutput-z', 'ChatOutput'),
  ]);
  expect(readBackWebhookFields(written, address)).toBe(written);
  const saved = flow([node('Webhook-a', 'Webhook'), node('ChatOutput-z', 'ChatOutput')]);
  const before = structuredClone(saved);
  const read = readBackWebhookFields(saved, address);
  expect(saved).toEqual(before);
  expect(fieldsOf(read, 1)).toBe(fieldsOf(saved, 1));
});

test.each([null, 'text', [], {}, { nodes: 5 }, { nodes: [null, { data: 1 }] }])(
  'leaves %p alone',
  (document) => {
    expect(readBackWebhookFields(document, address)).toEqual(document);
  },
);
