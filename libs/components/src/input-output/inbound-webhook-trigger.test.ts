import { flow, node, runFlow } from '../testing/flow-under-test.fixture';

const eventFor = async (event: string, attempt = 1): Promise<unknown> => {
  const trigger = node('InboundWebhookTrigger-a', 'InboundWebhookTrigger', { event_payload: event });
  const { result } = await runFlow(flow([trigger]), { show: 'InboundWebhookTrigger-a', attempt });
  return result?.outputs['trigger_event']?.message;
};

test('provides the event that started the run', async () => {
  const event = { trigger_id: 't', event_id: 'e', payload: { provider: 'webhook', delivery: { order: 7 } } };
  expect(await eventFor(JSON.stringify(event))).toEqual(event);
});

test.each(['', '  ', '[1]', '"text"', 'no JSON', 'null'])(
  'provides an empty object for "%s"',
  async (event) => {
    expect(await eventFor(event)).toEqual({});
  },
);

test('the event of a further attempt has the number of attempts before it', async () => {
  const event = '{"event_id":"e","attempt":0,"payload":{"attempt":7}}';
  expect(await eventFor(event)).toEqual({ event_id: 'e', attempt: 0, payload: { attempt: 7 } });
  expect(await eventFor(event, 3)).toEqual({ event_id: 'e', attempt: 2, payload: { attempt: 7 } });
  expect(await eventFor('{"event_id":"e"}', 3)).toEqual({ event_id: 'e' });
});

test.each([
  ['', 'No trigger event: this run was not started by a trigger.'],
  ['no JSON', 'The trigger event could not be read: it is not valid JSON.'],
  ['[1]', 'The trigger event could not be read: it is not a JSON object.'],
  ['{"event_id":"e","payload":{}}', 'inbound_webhook event e'],
  ['{"kind":"schedule","event_id":"e"}', 'schedule event e'],
])('shows for the event %j what came', async (event, status) => {
  const trigger = node('InboundWebhookTrigger-a', 'InboundWebhookTrigger', { event_payload: event });
  const { result } = await runFlow(flow([trigger]), { show: 'InboundWebhookTrigger-a' });
  expect(result?.artifacts['trigger_event']).toMatchObject({ repr: status });
});
