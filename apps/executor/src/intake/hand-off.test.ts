import type { Job } from '@millrace/messages';
import { createLogger } from '@millrace/service';
import { installForEachTest } from '../testing/install-for-tests';
import { handOff } from './hand-off';
import type { DeliveredJob } from './read-job';

const given = installForEachTest();

/** Hands a job off; resolves to whether its delivery can be settled, and how many jobs were published. */
async function handedOff(job: Job) {
  const logger = createLogger({ name: 'hand-off-test', level: 'silent' });
  const { bus, names } = given;
  const delivered = { job, delivery: { replyTo: undefined } } as unknown as DeliveredJob;
  const isHandedOff = await handOff({ bus, names, worker: 'worker-1', logger }, delivered);
  const lanes = ['interactive', 'background'] as const;
  const statuses = await Promise.all(lanes.map((lane) => bus.queueStatus(names.lane(lane, 'default'))));
  return { isHandedOff, published: statuses.reduce((sum, status) => sum + (status?.messages ?? 0), 0) };
}

test('a run with a row is published again, and its delivery can be settled', async () => {
  expect(await handedOff(await given.accept(given.echo))).toEqual({ isHandedOff: true, published: 1 });
});

test('a run whose caller waits is left to the broker: its delivery must stay unsettled', async () => {
  expect(await handedOff(given.job(given.echo))).toEqual({ isHandedOff: false, published: 0 });
});
