import { HttpError } from '@millrace/http';
import { DuplicateError } from '@millrace/runs';

/** The usual text for a value that is in use. */
export function duplicateText({ field }: DuplicateError): string {
  const words = field.replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} must be unique`;
}

/**
 * Replaces the text of a duplicate error by that of the route, unless that is null, and its status, 400, where the route
 * has another.
 */
export async function refuseDuplicate<T>(
  text: string | null,
  work: Promise<T>,
  status: 400 | 409 = 400,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DuplicateError)) throw error;
    throw new HttpError('duplicate', text ?? duplicateText(error), { cause: error, status });
  }
}
