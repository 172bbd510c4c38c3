import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MigrationError } from './migration-error';

/** One numbered SQL file, such as 0001_users.sql. */
export interface MigrationFile {
  readonly version: number;
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the text, hexadecimal. */
  readonly checksum: string;
}

/** Reads all migrations of a directory in the order of their numbers. Throws when a number is repeated. */
export function readMigrationFiles(directory = migrationsDirectory()): MigrationFile[] {
  const files = readdirSync(directory)
    .filter((fileName) => fileName.endsWith('.sql'))
    .sort()
    .map((fileName) => readMigrationFile(directory, fileName));
  const repeated = files.find((file, index) => files[index - 1]?.version === file.version);
  if (repeated)
    throw new MigrationError(`Two migrations in ${directory} have the number ${repeated.version}`);
  return files;
}

function readMigrationFile(directory: string, fileName: string): MigrationFile {
  const parts = /^(?<version>\d{4})_(?<name>[a-z0-9_]+)\.sql$/.exec(fileName)?.groups;
  if (!parts?.['name']) throw new MigrationError(`${join(directory, fileName)} is not named NNNN_name.sql`);
  const text = readFileSync(join(directory, fileName), 'utf8');
  const checksum = createHash('sha256').update(text).digest('hex');
  return { version: Number(parts['version']), name: parts['name'], text, checksum };
}

/** The directory next to a bundle, where the build copies it; otherwise the one in the sources. */
function migrationsDirectory(): string {
  const candidates = [join(__dirname, 'migrations'), join(__dirname, '..', '..', 'migrations')];
  const directory = candidates.find((candidate) => existsSync(candidate));
  if (directory === undefined) throw new MigrationError(`No migrations in ${candidates.join(' or ')}`);
  return directory;
}
