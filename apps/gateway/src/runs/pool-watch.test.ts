import { brokerNames } from '@millrace/messages';
import { BusUnavailableError, type QueueStatus } from '@millrace/messaging';
import { PoolWatch } from './pool-watch';

const names = brokerNames('');
const CONSUMED: QueueStatus = { messages: 0, consumers: 1 };
const WITHOUT_CONSUMERS: QueueStatus = { messages: 3, consumers: 0 };

/** A watch over queues in the given states. A request for any other queue never resolves. */
function watch(states: Readonly<Record<string, QueueStatus | Error | null>>) {
  const queueStatus = (queue: string): Promise<QueueStatus | null> => {
    const state = states[queue];
    if (state === undefined) return new Promise(() => undefined);
    return state instanceof Error ? Promise.reject(state) : Promise.resolve(state);
  };
  return new PoolWatch({ bus: { queueStatus }, names });
}

const gpu = { pool: 'gpu', needsPython: false };
const lane = names.lane('interactive', 'gpu');
const standby = names.standbyLane('gpu');

test('a pool is alive when its lane, or its standby, has consumers', async () => {
  await expect(watch({ [lane]: CONSUMED, [standby]: null }).ready(gpu)).resolves.toBeUndefined();
  await expect(watch({ [lane]: WITHOUT_CONSUMERS, [standby]: CONSUMED }).ready(gpu)).resolves.toBeUndefined();
});

test('a lane on an unresponsive node causes no wait if its standby has consumers', async () => {
  await expect(watch({ [standby]: CONSUMED }).ready(gpu)).resolves.toBeUndefined();
  const unavailable = new BusUnavailableError('no answer');
  await expect(watch({ [lane]: unavailable, [standby]: CONSUMED }).ready(gpu)).resolves.toBeUndefined();
});

test('a pool without consumers is rejected with no_executor, an unavailable lane with its own error', async () => {
  await expect(watch({ [lane]: WITHOUT_CONSUMERS, [standby]: null }).ready(gpu)).rejects.toMatchObject({
    code: 'no_executor',
  });
  const unavailable = new BusUnavailableError('no answer');
  await expect(watch({ [lane]: unavailable, [standby]: null }).ready(gpu)).rejects.toBe(unavailable);
});
