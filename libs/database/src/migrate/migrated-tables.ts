import { readMigrationFiles } from './migration-file';

/** Returns the names of the tables that the migrations create. */
export function migratedTables(directory?: string): string[] {
  return readMigrationFiles(directory).flatMap(({ text }) =>
    [...text.matchAll(/^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)/gim)].map(
      ([, name = '']) => name,
    ),
  );
}
