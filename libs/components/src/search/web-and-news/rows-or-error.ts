import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { DataFrame } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';

/**
 * Returns a table of rows or, as these searches always have, a table with one row that contains the error. The end of
 * the run is still an error.
 */
export async function rowsOrError(
  columns: readonly string[],
  reasonColumn: string,
  find: Promise<readonly PythonObject[]>,
  context: ComponentContext,
): Promise<DataFrame> {
  try {
    return new DataFrame(await find, columns);
  } catch (error) {
    if (!(error instanceof ComponentError)) throw error;
    context.status(`Failed request: ${error.message}`);
    const row = Object.fromEntries(columns.map((column) => [column, '']));
    return new DataFrame([{ ...row, title: 'Error', [reasonColumn]: error.message }], columns);
  }
}

/** The columns of a web search and of a feed. */
export const webColumns = ['title', 'link', 'snippet', 'content'] as const;
export const articleColumns = ['title', 'link', 'published', 'summary'] as const;
