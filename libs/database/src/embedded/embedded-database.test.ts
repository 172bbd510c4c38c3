import { createLogger } from '@millrace/service';
import { describeDatabase } from '../database.contract';
import { openEmbeddedDatabase } from './open-embedded-database';

const logger = createLogger({ name: 'test', level: 'silent' });

describeDatabase('embedded, in memory', () =>
  openEmbeddedDatabase({ dataDirectory: undefined, name: 'test', logger }),
);
