import { ComponentError } from '@millrace/flow';

/**
 * Resolves to what `work` gives. Where it fails with a ComponentError, such as one of a service, resolves to what `instead`
 * makes of the text: Langflow gives these errors to the vertices behind. Any other error, such as the end of the run, is thrown.
 */
export async function errorsAsData<Result>(
  work: () => Promise<Result>,
  instead: (error: string) => Result,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ComponentError)) throw error;
    return instead(error.message);
  }
}
