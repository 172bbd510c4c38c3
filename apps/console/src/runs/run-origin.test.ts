import { originOf } from './run-origin';

test('the origin of a run is the kind of its trigger, or the endpoint that was called', () => {
  const by = (kind: 'schedule' | 'inbound_webhook' | 'rabbitmq') =>
    originOf({ origin: 'webhook', trigger: { id: '1', name: 'x', kind } });
  expect([by('schedule'), by('inbound_webhook'), by('rabbitmq')]).toEqual(['schedule', 'trigger', 'queue']);
  expect([originOf({ origin: 'webhook', trigger: null }), originOf({})]).toEqual(['webhook', '–']);
});
