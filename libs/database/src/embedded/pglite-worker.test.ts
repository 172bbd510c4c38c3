import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { createLogger } from '@millrace/service';
import { cachedImage } from './data-directory-image';
import { prepareDataDirectory } from './prepare-data-directory';

const logger = createLogger({ name: 'test', level: 'silent' });

jest.setTimeout(120_000);

test('does not keep sent answers in memory', async () => {
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
      message("SELECT repeat('x', 10000) || n FROM generate_series(1, 500) AS n\0", 'Q'),
    );
  }
  expect(received).toBeGreaterThan(4 * 64 * 1024 * 1024);
  await worker.terminate();
});

/** Loaded into the thread: makes the next sync of a file fail once the file `fails` exists. */
const failingDisk = `
  const fs = require('node:fs');
  const { fdatasyncSync } = fs;
  fs.fdatasyncSync = (descriptor) => {
    if (!fs.existsSync(__dirname + '/fails')) return fdatasyncSync(descriptor);
    fs.rmSync(__dirname + '/fails');
    throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
  };`;

test('a commit that cannot be synced is not acknowledged and ends the thread', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-failing-'));
  writeFileSync(join(folder, 'disk.cjs'), failingDisk);
  const directory = { dataDirectory: join(folder, 'data'), durability: 'fsync' } as const;
  await prepareDataDirectory({ ...directory, logger, image: cachedImage() });
  const worker = new Worker(join(__dirname, 'pglite-worker.cjs'), {
    workerData: directory,
    execArgv: ['--require', join(folder, 'disk.cjs')],
  });
  const ask = async (bytes: Buffer): Promise<{ readonly bytes?: Uint8Array; readonly failure?: string }> => {
    const answered = once(worker, 'message');
    worker.postMessage({ id: 1, bytes: new Uint8Array(bytes) });
    const [answer] = (await answered) as [{ readonly bytes?: Uint8Array; readonly failure?: string }];
    return answer;
  };
  await once(worker, 'message');
  await ask(message('\0\x03\0\0user\0postgres\0database\0postgres\0\0'));
  expect((await ask(message('CREATE TABLE boats (id integer)\0', 'Q'))).failure).toBeUndefined();
  const ended = once(worker, 'error');
  writeFileSync(join(folder, 'fails'), '');
  // The error that ends the thread can arrive before the answer; `once` then rejects with it.
  const answer = await ask(message('INSERT INTO boats VALUES (1)\0', 'Q')).catch((error: unknown) => ({
    bytes: undefined,
    failure: String(error),
  }));
  expect(answer.bytes).toBeUndefined();
  expect(answer.failure).toContain('EIO');
  expect(String(await ended)).toContain('EIO');
  rmSync(folder, { recursive: true });
});

/** Returns a message of PostgreSQL's protocol: type byte, length, content. */
function message(content: string, letter = ''): Buffer {
  const bytes = Buffer.from(`${letter}    ${content}`, 'latin1');
  bytes.writeInt32BE(bytes.length - letter.length, letter.length);
  return bytes;
}
