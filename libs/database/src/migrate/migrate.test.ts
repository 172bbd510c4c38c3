import { createLogger } from '@millrace/service';
import { openDatabase } from '../open-database';
import { describeMigrations } from './migrate.contract';

const logger = createLogger({ name: 'test', level: 'silent' });

// One database for all tests, emptied each time: creating a new one takes seconds.
const opened = openDatabase({ url: undefined, name: 'test', logger });

afterAll(async () => {
  await (await opened).close();
});

describeMigrations(
  'embedded',
  async () => {
    const database = await opened;
    await database.query({ text: 'DROP SCHEMA public CASCADE; CREATE SCHEMA public' });
    return database;
  },
  () => Promise.resolve(),
);
