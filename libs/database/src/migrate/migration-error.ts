/** The migrations and the database do not fit together. */
export class MigrationError extends Error {
  readonly code = 'migration_failed';
}
