import type { Job } from '@millrace/messages';
import type { MessageBus } from '@millrace/messaging';
import { recordingLogger } from '@millrace/service/testing';
import { installForEachTest } from '../testing/install-for-tests';
import { handOff } from './hand-off';
import type { DeliveredJob } from './read-job';

const given = installForEachTest();

/** Hands a job off; resolves to whether its delivery can be settled, how many jobs were published, and the lines of the log. */
async function handedOff(job: Job, bus: Pick<MessageBus, 'publish'> = given.bus) {
  const logger = recordingLogger();
  const { names } = given;
  const delivered = { job, delivery: { replyTo: undefined } } as unknown as DeliveredJob;
  const isHandedOff = await handOff({ bus, names, worker: 'worker-1', logger }, delivered);
  const lanes = ['interactive', 'background'] as const;
  const statuses = await Promise.all(lanes.map((lane) => given.bus.queueStatus(names.lane(lane, 'default'))));
  const published = statuses.reduce((sum, status) => sum + (status?.messages ?? 0), 0);
  return { isHandedOff, published, lines: logger.lines.map(({ message }) => message) };
}

test('a run with a row is published again, and its delivery can be settled', async () => {
  expect(await handedOff(await given.accept(given.echo))).toEqual({
    isHandedOff: true,
    published: 1,
    lines: ['a run could not be released in time; handing it off'],
  });
});

test('a run whose caller waits is left to the broker: its delivery must stay unsettled', async () => {
  expect(await handedOff(given.job(given.echo))).toEqual({
    isHandedOff: false,
    published: 0,
    lines: [],
  });
});

test('a run that cannot be published is left to the broker, too', async () => {
  const job = await given.accept(given.echo);
  const publish = () => Promise.reject(new Error('away'));
  expect(await handedOff(job, { publish })).toEqual({
    isHandedOff: false,
    published: 0,
    lines: [
      'a run could not be released in time; handing it off',
      'hand-off failed; redelivery or lease expiry will recover the run',
    ],
  });
});
