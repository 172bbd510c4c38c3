import { PythonAnnouncement } from '@millrace/dispatch';
import type { AnnouncedPython } from '@millrace/dispatch';
import { openKeyValueStore } from '@millrace/key-value';
import { openMessageBus } from '@millrace/messaging';
import { createLogger, localClock } from '@millrace/service';
import { WorkerAnnouncement } from './worker-announcement';
import { workerKey } from '@millrace/dispatch';

const logger = createLogger({ name: 'announcement-test', level: 'silent' });
const announced: AnnouncedPython = {
  python: '3.11.7',
  lfx: '1.13.0',
  packageSet: 'lfx',
  components: new Map([['ArXiv', 'lfx.components.arxiv.arxiv.ArXivComponent']]),
  modules: new Set(['json']),
  seal: 'sealed',
};

test('an executor announces its Python once it is known, for its pool', async () => {
  const keyValue = await openKeyValueStore({ url: undefined, prefix: '', logger, name: 'test' });
  const bus = await openMessageBus({ url: undefined, logger, name: 'test' });
  let known: AnnouncedPython | null = null;
  const announcement = new WorkerAnnouncement({
    bus,
    keyValue,
    logger,
    clock: localClock,
    worker: 'one',
    pool: 'python',
    concurrency: 4,
    prefetch: 8,
    version: '1',
    running: { size: 0 },
    python: { announced: () => known },
  });
  const state = async () => JSON.parse((await keyValue.get(workerKey('one'))) ?? 'null') as object;
  const python = () => new PythonAnnouncement({ keyValue, logger }).read('python');

  await announcement.open();
  expect(await state()).toMatchObject({ worker: 'one', pool: 'python', takesJobs: 8 });
  expect(await state()).not.toHaveProperty('python');
  expect(await python()).toBeNull();

  known = announced;
  await announcement.write();
  const { components, modules, ...summary } = announced;
  expect(await state()).toMatchObject({ python: summary });
  expect(await python()).toEqual({ ...summary, components, modules });

  await announcement.close();
  expect(await state()).toBeNull();
  await bus.close();
  await keyValue.close();
});
