import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

jest.setTimeout(120_000);

test('answers it has given take no memory', async () => {
  const worker = new Worker(join(__dirname, 'pglite-worker.cjs'), {
    workerData: { dataDirectory: undefined },
    resourceLimits: { maxOldGenerationSizeMb: 64 },
  });
  const exchange = async (bytes: Buffer): Promise<number> => {
    const answered = once(worker, 'message');
    worker.postMessage({ id: 1, bytes: new Uint8Array(bytes) });
    const [{ bytes: answer }] = (await answered) as [{ readonly bytes: Uint8Array }];
    return answer.length;
  };
  await once(worker, 'message');
  await exchange(message('\0\x03\0\0user\0postgres\0database\0postgres\0\0'));
  let received = 0;
  for (let asked = 0; asked < 60; asked += 1) {
    received += await exchange(
      message("SELECT repeat('x', 1000) || n FROM generate_series(1, 5000) AS n\0", 'Q'),
    );
  }
  expect(received).toBeGreaterThan(4 * 64 * 1024 * 1024);
  await worker.terminate();
});

/** A message of PostgreSQL's protocol: its letter, its length, its content. */
function message(content: string, letter = ''): Buffer {
  const bytes = Buffer.from(`${letter}    ${content}`, 'latin1');
  bytes.writeInt32BE(bytes.length - letter.length, letter.length);
  return bytes;
}
