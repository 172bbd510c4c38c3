export { openBlockingDatabase } from './open-blocking-database';
export { migratedImage, openMigratedDatabase } from './open-migrated-database';
