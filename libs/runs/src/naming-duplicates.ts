import { DatabaseError } from '@millrace/database';
import { DuplicateError } from './duplicate-error';

const UNIQUE_VIOLATION = '23505';

/** Does the work; a violated constraint that `fields` names becomes a DuplicateError of that field. */
export async function namingDuplicates<T>(
  fields: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatabaseError && error.sqlState === UNIQUE_VIOLATION) {
      const field = fields[error.constraint ?? ''];
      if (field !== undefined) throw new DuplicateError(field, error);
    }
    throw error;
  }
}
