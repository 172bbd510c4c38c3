export { openBlockingDatabase } from './open-blocking-database';
export { openMigratedDatabase } from './open-migrated-database';
