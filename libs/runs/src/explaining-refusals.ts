import { CHARACTER_NOT_IN_REPERTOIRE, DatabaseError, UNIQUE_VIOLATION } from '@millrace/database';
import { DuplicateError } from './duplicate-error';
import { UnstorableTextError } from './unstorable-text-error';

/**
 * Does the work; what the database refuses for the caller's own doing becomes an error that says so. `fields` names
 * the field behind each unique constraint.
 */
export async function explainingRefusals<T>(
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
