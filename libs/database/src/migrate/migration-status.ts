import type { Database } from '../database';
import { appliedMigrations } from './applied-migrations';
import { readMigrationFiles } from './migration-file';

export interface MigrationStatus {
  readonly version: number;
  readonly name: string;
  /** `changed`: the file is not the one that was applied. `unknown`: applied by a program newer than this one. */
  readonly state: 'applied' | 'pending' | 'changed' | 'unknown';
  readonly appliedAt: Date | null;
}

/** Compares the migration files with the database, in the order of their numbers. */
export async function migrationStatus(
  database: Database,
  { directory }: { readonly directory?: string } = {},
): Promise<MigrationStatus[]> {
  const files = readMigrationFiles(directory);
  const applied = await appliedMigrations(database);
  const known = files.map(({ version, name, checksum }): MigrationStatus => {
    const row = applied.find((candidate) => candidate.version === version);
    if (!row) return { version, name, state: 'pending', appliedAt: null };
    return {
      version,
      name,
      state: row.checksum === checksum ? 'applied' : 'changed',
      appliedAt: row.appliedAt,
    };
  });
  const unknown = applied
    .filter(({ version }) => !files.some((file) => file.version === version))
    .map(({ version, name, appliedAt }): MigrationStatus => ({ version, name, state: 'unknown', appliedAt }));
  return [...known, ...unknown].sort((left, right) => left.version - right.version);
}
