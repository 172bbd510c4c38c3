/** A migration failed, or the migration files do not match the database. */
export class MigrationError extends Error {
  readonly code = 'migration_failed';
}
