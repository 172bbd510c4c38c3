import { openKeyValueStore } from '@millrace/key-value';
import { createLogger } from '@millrace/service';
import { openEmbedded } from '../testing/open-test-database';
import { describeSessionHistory } from './session-history.contract';
import type { TestStores } from './session-history.contract';

let stores: TestStores;

beforeAll(async () => {
  const logger = createLogger({ name: 'test', level: 'silent' });
  const keyValue = await openKeyValueStore({ url: undefined, prefix: 'test:', logger, name: 'test' });
  stores = { stored: await openEmbedded(), keyValue };
}, 60_000);
afterAll(async () => {
  await stores.keyValue.close();
  await stores.stored.close();
});

describeSessionHistory('in memory', () => stores);
