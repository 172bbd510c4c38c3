import { flow, node, runFlow } from '../testing/flow-under-test.fixture';

const eventFor = async (event: string, attempt = 1): Promise<unknown> => {
  const trigger = node('ScheduleTrigger-a', 'ScheduleTrigger', { event_payload: event });
  const { result } = await runFlow(flow([trigger]), { show: 'ScheduleTrigger-a', attempt });
  return result?.outputs['trigger_event']?.message;
};

test('provides the event that started the run', async () => {
  const event = {
    trigger_id: 't',
    event_id: 'e',
    payload: { scheduled_for: '2026-01-01T00:00:00.000Z', missed: 0 },
  };
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
