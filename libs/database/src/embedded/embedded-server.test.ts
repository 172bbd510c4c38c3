import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@millrace/service';
import { DatabaseUnavailableError } from '../database';
import { cachedImage } from './data-directory-image';
import { EmbeddedServer } from './embedded-server';
import { prepareDataDirectory } from './prepare-data-directory';

const logger = createLogger({ name: 'test', level: 'silent' });

// Other suites run concurrently.
jest.setTimeout(120_000);

describe('the embedded server', () => {
  test('restarts its worker after a crash, but not in quick succession', async () => {
    const root = mkdtempSync(join(tmpdir(), 'millrace-server-'));
    const directory = { dataDirectory: join(root, 'data'), durability: 'fsync', logger } as const;
    await prepareDataDirectory({ ...directory, image: cachedImage() });
    const server = await EmbeddedServer.start(directory);
    const first = await server.worker();
    const lost = first.exchange(new Uint8Array([0, 0, 0, 8, 0, 3, 0, 0]));
    const terminated = first.terminate();
    await expect(lost).rejects.toBeInstanceOf(DatabaseUnavailableError);
    await terminated;
    const [second, same] = await Promise.all([server.worker(), server.worker()]);
    expect(second.running).toBe(true);
    expect(second).toBe(same);
    expect(second).not.toBe(first);
    await second.terminate();
    await expect(server.worker()).rejects.toThrow(/will be restarted/);
    await server.close();
    rmSync(root, { recursive: true });
  });

  test('does not restart a database that was only in memory', async () => {
    const server = await EmbeddedServer.start({ dataDirectory: undefined, durability: 'fsync', logger });
    await (await server.worker()).terminate();
    await expect(server.worker()).rejects.toThrow(/its data was only in memory/);
    await server.close();
  });
});
