import { openKeyValueStore } from '@millrace/key-value';
import { createLogger } from '@millrace/service';
import { announcedEncryptionKeys, EncryptionKeyAnnouncement } from './encryption-key-announcement';

test('the keys of each process are announced until it ends', async () => {
  const logger = createLogger({ name: 'test', level: 'silent' });
  const keyValue = await openKeyValueStore({ url: undefined, prefix: '', logger, name: 'test' });
  const open = (process: string, keys: readonly string[]) =>
    EncryptionKeyAnnouncement.open({ keyValue, process, keys });
  const [gateway, ingest] = [await open('gateway-a', ['1', '2']), await open('ingest-b', ['1'])];
  expect((await announcedEncryptionKeys(keyValue)).toSorted(byProcess)).toEqual([
    { process: 'gateway-a', keys: ['1', '2'] },
    { process: 'ingest-b', keys: ['1'] },
  ]);
  await ingest.close();
  expect(await announcedEncryptionKeys(keyValue)).toEqual([{ process: 'gateway-a', keys: ['1', '2'] }]);
  await gateway.close();
  expect(await announcedEncryptionKeys(keyValue)).toEqual([]);
  await keyValue.close();
});

function byProcess(one: { readonly process: string }, other: { readonly process: string }): number {
  return one.process < other.process ? -1 : 1;
}
