import { CHARACTER_NOT_IN_REPERTOIRE, DatabaseError, UNIQUE_VIOLATION } from '@millrace/database';
import { DuplicateError } from './duplicate-error';
import { UnstorableTextError } from './unstorable-text-error';

/**
 * Runs `work`. Turns the database errors that the caller's values caused into DuplicateError or UnstorableTextError.
 * `fields` maps each unique constraint to its field.
 */
export async function translateConstraintErrors<T>(
  fields: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const field = fields[error.constraint ?? ''];
    if (error.sqlState === UNIQUE_VIOLATION && field !== undefined) throw new DuplicateError(field, error);
    if (error.sqlState === CHARACTER_NOT_IN_REPERTOIRE) throw new UnstorableTextError(error);
    throw error;
  }
}
