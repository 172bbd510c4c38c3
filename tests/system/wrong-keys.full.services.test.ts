import { randomBytes } from 'node:crypto';
import { forAllTests } from '@millrace/testing';
import { startTestSystem } from './test-system';

const system = forAllTests(startTestSystem);

const other = randomBytes(32).toString('base64');

/** Starts a further service of the system, with another encryption key. */
function start(app: string, workers = '1') {
  return system.startService({
    app,
    environment: {
      PORT: '0',
      MILLRACE_INGEST_PORT: '0',
      INGEST_URL: `http://127.0.0.1:${system.ingestPort}`,
      MILLRACE_ENCRYPTION_KEY: other,
      MILLRACE_WORKERS: workers,
    },
  });
}

test.each(['gateway', 'ingest', 'executor'])(
  'refuses to start a further %s with an encryption key that does not match the data',
  async (app) => {
    const refused = start(app);
    await expect(refused).rejects.toThrow(`${app} ended (78) before it was ready`);
    await expect(refused).rejects.toThrow('MILLRACE_ENCRYPTION_KEY lists none of the keys');
    await expect(refused).rejects.not.toThrow(/^\s+at /m);
  },
);

test('the supervisor of worker processes exits, too, when the encryption key does not match', async () => {
  await expect(start('executor', '2')).rejects.toThrow('executor ended (78) before it was ready');
});
