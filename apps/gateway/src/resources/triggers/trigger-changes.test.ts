import { NODE_REMOVED } from '@millrace/runs';
import type { TriggerRecord } from '@millrace/runs';
import { ScheduleError } from '@millrace/schedules';
import {
  checkBinding,
  checkedConfig,
  enabling,
  newConfig,
  nextTimes,
  refusing,
  requireInboundWebhook,
} from './trigger-changes';

const now = new Date('2026-01-01T00:00:00Z');
const daily = { cron: '0 8 * * *', timezone: 'UTC', catchup_policy: 'coalesce' };
const trigger = (record: Partial<TriggerRecord>) =>
  ({ id: 't', kind: 'schedule', config: daily, createdAt: now, lastError: null, ...record }) as TriggerRecord;
const past = trigger({ config: { at: '2020-01-01T00:00:00Z' }, createdAt: new Date(0) });

test.each([
  [
    'a connection',
    () => checkBinding({ connection_id: 'c' }),
    422,
    'A trigger can only use a connection its owner owns. Choose one of your own connections; shared and instance connections cannot back a trigger.',
  ],
  [
    'a deployment without an id',
    () => checkBinding({ binding_target: 'deployment' }),
    422,
    'A deployment binding requires deployment_id.',
  ],
  [
    'a deployment',
    () => checkBinding({ binding_target: 'deployment', deployment_id: 'd' }),
    422,
    'There are no deployments: a trigger runs its flow.',
  ],
  [
    'a provider',
    () => checkBinding({ provider: 'p' }),
    422,
    'There are no providers: a trigger has its events from its kind.',
  ],
  [
    'an inbound webhook with a time zone',
    () => checkedConfig('inbound_webhook', { timezone: 'UTC' }, now),
    422,
    "'timezone' is a member of schedules, not of inbound webhooks.",
  ],
  [
    'an inbound webhook that shares what is no flag',
    () => checkedConfig('inbound_webhook', { share_session: 1 }, now),
    422,
    'share_session must be a boolean.',
  ],
  [
    'the secret of a schedule',
    () => requireInboundWebhook(trigger({})),
    409,
    'Only inbound webhook triggers have an owner-managed signing secret.',
  ],
  [
    'a trigger whose node was deleted',
    () => enabling(trigger({ lastError: NODE_REMOVED }), now),
    409,
    NODE_REMOVED,
  ],
  ['a schedule in the past', () => enabling(past, now), 409, 'The schedule has no further times.'],
  ['times in the past', () => nextTimes(past, now, 422), 422, 'The schedule has no further times.'],
] as const)('%s is refused', (_what, work, status, detail) => {
  expect(work).toThrow(expect.objectContaining({ code: 'trigger_invalid', status, detail }));
});

test('what can be bound and configured is taken', () => {
  checkBinding({ connection_id: null, deployment_id: null, provider: null });
  const hook = { cron: null, share_session: false, more: 1 };
  expect(checkedConfig('inbound_webhook', hook, now)).toBe(hook);
  expect(checkedConfig('schedule', { cron: '0 8 * * *' }, now)).toEqual(daily);
  expect(requireInboundWebhook(trigger({ kind: 'inbound_webhook' }))).toMatchObject({ id: 't' });
  expect(nextTimes(trigger({ kind: 'inbound_webhook' }), now, 409)).toEqual({});
  const next = new Date('2026-01-01T08:00:00Z');
  expect(enabling(trigger({}), now)).toMatchObject({
    state: 'active',
    lastError: null,
    nextOccurrenceAt: next,
  });
});

test('only a schedule that is not active can be created without a time', () => {
  const of = (kind: TriggerRecord['kind'], state: TriggerRecord['state']) => () =>
    newConfig({ kind, state, createdAt: now }, {});
  expect([
    of('schedule', 'pending')(),
    of('schedule', 'paused')(),
    of('inbound_webhook', 'active')(),
  ]).toEqual([{}, {}, {}]);
  expect(of('schedule', 'active')).toThrow(expect.objectContaining({ code: 'trigger_invalid', status: 422 }));
});

test('an error that is not of a schedule stays as it is', () => {
  const fail = (error: Error) => () =>
    refusing(() => {
      throw error;
    }, 409);
  expect(fail(new ScheduleError('x'))).toThrow(expect.objectContaining({ status: 409, detail: 'x' }));
  expect(fail(new TypeError('y'))).toThrow(TypeError);
});
