// A program of the build: makes the image of a data directory unless there is one, and prints its path.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@millrace/service';
import { cachedImage, packImage } from './embedded/data-directory-image';
import { openEmbeddedDatabase } from './embedded/open-embedded-database';
import { migrate } from './migrate/migrate';

const logger = createLogger({ name: 'make-image', level: 'error' });

async function makeImage(image: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-image-'));
  const dataDirectory = join(folder, 'database');
  try {
    const database = await openEmbeddedDatabase({
      dataDirectory,
      durability: 'process',
      name: 'the build',
      logger,
    });
    try {
      await migrate(database, { logger });
      // Two thirds of the files, which each start syncs. A database in a single process cannot use them.
      for (const template of ['template0', 'template1']) {
        await database.query({ text: `ALTER DATABASE ${template} IS_TEMPLATE false` });
        await database.query({ text: `DROP DATABASE ${template}` });
      }
    } finally {
      await database.close();
    }
    packImage(dataDirectory, image);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main(): Promise<void> {
  const image = cachedImage();
  if (!existsSync(image)) await makeImage(image);
  console.log(image);
}

void main();
