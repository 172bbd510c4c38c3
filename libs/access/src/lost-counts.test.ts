import { recordingLogger } from '@millrace/service/testing';
import { KeyUsage } from './key-usage';
import { shareRunLimits } from './share-run-limits';

const error = new Error('away');
const away = () => Promise.reject(error);

test('uses of keys that cannot be stored are logged with their number', async () => {
  const logger = recordingLogger();
  const usage = new KeyUsage({ apiKeys: { countUses: away }, logger });
  for (const key of ['one', 'two', 'one']) usage.count(key);
  await usage.close();
  expect(logger.fieldsOf('uses of API keys could not be stored')).toEqual([{ error, keys: 2 }]);
});

test('background runs get the whole limit while Redis does not count, which is logged once', async () => {
  const logger = recordingLogger();
  const share = shareRunLimits({ keyValue: { batch: away }, logger });
  const use = { scope: 'flow', id: 'flow', userId: 'user', maximum: 5, used: 2, isWaiting: false } as const;
  expect([await share([use], 'ask'), await share([use], 'ask')]).toEqual([[3], [3]]);
  const lines = logger.fieldsOf('background runs do not share their limits: Redis does not count');
  expect(lines).toEqual([{ error }]);
});
