export { DatabaseConflictError, DatabaseError, DatabaseUnavailableError } from './database';
export type { Database, Queryable, QueryResult, Statement, Transactional } from './database';
export type { Durability } from './durability';
export { DataDirectoryInUseError } from './embedded/data-directory-lock';
export { DataDirectoryNotEmptyError } from './embedded/prepare-data-directory';
export { openDatabase } from './open-database';
export { openReplicaReads } from './postgres/replica/open-replica-reads';
export type { PreparedStatements } from './postgres/postgres-path';
export { databaseEncoding, migrate } from './migrate/migrate';
export { migratedTables } from './migrate/migrated-tables';
export { MigrationError } from './migrate/migration-error';
export { migrationStatus } from './migrate/migration-status';
export { booleanArray, integerArray, textArray, timestampArray, uuidArray } from './array-parameters';
export {
  CHARACTER_NOT_IN_REPERTOIRE,
  LOCK_NOT_AVAILABLE,
  UNDEFINED_COLUMN,
  UNDEFINED_TABLE,
  UNIQUE_VIOLATION,
  UNSTORABLE_TEXT,
} from './sqlstate';
