import { flow, node, runFlow } from '../testing/flow-under-test.fixture';

const eventFor = async (event: string): Promise<unknown> => {
  const trigger = node('ScheduleTrigger-a', 'ScheduleTrigger', { event_payload: event });
  const { result } = await runFlow(flow([trigger]), { show: 'ScheduleTrigger-a' });
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

test('counts the attempts before this one', async () => {
  const trigger = node('ScheduleTrigger-a', 'ScheduleTrigger', { event_payload: '{"attempt":0}' });
  const { result } = await runFlow(flow([trigger]), { show: 'ScheduleTrigger-a', attempt: 2 });
  expect(result?.outputs['trigger_event']?.message).toEqual({ attempt: 1 });
});
