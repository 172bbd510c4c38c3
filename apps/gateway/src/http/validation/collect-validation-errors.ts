import { HttpError } from '@millrace/http';

type Checks<Results extends readonly unknown[]> = { readonly [Index in keyof Results]: () => Results[Index] };

/**
 * Runs all checks of a request in this order and returns their results. Throws one `invalid_request` with the items of
 * all failed checks, and any other error at once.
 */
export function collectValidationErrors<Results extends readonly unknown[]>(
  ...checks: Checks<Results>
): Results {
  const items: unknown[] = [];
  const results = checks.map((check) => {
    try {
      return check();
    } catch (error) {
      const isRefusal = error instanceof HttpError && error.code === 'invalid_request';
      if (!isRefusal || !Array.isArray(error.detail)) throw error;
      items.push(...(error.detail as readonly unknown[]));
      return undefined;
    }
  });
  if (items.length > 0) throw new HttpError('invalid_request', items);
  return results as unknown as Results;
}
