import { forAllTests, forEachTest } from '@millrace/testing';
import { openTestDatabase, openTestInstallation } from './test-installation';
import type { TestInstallation } from './test-installation';

/** Returns an installation that is a new one in each test of a file, all with one database. */
export function installForEachTest(): TestInstallation {
  const database = forAllTests(openTestDatabase);
  return forEachTest(() => openTestInstallation(database));
}

/** Returns an installation with an executor for all tests of a file. */
export function installForAllTests(): TestInstallation {
  return forAllTests(async () => {
    const database = await openTestDatabase();
    const installation = await openTestInstallation(database);
    await installation.startExecutor('worker-1');
    const close = async () => {
      await installation.close();
      await database.close();
    };
    return { ...installation, close };
  });
}
