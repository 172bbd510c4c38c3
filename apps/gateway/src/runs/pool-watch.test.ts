import { brokerNames } from '@millrace/contracts';
import { BusUnavailableError, type QueueStatus } from '@millrace/messaging';
import { PoolWatch } from './pool-watch';

const names = brokerNames('');
const CONSUMED: QueueStatus = { messages: 0, consumers: 1 };
const LONELY: QueueStatus = { messages: 3, consumers: 0 };

/** Asks about queues that are as said; a queue that is not named does not answer. */
function watch(states: Readonly<Record<string, QueueStatus | Error | null>>) {
  const queueStatus = (queue: string): Promise<QueueStatus | null> => {
    const state = states[queue];
    if (state === undefined) return new Promise(() => undefined);
    return state instanceof Error ? Promise.reject(state) : Promise.resolve(state);
  };
  return new PoolWatch({ bus: { queueStatus }, names });
}

const lane = names.lane('interactive', 'gpu');
const standby = names.standbyLane('gpu');

test('a pool is alive when its lane, or its standby, has consumers', async () => {
  await expect(watch({ [lane]: CONSUMED, [standby]: null }).ready('gpu')).resolves.toBeUndefined();
  await expect(watch({ [lane]: LONELY, [standby]: CONSUMED }).ready('gpu')).resolves.toBeUndefined();
});

test('a lane on a frozen node is not waited for where its standby has consumers', async () => {
  await expect(watch({ [standby]: CONSUMED }).ready('gpu')).resolves.toBeUndefined();
  const away = new BusUnavailableError('no answer');
  await expect(watch({ [lane]: away, [standby]: CONSUMED }).ready('gpu')).resolves.toBeUndefined();
});

test('a pool without consumers has no executor; a lane that does not answer says so itself', async () => {
  await expect(watch({ [lane]: LONELY, [standby]: null }).ready('gpu')).rejects.toMatchObject({
    code: 'no_executor',
  });
  const away = new BusUnavailableError('no answer');
  await expect(watch({ [lane]: away, [standby]: null }).ready('gpu')).rejects.toBe(away);
});
