import type { Database } from '@millrace/database';
import { openTestDatabase, openTestInstallation } from './test-installation';
import type { TestInstallation } from './test-installation';

type Provide = (installation: TestInstallation) => void | Promise<void>;

/** Opens one database for the tests of a file, and an installation for each of them, which `provide` gets. */
export function installForEachTest(provide: Provide): void {
  let database: Database;
  let installation: TestInstallation;

  beforeAll(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterAll(() => database.close());
  beforeEach(async () => {
    installation = await openTestInstallation(database);
    await provide(installation);
  });
  afterEach(() => installation.close());
}

/** Opens one installation with an executor for all tests of a file, which `provide` gets. */
export function installForAllTests(provide: Provide): void {
  let database: Database;
  let installation: TestInstallation;

  beforeAll(async () => {
    database = await openTestDatabase();
    installation = await openTestInstallation(database);
    await installation.startExecutor('worker-1');
    await provide(installation);
  }, 60_000);
  afterAll(async () => {
    await installation.close();
    await database.close();
  });
}
