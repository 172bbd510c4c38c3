import { ComponentError, DataFrame } from '@millrace/flow';
import type { ComponentContext, PythonObject } from '@millrace/flow';

/**
 * A table of rows, or, as these searches have always done, a table whose only row tells what went wrong. What ends a run
 * still does.
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
