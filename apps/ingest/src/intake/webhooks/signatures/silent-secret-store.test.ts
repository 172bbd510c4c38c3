import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Encryption, openOutsideSecrets, VariableStore } from '@millrace/runs';
import { createLogger, createMetrics } from '@millrace/service';
import { openTestIngest } from '../../../testing/test-ingest';

test('a store of secrets that does not answer refuses only the webhooks that need it', async () => {
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const outside = openOutsideSecrets({
    setting: JSON.stringify({ vault: { url, token: 'token' } }),
    logger: createLogger({ name: 'test', level: 'silent' }),
    metrics: createMetrics(),
  });
  const ingest = await openTestIngest((database) => ({
    settings: { MILLRACE_WEBHOOK_AUTH: 'off' },
    variables: new VariableStore({ database, encryption: Encryption.from(['0'.repeat(64)]), outside }),
  }));
  await ingest.newFlow('signed', { webhook: { signature: { scheme: 'github', secrets: ['OUTSIDE'] } } });
  await ingest.newFlow('unsigned', {});
  const post = async (flow: string) => {
    const answer = await fetch(`${ingest.url}/${flow}`, { method: 'POST', body: '{}' });
    return [answer.status, answer.headers.get('x-error-code')];
  };
  const first = post('signed');
  await pause(1_000);
  const second = post('signed');
  expect(await first).toEqual([503, 'secret_store_unavailable']);
  // The second question is still open, and the first one, whose sender has an answer, is as well.
  await pause(200);
  expect(await post('unsigned')).toEqual([202, null]);
  expect(await second).toEqual([503, 'secret_store_unavailable']);
  await ingest.close();
  await outside?.close();
  silent.close();
}, 30_000);
