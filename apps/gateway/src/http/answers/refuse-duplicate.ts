import { HttpError } from '@millrace/http';
import { DuplicateError } from '@millrace/runs';

/** Replaces the text of a duplicate error by that of the route, and its status, 400, where the route has another. */
export async function refuseDuplicate<T>(
  text: string,
  work: Promise<T>,
  status: 400 | 409 = 400,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DuplicateError)) throw error;
    throw new HttpError('duplicate', text, { cause: error, status });
  }
}
