import { fillWebhookFields } from '../index';
import { flow, node } from '../testing/flow-under-test.fixture';

const endpoint = {
  baseUrl: 'https://runs.example/',
  flowId: 'f-1',
  endpointName: null,
  requiresApiKey: true,
};

function fieldsOf(document: unknown, index = 0): Record<string, { value: unknown }> {
  const { data } = document as { data: { nodes: { data: { node: { template: never } } }[] } };
  return data.nodes[index]!.data.node.template;
}

test('fills in the URL of a webhook and a curl command', () => {
  const read = fieldsOf(fillWebhookFields(flow([node('Webhook-a', 'Webhook')]), endpoint));
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

test('prefers the endpoint name, and omits the key if none is required', () => {
  const open = { ...endpoint, endpointName: 'orders', requiresApiKey: false };
  const read = fieldsOf(fillWebhookFields(flow([node('Webhook-a', 'Webhook')]), open));
  expect(read['endpoint']?.value).toBe('https://runs.example/api/v1/webhook/orders');
  expect(read['curl']?.value).not.toContain('x-api-key');
});

test('accepts a document without the `data` wrapper', () => {
  const { data } = flow([node('Webhook-a', 'Webhook')]) as { data: unknown };
  expect(JSON.stringify(fillWebhookFields(data, endpoint))).toContain('/api/v1/webhook/f-1');
});

test('does not change its argument or values that an author wrote', () => {
  const written = flow([
    node('Webhook-a', 'Webhook', { endpoint: 'mine', curl: 'mine' }),
    node('ChatOutput-z', 'ChatOutput'),
  ]);
  expect(fillWebhookFields(written, endpoint)).toBe(written);
  const saved = flow([node('Webhook-a', 'Webhook'), node('ChatOutput-z', 'ChatOutput')]);
  const before = structuredClone(saved);
  const read = fillWebhookFields(saved, endpoint);
  expect(saved).toEqual(before);
  expect(fieldsOf(read, 1)).toBe(fieldsOf(saved, 1));
});

test.each([null, 'text', [], {}, { nodes: 5 }, { nodes: [null, { data: 1 }] }])(
  'returns %p unchanged',
  (document) => {
    expect(fillWebhookFields(document, endpoint)).toEqual(document);
  },
);
