import { createLogger } from '@millrace/service';
import { describeDatabase } from '../database.contract';
import { openPostgresDatabase } from './open-postgres-database';

const logger = createLogger({ name: 'test', level: 'silent' });
const url = process.env['DATABASE_URL'];
if (url === undefined) throw new Error('DATABASE_URL must name a PostgreSQL server for these tests');

describeDatabase('PostgreSQL', () => Promise.resolve(openPostgresDatabase({ url, name: 'test', logger })));
